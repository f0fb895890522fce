/** The service that represents a host, in one process or in a cluster. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalError } from "../store/JournalError.ts"
import type * as HostBounds from "./HostBounds.ts"
import type * as Models from "./HostModels.ts"
import type { Placement } from "./Placement.ts"
import type * as Registry from "./Registry.ts"

/** The options that all hosts share. */
export interface HostOptions extends HostBounds.BoundOptions {
  /**
   * The token of the host's control plane. If it is absent, the host uses its previous token, or generates a random
   * token.
   */
  readonly token?: string
  /** The time that an idle venue stays awake, in milliseconds; 60000 by default. */
  readonly idleMillis?: number
  /** The default time to live for venues, in milliseconds; unlimited by default. */
  readonly timeToLiveMillis?: number
}

/** The errors with which creating a venue can fail. */
export type Failure = HostBounds.BoundReached | Models.NotMade | JournalError

/**
 * Opens a port for a venue until the scope is closed. Returns the port number. If the requested port is 0, any free
 * port is opened.
 */
export type OpenPort = (id: string, port: number) => Effect.Effect<number, Models.NotMade, Scope.Scope>

/** A host of many venues. */
export class Host extends Context.Service<Host, {
  /** The token of the host's control plane. */
  readonly token: string
  /**
   * Creates a venue. The venue's record is durable once this effect succeeds; its journal is written at the first call.
   */
  readonly make: (options?: Models.MakeOptions) => Effect.Effect<Models.Made, Failure>
  /** An owner's venues, or all venues, oldest first. */
  readonly list: (owner?: string) => Effect.Effect<ReadonlyArray<Models.Summary>, JournalError>
  /** A venue by its id, with its token and its keys. */
  readonly find: (id: string) => Effect.Effect<Models.Made, Models.UnknownVenue | JournalError>
  /**
   * Copies a venue: creates a new venue with the same history, but with its own token and keys. Faults, limits and
   * forks are not copied.
   */
  readonly copy: (
    id: string,
    options?: Models.CopyOptions
  ) => Effect.Effect<Models.Made, Failure | Models.UnknownVenue>
  /** Puts a venue to sleep now; `false` if the venue is in use or already asleep. */
  readonly sleep: (id: string) => Effect.Effect<boolean, Models.UnknownVenue | JournalError>
  /** Deletes a venue and its files. Calls in progress get five seconds to finish. */
  readonly end: (id: string) => Effect.Effect<void, Models.UnknownVenue | JournalError>
  /** The resources that the host currently uses, and its bounds. */
  readonly status: Effect.Effect<Models.HostStatus, JournalError>
  /**
   * Tells a cluster node to drain, that is, to stop as after SIGTERM. The node's venues move to other nodes. This
   * effect succeeds before the node has stopped.
   */
  readonly drain: (node: string) => Effect.Effect<void, Models.UnknownNode | JournalError>
  /** Completes when this node is told to drain. The program should then close the host. */
  readonly drained: Effect.Effect<void>
  /** Finds the process that has a venue of this host, and sends requests to that process. */
  readonly placement: Placement["Service"]
  /** A venue's record; `undefined` if there is no such venue. */
  readonly registered: (id: string) => Registry.Registered | undefined
  /**
   * Sets, until the scope is closed, the host's addresses and the function that opens ports for venues. Reopens the
   * ports of existing venues.
   */
  readonly servedAt: (addresses: Models.Addresses, openPort: OpenPort) => Effect.Effect<void, never, Scope.Scope>
}>()("effect-txc/sandbox/Host") {}
