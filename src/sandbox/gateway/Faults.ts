/**
 * Faults determine which calls and streams go wrong, and how. Only the sandbox's owner adds faults: no special value
 * in a request triggers one.
 *
 * @example
 * ```ts
 * import { Control, Faults } from "effect-txc/sandbox"
 *
 * // The next stop-limit order is placed, but its response is lost.
 * const loseAnswer = Control.Control.use((control) =>
 *   control.addFault({ path: "/api/v4/order/stop_limit", symptom: Faults.answerLost })
 * )
 *
 * // A tenth of all order book updates are lost.
 * const loseChanges = Control.Control.use((control) =>
 *   control.addFault({ channel: "depth", times: 1_000_000, probability: 0.1, symptom: { _tag: "Lose" } })
 * )
 * ```
 */

import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { all } from "../../channels/all.ts"
import * as Paths from "../../protocol/Paths.ts"
import * as Times from "../engine/Times.ts"
import { type Point, points, selectors, StreamSymptom, type SymptomsAt } from "./StreamSymptom.ts"

export {
  type Cut,
  type Duplicate,
  type Garble,
  type HoldBack,
  type IgnorePing,
  type Lose,
  type RefuseConnection,
  type RefuseToken,
  type Stale,
  type Stall,
  StreamSymptom,
  type Throttle
} from "./StreamSymptom.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** The refusals that a fault can imitate: rate limits, invalid nonces, invalid keys, and an outage. */
const Excuse = Schema.Literals(["rateLimited", "nonceUsed", "nonceOutsideWindow", "unauthorized", "unavailable"])

/**
 * The call gets this response instead of the exchange's.
 *
 * @category models
 */
export interface Answer {
  readonly _tag: "Answer"
  /** Whether the call is applied first. */
  readonly applied: boolean
  /** The HTTP status, from 200 to 599. */
  readonly status: number
  /** The response headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The response body. */
  readonly body: string
}

/**
 * The call gets HTTP 502 with the HTML page of a proxy that can't reach the exchange.
 *
 * @category models
 */
export interface BadGateway {
  readonly _tag: "BadGateway"
  /** Whether the call is applied first. */
  readonly applied: boolean
}

/**
 * The exchange refuses the call. The call is not applied.
 *
 * @category models
 */
export interface Refuse {
  readonly _tag: "Refuse"
  /** The reason that the exchange gives: a rate limit, an invalid nonce, an invalid key, or an outage. */
  readonly kind: typeof Excuse.Type
}

/**
 * The connection is reset. If the call was applied, its response is lost.
 *
 * @category models
 */
export interface Reset {
  readonly _tag: "Reset"
  /** Whether the call is applied first. */
  readonly applied: boolean
}

/**
 * The call is applied immediately, but its response is delayed.
 *
 * @category models
 */
export interface Delay {
  readonly _tag: "Delay"
  /** The delay of the response, in milliseconds; 0 or more. */
  readonly millis: number
}

/**
 * The call arrives late: it is applied after a delay, and the response follows.
 *
 * @category models
 */
export interface Late {
  readonly _tag: "Late"
  /** The delay of the call, in milliseconds; 0 or more. */
  readonly millis: number
}

/**
 * The call is applied, and the connection is reset while the response body is being sent.
 *
 * @category models
 */
export interface Truncate {
  readonly _tag: "Truncate"
  /** The number of body bytes after which the connection is reset; 0 or more. */
  readonly bytes: number
}

/**
 * The call is applied, and its response is cut off in the middle of the JSON, but otherwise looks complete.
 *
 * @category models
 */
export interface Malformed {
  readonly _tag: "Malformed"
}

/**
 * The call is applied, but its response has a form that no client knows, as after a change to the exchange's API: it
 * contains only order ids.
 *
 * @category models
 */
export interface Unreadable {
  readonly _tag: "Unreadable"
}

/**
 * The call is applied, and its response arrives slowly.
 *
 * @category models
 */
export interface Slow {
  readonly _tag: "Slow"
  /** The speed of the response, in bytes per second; 1 or more. */
  readonly bytesPerSecond: number
}

/**
 * How a call goes wrong. `applied` determines whether the call is applied first.
 *
 * @category models
 */
export type Symptom = Answer | BadGateway | Refuse | Reset | Delay | Late | Truncate | Malformed | Unreadable | Slow

/**
 * The schema of {@link Symptom}.
 *
 * @category schemas
 */
export const Symptom: Schema.Codec<Symptom, unknown> = Schema.TaggedUnion({
  Answer: {
    applied: Schema.Boolean,
    status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String
  },
  BadGateway: { applied: Schema.Boolean },
  Refuse: { kind: Excuse },
  Reset: { applied: Schema.Boolean },
  Delay: { millis: Times.Millis },
  Late: { millis: Times.Millis },
  Truncate: { bytes: Count },
  Malformed: {},
  Unreadable: {},
  Slow: { bytesPerSecond: Positive }
})

