/**
 * Faults: which calls go wrong, and how. A value in a request never triggers a fault.
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
 */

import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as Times from "../engine/Times.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** The refusals that a fault can imitate: a rate limit, a nonce, a key, an outage. */
const Excuse = Schema.Literals(["rateLimited", "nonceUsed", "nonceOutsideWindow", "unauthorized", "unavailable"])

/**
 * The call gets this answer instead of the exchange's.
 *
 * @category models
 */
export interface Answer {
  readonly _tag: "Answer"
  /** Whether the call is applied first. */
  readonly applied: boolean
  /** The HTTP status, from 200 to 599. */
  readonly status: number
  /** The headers of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /** The body of the answer. */
  readonly body: string
}

/**
 * The call gets HTTP 502 with the HTML of a proxy that can't reach the exchange.
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
  /** The reason that the exchange gives: a rate limit, a nonce, the key, or an outage. */
  readonly kind: typeof Excuse.Type
}

/**
 * The connection is reset. If the call was applied, its answer is lost.
 *
 * @category models
 */
export interface Reset {
  readonly _tag: "Reset"
  /** Whether the call is applied first. */
  readonly applied: boolean
}

/**
 * The call is applied at once, and answered later.
 *
 * @category models
 */
export interface Delay {
  readonly _tag: "Delay"
  /** The delay of the answer, in milliseconds; 0 or more. */
  readonly millis: number
}

/**
 * The call arrives later, and is applied and answered then.
 *
 * @category models
 */
export interface Late {
  readonly _tag: "Late"
  /** The delay of the call, in milliseconds; 0 or more. */
  readonly millis: number
}

/**
 * The call is applied, and the connection is reset while the body of the answer is sent.
 *
 * @category models
 */
export interface Truncate {
  readonly _tag: "Truncate"
  /** The number of bytes of the body after which the connection is reset; 0 or more. */
  readonly bytes: number
}

/**
 * The call is applied, and its answer is cut off in the middle of the JSON as if it were complete.
 *
 * @category models
 */
export interface Malformed {
  readonly _tag: "Malformed"
}

/**
 * The call is applied, and its answer arrives slowly.
 *
 * @category models
 */
export interface Slow {
  readonly _tag: "Slow"
  /** The speed of the answer, in bytes per second; 1 or more. */
  readonly bytesPerSecond: number
}

/**
 * How a call goes wrong. `applied` says whether the call is applied first.
 *
 * @category models
 */
export type Symptom = Answer | BadGateway | Refuse | Reset | Delay | Late | Truncate | Malformed | Slow

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
  Slow: { bytesPerSecond: Positive }
})

/**
 * A fault: which calls go wrong, how often, and how. Random choices depend on the venue's seed.
 *
 * @category models
 */
export interface Fault {
  /** The path of the calls that go wrong; every path if absent. */
  readonly path?: string
  /** The API key of the calls that go wrong; if absent, any key or none. */
  readonly apiKey?: string
  /** The number of matching calls that pass before any goes wrong; 0 by default. */
  readonly skip?: number
  /** The number of calls that go wrong; 1 by default. */
  readonly times?: number
  /** The probability that a matching call goes wrong, from 0 to 1; 1 by default. */
  readonly probability?: number
  /** How the calls go wrong. */
  readonly symptom: Symptom
}

/**
 * The schema of {@link Fault}.
 *
 * @category schemas
 */
export const Fault: Schema.Codec<Fault, unknown> = Schema.Struct({
  path: Schema.optionalKey(Schema.String),
  apiKey: Schema.optionalKey(Schema.String),
  skip: Schema.optionalKey(Count),
  times: Schema.optionalKey(Count),
  probability: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  symptom: Symptom
})

/** A proxy answers HTTP 502 because it can't reach the exchange. The call is not applied. */
export const badGateway: Symptom = { _tag: "BadGateway", applied: false }

/** The call is applied, but its answer never arrives. */
export const answerLost: Symptom = { _tag: "Reset", applied: true }

/** The connection is reset before the call is applied. */
export const reset: Symptom = { _tag: "Reset", applied: false }

/**
 * An active fault.
 *
 * @category models
 */
export interface Armed {
  /** The number of the fault, as returned by `add`. */
  readonly id: number
  /** The fault itself: which calls go wrong, and how. */
  readonly fault: Fault
  /** The number of calls that have matched the fault. */
  readonly matched: number
  /** The number of these calls that went wrong. */
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
  /** The number of the fault. */
  readonly id: number
  /** How the call goes wrong. */
  readonly symptom: Symptom
}

/**
 * The active faults, oldest first. They are not in the journal: a reopened venue has none.
 *
 * @category models
 */
export interface Faults {
  /** Adds a fault, and returns its number. */
  readonly add: (fault: Fault) => number
  /** Removes a fault by its number; `false` when no fault has this number. */
  readonly remove: (id: number) => boolean
  /** Removes all faults. */
  readonly clear: () => void
  /** All active faults, with the number of times that each has matched and fired. */
  readonly list: () => ReadonlyArray<Armed>
  /** Counts a call, and returns the fault that hits it, if any: the first one that matches and fires. */
  readonly next: (path: string, apiKey: string | undefined) => Fired | undefined
  /** The faults and their counts, as plain data. */
  readonly saved: () => Saved
}

/**
 * The faults of a venue as plain data.
 *
 * @category models
 */
export interface Saved {
  /** The active faults, oldest first. */
  readonly faults: ReadonlyArray<Armed>
  /** The latest number given to a fault. */
  readonly last: number
}

/** A pseudo-random number in [0, 1) that depends only on the seed, the fault and how often it has matched. */
const chance = (seed: number, id: number, matched: number): number =>
  createHash("sha256").update(`${seed} ${id} ${matched}`).digest().readUIntBE(0, 6) / 2 ** 48

/**
 * Creates the faults of a venue: none, or the saved ones. Random choices depend on `seed`.
 *
 * @category constructors
 */
export const make = (seed: number, saved: Saved = { faults: [], last: 0 }): Faults => {
  let faults: Array<{ readonly id: number; readonly fault: Fault; matched: number; fired: number }> = saved.faults
    .map(({ fault, fired, id, matched }) => ({ id, fault, matched, fired }))
  let { last } = saved
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
