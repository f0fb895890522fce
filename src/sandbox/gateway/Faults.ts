/**
 * Faults as data: which calls go wrong, and how. Nothing in a request's own values ever selects a fault.
 *
 * @example
 * ```ts
 * import { Control, Faults } from "effect-txc/sandbox"
 *
 * // The next stop-limit order is placed, but its answer is lost.
 * const loseAnswer = Control.Control.use((control) =>
 *   control.addFault({ path: "/api/v4/order/stop_limit", symptom: Faults.answerLost })
 * )
 * ```
 *
 * @since 0.1.0
 */

import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** The refusals that a fault can give as if the exchange had a reason: a rate limit, a nonce, an outage. */
const Excuse = Schema.Literals(["rateLimited", "nonceUsed", "nonceOutsideWindow", "unauthorized", "unavailable"])

/**
 * How a call goes wrong. `applied` says whether the call is applied first.
 *
 * @category models
 * @since 0.1.0
 */
export const Symptom = Schema.TaggedUnion({
  /** The call gets this answer instead of its own. */
  Answer: {
    applied: Schema.Boolean,
    status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String
  },
  /** The call gets HTTP 502 with the HTML of a proxy whose exchange is down. */
  BadGateway: { applied: Schema.Boolean },
  /** The exchange refuses the call. The call is not applied. */
  Refuse: { kind: Excuse },
  /** The connection is reset. When the call was applied, its answer is lost. */
  Reset: { applied: Schema.Boolean },
  /** The call is applied at once, and answered this many milliseconds later. */
  Delay: { millis: Count },
  /** The call arrives this many milliseconds later, and is applied and answered then. */
  Late: { millis: Count },
  /** The call is applied, and the connection is reset after this many bytes of the answer's body. */
  Truncate: { bytes: Count },
  /** The call is applied, and its answer ends in the middle of the JSON as if that were all. */
  Malformed: {},
  /** The call is applied, and its answer arrives at this many bytes a second. */
  Slow: { bytesPerSecond: Positive }
})
/** @category models */
export type Symptom = typeof Symptom.Type

/**
 * A fault: which calls go wrong, how often, and how. The venue's seed decides the chances.
 *
 * @category models
 * @since 0.1.0
 */
export const Fault = Schema.Struct({
  /** Only calls of this path; of every path when absent. */
  path: Schema.optionalKey(Schema.String),
  /** Only calls with this API key; with any key, or none, when absent. */
  apiKey: Schema.optionalKey(Schema.String),
  /** How many matching calls pass first; 0 by default. */
  skip: Schema.optionalKey(Count),
  /** How many calls go wrong; 1 by default. */
  times: Schema.optionalKey(Count),
  /** The chance of each call to go wrong, from 0 to 1; 1 by default. */
  probability: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  /** How they go wrong. */
  symptom: Symptom
})
/** @category models */
export type Fault = typeof Fault.Type

/** A proxy answers HTTP 502 because its exchange is down. The call is not applied. */
export const badGateway: Symptom = { _tag: "BadGateway", applied: false }

/** The call is applied, but its answer never arrives. */
export const answerLost: Symptom = { _tag: "Reset", applied: true }

/** The connection is reset before the call is applied. */
export const reset: Symptom = { _tag: "Reset", applied: false }

/**
 * A fault in force.
 *
 * @category models
 * @since 0.1.0
 */
export const Armed = Schema.Struct({
  /** The fault's number, from `add`. */
  id: Schema.Int,
  /** The fault. */
  fault: Fault,
  /** How many calls have matched it. */
  matched: Schema.Int,
  /** How many of these went wrong. */
  fired: Schema.Int
})
/** @category models */
export type Armed = typeof Armed.Type

/**
 * The fault that hits a call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fired {
  /** The fault's number. */
  readonly id: number
  /** How the call goes wrong. */
  readonly symptom: Symptom
}

/**
 * The faults in force, the oldest first. The journal does not hold them: a venue that is reopened has none.
 *
 * @category models
 * @since 0.1.0
 */
export interface Faults {
  /** Adds a fault, and gives its number. */
  readonly add: (fault: Fault) => number
  /** Removes a fault by its number; `false` when there is none of this number. */
  readonly remove: (id: number) => boolean
  /** Removes all faults. */
  readonly clear: () => void
  /** All faults in force, with how often each has matched and fired. */
  readonly list: () => ReadonlyArray<Armed>
  /** The fault that hits the next call: the first that matches it and whose turn it is. Counts the call. */
  readonly next: (path: string, apiKey: string | undefined) => Fired | undefined
}

/** A number from 0 to below 1 that depends only on the seed, the fault and how often it has matched. */
const chance = (seed: number, id: number, matched: number): number =>
  createHash("sha256").update(`${seed} ${id} ${matched}`).digest().readUIntBE(0, 6) / 2 ** 48

/**
 * The faults of a new venue: none. `seed` decides the chances.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (seed: number): Faults => {
  let faults: Array<{ readonly id: number; readonly fault: Fault; matched: number; fired: number }> = []
  let last = 0
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
    next: (path, apiKey) => {
      for (const entry of faults) {
        const { fault, id } = entry
        const { probability = 1, skip = 0, times = 1 } = fault
        if (fault.path !== undefined && fault.path !== path) continue
        if (fault.apiKey !== undefined && fault.apiKey !== apiKey) continue
        entry.matched++
        if (entry.matched <= skip || entry.fired >= times || chance(seed, id, entry.matched) >= probability) continue
        entry.fired++
        return { id, symptom: fault.symptom }
      }
      return undefined
    }
  }
}
