/** What a host is, whoever holds its venues. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalError } from "../store/JournalError.ts"
import type * as HostBounds from "./HostBounds.ts"
import type * as Models from "./HostModels.ts"
import type { Placement } from "./Placement.ts"
import type * as Registry from "./Registry.ts"

/** How to open a host, wherever its venues are kept. */
export interface HostOptions extends HostBounds.BoundOptions {
  /** The token of the host's control plane; without one the one that it had before, or a new one. */
  readonly token?: string
  /** How long a venue is awake after it was last needed, in milliseconds; 60000 by default. */
  readonly idleMillis?: number
  /** How long venues live that are made without a time to live, in milliseconds; for ever by default. */
  readonly timeToLiveMillis?: number
}

/** What making a venue can fail with. */
export type Failure = HostBounds.BoundReached | Models.NotMade | JournalError

/** Opens a port for a venue as long as the scope lives, and gives its number. 0 asks for any free one. */
export type OpenPort = (id: string, port: number) => Effect.Effect<number, Models.NotMade, Scope.Scope>

/** Many venues in one process. */
export class Host extends Context.Service<Host, {
  /** The token of the host's control plane. */
  readonly token: string
  /** Makes a venue. It is there, durably, when this succeeds; its journal is written at its first call. */
  readonly make: (options?: Models.MakeOptions) => Effect.Effect<Models.Made, Failure>
  /** The venues of an owner, or all, in the order in which they were made. */
  readonly list: (owner?: string) => Effect.Effect<ReadonlyArray<Models.Summary>, JournalError>
  /** A venue by its id, with its token and its keys. */
  readonly find: (id: string) => Effect.Effect<Models.Made, Models.UnknownVenue | JournalError>
  /**
   * Copies a venue: a new one, with the history of the other, and with a token and keys of its own. Faults, limits and forks
   * are not copied.
   */
  readonly copy: (
    id: string,
    options?: Models.CopyOptions
  ) => Effect.Effect<Models.Made, Failure | Models.UnknownVenue>
  /** Lets a venue fall asleep now; `false` when it is needed, or sleeps already. */
  readonly sleep: (id: string) => Effect.Effect<boolean, Models.UnknownVenue | JournalError>
  /** Ends a venue, and removes its files. Calls in progress have five seconds. */
  readonly end: (id: string) => Effect.Effect<void, Models.UnknownVenue | JournalError>
  /** How much the host holds. */
  readonly status: Effect.Effect<Models.HostStatus, JournalError>
  /** Where the venues are. */
  readonly placement: Placement["Service"]
  /** What is known of a venue while it sleeps; `undefined` when there is none. */
  readonly registered: (id: string) => Registry.Registered | undefined
  /**
   * Says where the host is reached as long as the scope lives, and how a venue gets a port of its own. Ports of venues are
   * opened again.
   */
  readonly servedAt: (addresses: Models.Addresses, openPort: OpenPort) => Effect.Effect<void, never, Scope.Scope>
}>()("effect-txc/sandbox/Host") {}
