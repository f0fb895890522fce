/**
 * How a stream goes wrong: the connection, a message that is pushed over it, or the exchange's replies to pings and
 * tokens.
 */
import * as Schema from "effect/Schema"

/**
 * The exchange closes the connection instead of pushing a message. Earlier messages arrive, but this message does not.
 *
 * @category models
 */
export interface Cut {
  readonly _tag: "Cut"
  /**
   * Whether the exchange sends a close frame first (code 1001). Without one, the client sees code 1006, as when the
   * live exchange closes a connection.
   */
  readonly close: boolean
}

/**
 * Starting with the message that the fault hits, the client receives nothing: no message, no reply, no pong. The
 * connection stays open.
 *
 * @category models
 */
export interface Stall {
  readonly _tag: "Stall"
}

/**
 * The message is lost.
 *
 * @category models
 */
export interface Lose {
  readonly _tag: "Lose"
}

/**
 * The message arrives twice.
 *
 * @category models
 */
export interface Duplicate {
  readonly _tag: "Duplicate"
}

/**
 * The message arrives after the next message of its channel on this connection. If there is no next message, this
 * message does not arrive.
 *
 * @category models
 */
export interface HoldBack {
  readonly _tag: "HoldBack"
}

/**
 * The message is cut off in the middle of its JSON, but otherwise looks complete.
 *
 * @category models
 */
export interface Garble {
  readonly _tag: "Garble"
}

/**
 * The message arrives slowly, and delays the later messages behind it.
 *
 * @category models
 */
export interface Throttle {
  readonly _tag: "Throttle"
  /** The speed of the message, in bytes per second; 1 or more. */
  readonly bytesPerSecond: number
}

/**
 * A snapshot is stale: instead of the current snapshot, the client gets the first one of the same kind that was sent
 * to a connection of the same account after the fault was added. Snapshots are complete order books, a market's first
 * trades, lists of positions, and replies to channel queries. The fault matches only if there is such an earlier
 * snapshot.
 *
 * @category models
 */
export interface Stale {
  readonly _tag: "Stale"
}

/**
 * A ping gets no pong, whether it is a message or a control frame.
 *
 * @category models
 */
export interface IgnorePing {
  readonly _tag: "IgnorePing"
}

/**
 * The exchange refuses `authorize`, although the token is valid.
 *
 * @category models
 */
export interface RefuseToken {
  readonly _tag: "RefuseToken"
  /** `unauthorized`: code 11, a permanent refusal. `unavailable`: code 3, a refusal that might be temporary. */
  readonly kind: "unauthorized" | "unavailable"
}

/**
 * The exchange refuses a connection before it becomes a WebSocket.
 *
 * @category models
 */
export interface RefuseConnection {
  readonly _tag: "RefuseConnection"
  /** `rateLimited`: HTTP 429. `unavailable`: HTTP 503. */
  readonly kind: "rateLimited" | "unavailable"
}

/**
 * How a stream goes wrong.
 *
 * @category models
 */
export type StreamSymptom =
  | Cut
  | Stall
  | Lose
  | Duplicate
  | HoldBack
  | Garble
  | Throttle
  | Stale
  | IgnorePing
  | RefuseToken
  | RefuseConnection

const members = Schema.TaggedUnion({
  Cut: { close: Schema.Boolean },
  Stall: {},
  Lose: {},
  Duplicate: {},
  HoldBack: {},
  Garble: {},
  Throttle: { bytesPerSecond: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)) },
  Stale: {},
  IgnorePing: {},
  RefuseToken: { kind: Schema.Literals(["unauthorized", "unavailable"]) },
  RefuseConnection: { kind: Schema.Literals(["rateLimited", "unavailable"]) }
})

/**
 * The schema of {@link StreamSymptom}.
 *
 * @category schemas
 */
export const StreamSymptom: Schema.Codec<StreamSymptom, unknown> = members

/** The symptoms that can hit a stream at each point. */
export interface SymptomsAt {
  /** A client opens a connection. */
  readonly connect: RefuseConnection
  /** A client authorizes with a valid token. */
  readonly authorize: RefuseToken
  /** A client sends a ping, as a message or a control frame. */
  readonly ping: IgnorePing
  /** A channel pushes a message. */
  readonly message: Cut | Stall | Lose | Duplicate | HoldBack | Garble | Throttle
  /** A snapshot is sent, and an older one is known. */
  readonly snapshot: Stale
}

/** A point at which a fault can hit a stream. */
export type Point = keyof SymptomsAt

/** The point at which each symptom hits a stream. */
export const points: { readonly [Tag in StreamSymptom["_tag"]]: Point } = {
  Cut: "message",
  Stall: "message",
  Lose: "message",
  Duplicate: "message",
  HoldBack: "message",
  Garble: "message",
  Throttle: "message",
  Stale: "snapshot",
  IgnorePing: "ping",
  RefuseToken: "authorize",
  RefuseConnection: "connect"
}

/** The fault fields that select streams at each point. */
export const selectors: { readonly [P in Point]: ReadonlyArray<"account" | "channel"> } = {
  connect: [],
  authorize: ["account"],
  ping: ["account"],
  message: ["account", "channel"],
  snapshot: ["account", "channel"]
}