/**
 * A fault: which calls or streams go wrong, how often, and how. Random choices depend on the venue's seed.
 *
 * @category models
 */
export interface Fault {
  /** The path of the calls that go wrong; every path if absent. Applies only to call symptoms. */
  readonly path?: string
  /**
   * The API key of the calls that go wrong; if absent, calls with any key and calls without a key. Applies only to call
   * symptoms.
   */
  readonly apiKey?: string
  /**
   * The wire name of the channel whose messages go wrong, such as `depth`; every channel if absent. Applies only to
   * symptoms of messages and snapshots.
   */
  readonly channel?: string
  /**
   * The account of the connections that go wrong; if absent, connections with any account and connections without an
   * account. Applies only to stream symptoms, except `RefuseConnection`, because a client connects before it sends its
   * token.
   */
  readonly account?: string
  /**
   * The number of matching calls, messages, pings, tokens or connections that are left alone before the first one goes
   * wrong; 0 by default.
   */
  readonly skip?: number
  /** The number of calls, messages, pings, tokens or connections that go wrong; 1 by default. */
  readonly times?: number
  /** The probability that a matching call, message, ping, token or connection goes wrong, from 0 to 1; 1 by default. */
  readonly probability?: number
  /** How the calls or streams go wrong. */
  readonly symptom: Symptom | StreamSymptom
}

const isOfStream = (symptom: Symptom | StreamSymptom): symptom is StreamSymptom => Object.hasOwn(points, symptom._tag)

/** The fault fields that select the calls or streams to affect. */
const selecting = ["path", "apiKey", "channel", "account"] as const

type Selector = (typeof selecting)[number]

const selectorsOf = (symptom: Symptom | StreamSymptom): ReadonlyArray<Selector> =>
  isOfStream(symptom) ? selectors[points[symptom._tag]] : ["path", "apiKey"]

/** The reason why a fault could never match; `undefined` if the fault can match. */
const misfit = (fault: Fault): string | undefined => {
  const { symptom } = fault
  const known = selectorsOf(symptom)
  const other = selecting.find((name) => fault[name] !== undefined && !known.includes(name))
  return other === undefined
    ? undefined
    : `"${other}" does not apply to ${symptom._tag}. ${
      known.length === 0 ? "That symptom hits any new connection" : `Use ${known.join(" or ")} instead`
    }`
}

/**
 * The schema of {@link Fault}.
 *
 * @category schemas
 */
export const Fault: Schema.Codec<Fault, unknown> = Schema.Struct({
  path: Schema.optionalKey(Schema.String),
  apiKey: Schema.optionalKey(Schema.String),
  channel: Schema.optionalKey(Schema.Literals(all.map(({ wire }) => wire))),
  account: Schema.optionalKey(Schema.String),
  skip: Schema.optionalKey(Count),
  times: Schema.optionalKey(Count),
  probability: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  symptom: Schema.Union([Symptom, StreamSymptom])
}).check(Schema.makeFilter(misfit))

/** A proxy responds with HTTP 502 because it can't reach the exchange. The call is not applied. */
export const badGateway: Symptom = { _tag: "BadGateway", applied: false }

/** The call is applied, but its response never arrives. */
export const answerLost: Symptom = { _tag: "Reset", applied: true }

/** The connection is reset before the call is applied. */
export const reset: Symptom = { _tag: "Reset", applied: false }

/**
 * An active fault, with its counts.
 *
 * @category models
 */
export interface Armed {
  /** The fault's number, as returned by `add`. */
  readonly id: number
  /** The fault itself: which calls or streams go wrong, and how. */
  readonly fault: Fault
  /** The number of calls, messages, pings, tokens or connections that have matched the fault. */
  readonly matched: number
  /** The number of matching calls, messages, pings, tokens or connections that went wrong. */
  readonly fired: number
}

/**
 * The schema of {@link Armed}.
 *
 * @category schemas
 */
export const Armed: Schema.Codec<Armed, unknown> = Schema.Struct({
  id: Schema.Int,
  fault: Fault,
  matched: Schema.Int,
  fired: Schema.Int
})

/**
 * The fault that hits a call.
 *
 * @category models
 */
export interface Fired {
  /** The fault's number. */
  readonly id: number
  /** How the call goes wrong. */
  readonly symptom: Symptom
}

/**
 * The active faults, oldest first. They are not in the journal, so a reopened venue has none, unless it saved them when
 * it fell asleep.
 *
 * @category models
 */
