/**
 * Venues of other engine versions in the same cluster. The nodes of each version divide among themselves only the
 * venues that their engine can read, and forward calls for all other venues to nodes that run the right version.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Engine from "../engine/Engine.ts"
import type { Registered } from "../host/Registry.ts"
import type { JournalError } from "../store/JournalError.ts"
import type { KnownVenues } from "./KnownVenues.ts"
import type { Membership } from "./Membership.ts"
import * as Nodes from "./Nodes.ts"
import * as PostgresJournal from "./PostgresJournal.ts"

/** The engine versions of a cluster's nodes and venues, to the best of this node's knowledge. */
export interface Engines {
  /** Updates the list of running nodes and their versions. */
  readonly learn: Effect.Effect<void, JournalError>
  /** Whether this node's engine can read a venue; `true` for a venue that the node does not know. */
  readonly isReadable: (venue: string) => boolean
  /** The address of a node that may have a venue. Waits indefinitely until there is such a node, so set a timeout. */
  readonly locate: (venue: string) => Effect.Effect<string>
  /** The reason why no node can serve a venue, with a remedy; `undefined` if a node can. */
  readonly refusal: (venue: string) => string | undefined
  /** Messages about the venues that no node can serve. */
  readonly notes: () => ReadonlyArray<string>
}

/** The pause before the next search for a node, in milliseconds. */
const pause = 100

/** The engine version that wrote a venue's journal. */
export const engineOf = ({ engine = Engine.version }: Registered): number => engine

/** The remedy for venues of another engine version. `venue` is the id of one such venue. */
export const remedy = (venue: string): string =>
  "Run a node of that release next to this one, or export the venue with that release " +
  `(effect-txc host export ${venue} --data FOLDER) and import it with this one (effect-txc host import --data FOLDER)`

/** Tracks the engine versions of the cluster's nodes and venues. */
export const make = (
  sql: PgClient.PgClient,
  membership: Pick<Membership["Service"], "locate">,
  known: Pick<KnownVenues, "get" | "all">
): Engines => {
  let nodes: ReadonlyArray<Nodes.Node> = []
  let turn = 0

  const nodesOf = (engine: number) => nodes.filter((node) => node.engine === engine && node.state !== "lost")

  const versionOf = (venue: string): number => {
    const registered = known.get(venue)
    return registered === undefined ? Engine.version : engineOf(registered)
  }

  const isServed = (engine: number): boolean => engine === Engine.version || nodesOf(engine).length > 0

  const locate = (venue: string): Effect.Effect<string> =>
    Effect.suspend(() => {
      const engine = versionOf(venue)
      if (engine === Engine.version) return membership.locate(venue)
      // Only nodes of that version know which of them has the venue. Any of them forwards the request, so they are used
      // in turn.
      const candidates = nodesOf(engine)
      const next = candidates[turn++ % candidates.length]
      return next === undefined ? Effect.andThen(Effect.sleep(pause), locate(venue)) : Effect.succeed(next.node)
    })

  return {
    learn: Effect.map(PostgresJournal.inTime("the list of nodes")(Nodes.list(sql)), (all) => {
      nodes = all
    }),
    isReadable: (venue) => versionOf(venue) === Engine.version,
    locate,
    refusal: (venue) => {
      const engine = versionOf(venue)
      return isServed(engine)
        ? undefined
        : `Engine ${engine} wrote this venue, but no node of that version is running. ${remedy(venue)}`
    },
    notes: () => {
      const unserved = new Map<number, Array<string>>()
      for (const venue of known.all()) {
        const engine = engineOf(venue)
        if (!isServed(engine)) unserved.set(engine, [...unserved.get(engine) ?? [], venue.id])
      }
      return [...unserved].map(([engine, [first = "", ...others]]) =>
        `Engine ${engine} wrote ${
          others.length + 1
        } of the venues, such as ${first}, but no node of that version is running. ${remedy(first)}`
      )
    }
  }
}
