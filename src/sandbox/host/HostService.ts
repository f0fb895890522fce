/** The service of a host, in one process or in a cluster. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalError } from "../store/JournalError.ts"
import type * as HostBounds from "./HostBounds.ts"
import type * as Models from "./HostModels.ts"
import type { Placement } from "./Placement.ts"
import type * as Registry from "./Registry.ts"

/** The options of every host. */
export interface HostOptions extends HostBounds.BoundOptions {
  /** The token of the host's control plane. Without one, the host keeps its previous token or draws one. */
  readonly token?: string
  /** The time that an idle venue stays awake, in milliseconds; 60000 by default. */
  readonly idleMillis?: number
  /** The default time to live of venues, in milliseconds; unlimited by default. */
  readonly timeToLiveMillis?: number
}

/** Errors of creating a venue. */
export type Failure = HostBounds.BoundReached | Models.NotMade | JournalError

/** Opens a port for a venue until the scope is closed. Returns its number. 0 asks for any free port. */
export type OpenPort = (id: string, port: number) => Effect.Effect<number, Models.NotMade, Scope.Scope>

/** A host of many venues. */
export class Host extends Context.Service<Host, {
  /** The token of the host's control plane. */
  readonly token: string
  /** Creates a venue. It exists durably once this succeeds; its journal is written at the first call. */
  readonly make: (options?: Models.MakeOptions) => Effect.Effect<Models.Made, Failure>
  /** The venues of an owner, or all, in the order in which they were created. */
  readonly list: (owner?: string) => Effect.Effect<ReadonlyArray<Models.Summary>, JournalError>
  /** A venue by its id, with its token and its keys. */
  readonly find: (id: string) => Effect.Effect<Models.Made, Models.UnknownVenue | JournalError>
  /**
   * Copies a venue: creates one with the history of the other, and with its own token and keys. Faults, limits and
   * forks are not copied.
   */
  readonly copy: (
    id: string,
    options?: Models.CopyOptions
  ) => Effect.Effect<Models.Made, Failure | Models.UnknownVenue>
  /** Puts a venue to sleep now; `false` if it is in use, or asleep already. */
  readonly sleep: (id: string) => Effect.Effect<boolean, Models.UnknownVenue | JournalError>
  /** Ends a venue, and removes its files. Calls in progress get five seconds to finish. */
  readonly end: (id: string) => Effect.Effect<void, Models.UnknownVenue | JournalError>
  /** The current use of the host. */
  readonly status: Effect.Effect<Models.HostStatus, JournalError>
  /** The placement of its venues. */
  readonly placement: Placement["Service"]
  /** The record of a venue; `undefined` if there is none. */
  readonly registered: (id: string) => Registry.Registered | undefined
  /**
   * Sets the addresses of the host, and how venues get ports, until the scope is closed. Reopens the ports of existing
   * venues.
   */
  readonly servedAt: (addresses: Models.Addresses, openPort: OpenPort) => Effect.Effect<void, never, Scope.Scope>
}>()("effect-txc/sandbox/Host") {}
