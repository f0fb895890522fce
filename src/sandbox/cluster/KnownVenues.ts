/**
 * The venues of a cluster that one node knows. The list includes a new venue within about a second, and drops a deleted
 * venue within about a minute.
 *
 * When a call names an unknown venue, the node looks in the database again, because another node may just have created
 * the venue. All waiting calls share one lookup, and the node stores nothing about venues that do not exist. So calls
 * with invented ids use no memory, and do not each cause a query.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Registered } from "../host/Registry.ts"
import type { JournalError } from "../store/JournalError.ts"
import type { PostgresRegistry } from "./PostgresRegistry.ts"

/** The venues that a node knows. */
export interface KnownVenues {
  /** A venue's record; `undefined` if the node does not know the venue. */
  readonly get: (id: string) => Registered | undefined
  /** All venues that the node knows. */
  readonly all: () => Iterable<Registered>
  /** Adds a venue that this node has created. */
  readonly add: (venue: Registered) => void
  /** Removes a venue that has been deleted. */
  readonly delete: (id: string) => void
  /** Adds the venues that other nodes have created. */
  readonly learn: Effect.Effect<void, JournalError>
  /** Removes the venues that other nodes have deleted. */
  readonly forget: Effect.Effect<void, JournalError>
  /** Whether the venue exists. The result can still be `true` for a venue that has just been deleted. */
  readonly has: (id: string) => Effect.Effect<boolean, JournalError>
}

/** How long calls to unknown venues are collected, in milliseconds. One lookup then serves all these calls. */
const gathering = 50

/** Creates the list, which is empty at first. */
export const make = ({ addedAfter, present }: Pick<PostgresRegistry, "addedAfter" | "present">): KnownVenues => {
  const known = new Map<string, Registered>()
  const oneByOne = Semaphore.makeUnsafe(1)
  let place = 0
  /** The number of the lookup that began last, and of the lookup that succeeded last. Lookups are numbered from 1. */
  let begun = 0
  let succeeded = 0

  const learn = Effect.map(Effect.suspend(() => addedAfter(place)), (added) => {
    for (const venue of added) {
      known.set(venue.registered.id, venue.registered)
      place = venue.place
    }
  })

  /** Waits for a lookup that begins after this effect has started, and that succeeds. */
  const look = Effect.suspend(() => {
    const before = begun
    return oneByOne.withPermit(Effect.gen(function*() {
      if (succeeded > before) return
      yield* Effect.sleep(gathering)
      const number = ++begun
      yield* learn
      succeeded = number
    }))
  })

  return {
    get: (id) => known.get(id),
    all: () => known.values(),
    add: (venue) => known.set(venue.id, venue),
    delete: (id) => known.delete(id),
    learn,
    forget: Effect.gen(function*() {
      const ids = [...known.keys()]
      const found = yield* present(ids)
      for (const id of ids) if (!found.has(id)) known.delete(id)
    }),
    has: (id) => known.has(id) ? Effect.succeed(true) : Effect.map(look, () => known.has(id))
  }
}