export interface Faults {
  /** Adds a fault, and returns its number. */
  readonly add: (fault: Fault) => number
  /** Removes a fault by its number; `false` if no fault has this number. */
  readonly remove: (id: number) => boolean
  /** Removes all faults. */
  readonly clear: () => void
  /** All active faults, with the number of times that each has matched and fired. */
  readonly list: () => ReadonlyArray<Armed>
  /**
   * Counts a call, and returns the fault that hits the call, if any. That is the first fault that matches and fires.
   */
  readonly next: (path: string, apiKey: string | undefined) => Fired | undefined
  /**
   * Counts a connection, token, ping or message of a stream, and returns the symptom of the first fault that matches it
   * and fires, if any.
   */
  readonly hit: <P extends Point>(at: ReadonlyArray<P>, about: About) => SymptomsAt[P] | undefined
  /** The id of the first fault with this symptom that can still fire; `undefined` if there is no such fault. */
  readonly armed: (tag: StreamSymptom["_tag"]) => number | undefined
  /** The faults and their counts, as plain data. */
  readonly saved: () => Saved
}

/**
 * The connection that a fault might hit; if the fault might hit a message, also the message's channel.
 *
 * @category models
 */
export interface About {
  /** The account of the connection; `undefined` before the connection is authorized. */
  readonly account: string | undefined
  /** The wire name of the message's channel; absent if the event is not a message. */
  readonly channel?: string
}

/**
 * A venue's faults as plain data.
 *
 * @category models
 */
export interface Saved {
  /** The active faults, oldest first. */
  readonly faults: ReadonlyArray<Armed>
  /** The number of the fault that was added last. */
  readonly last: number
}

/** A fault, with the number of times that it has matched and fired. */
interface Counted extends Armed {
  matched: number
  fired: number
}

/**
 * Whether a fault's field, such as `path`, matches this value of a call or a stream. A path may have placeholders, such
 * as `{market}`.
 */
const selects = (name: Selector, value: string, about: string | undefined): boolean =>
  value === about || (name === "path" && about !== undefined && Paths.match({ path: value }, about) !== undefined)

/** A pseudo-random number in [0, 1) that depends only on the seed, the fault and how often it has matched. */
const chance = (seed: number, id: number, matched: number): number =>
  createHash("sha256").update(`${seed} ${id} ${matched}`).digest().readUIntBE(0, 6) / 2 ** 48

/**
 * Creates the `Faults` for a venue: with the saved faults, or with none. Random choices depend on `seed`.
 *
 * @category constructors
 */
export const make = (seed: number, saved: Saved = { faults: [], last: 0 }): Faults => {
  let faults: Array<Counted> = saved.faults.map(({ fault, fired, id, matched }) => ({ id, fault, matched, fired }))
  let { last } = saved

  /** Counts a call or an event of a stream, and returns the first fault that matches the call or event and fires. */
  const fire = (
    isOfKind: (symptom: Symptom | StreamSymptom) => boolean,
    about: { readonly [Name in Selector]?: string | undefined }
  ): Counted | undefined => {
    for (const entry of faults) {
      const { fault, id } = entry
      if (!isOfKind(fault.symptom)) continue
      if (selecting.some((name) => fault[name] !== undefined && !selects(name, fault[name], about[name]))) continue
      const { probability = 1, skip = 0, times = 1 } = fault
      entry.matched++
      if (entry.matched <= skip || entry.fired >= times || chance(seed, id, entry.matched) >= probability) continue
      entry.fired++
      return entry
    }
    return undefined
  }

  return {
    add: (fault) => {
      faults.push({ id: ++last, fault, matched: 0, fired: 0 })
      return last
    },
    remove: (id) => {
      const before = faults.length
      faults = faults.filter((entry) => entry.id !== id)
      return faults.length < before
    },
    clear: () => {
      faults = []
    },
    list: () => faults.map((entry) => ({ ...entry })),
    saved: () => ({ faults, last }),
    next: (path, apiKey) => {
      if (faults.length === 0) return undefined
      const fired = fire((symptom) => !isOfStream(symptom), { path, apiKey })
      // The cast is safe: only call symptoms were considered.
      return fired && { id: fired.id, symptom: fired.fault.symptom as Symptom }
    },
    hit: (at, about) => {
      if (faults.length === 0) return undefined
      const isAt = (symptom: Symptom | StreamSymptom) =>
        isOfStream(symptom) && (at as ReadonlyArray<Point>).includes(points[symptom._tag])
      // The cast is safe: only the symptoms that can hit at these points were considered.
      return fire(isAt, { ...about })?.fault.symptom as never
    },
    armed: (tag) => faults.find(({ fault, fired }) => fault.symptom._tag === tag && fired < (fault.times ?? 1))?.id
  }
}
