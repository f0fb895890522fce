/**
 * Faults as data: which calls something goes wrong with, and what. Nothing in a request's own values ever selects one.
 *
 * @since 0.1.0
 */

import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** What a call can be refused with as if the exchange had a reason: a rate limit, a nonce, being down. */
const Excuse = Schema.Literals(["rateLimited", "nonceUsed", "nonceOutsideWindow", "unauthorized", "unavailable"])

/**
 * What goes wrong. `applied` says whether the call is carried out first.
 *
 * - `Answer`: another answer is given
 * - `BadGateway`: the HTML of a proxy whose exchange is down, HTTP 502
 * - `Refuse`: the exchange's own refusal; the call is not carried out
 * - `Reset`: the connection is reset; a call that was applied has lost its answer
 * - `Delay`: the call is carried out, and answered so many milliseconds later
 * - `Late`: the call arrives so many milliseconds later, is carried out then, and answered
 * - `Truncate`: the connection is reset after so many bytes of the answer
 * - `Malformed`: the answer is cut in the middle of its JSON, and ends there as if that were all
 * - `Slow`: the answer arrives at so many bytes a second
 *
 * @category models
 * @since 0.1.0
 */
export const Symptom = Schema.TaggedUnion({
  Answer: {
    applied: Schema.Boolean,
    status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String
  },
  BadGateway: { applied: Schema.Boolean },
  Refuse: { kind: Excuse },
  Reset: { applied: Schema.Boolean },
  Delay: { millis: Count },
  Late: { millis: Count },
  Truncate: { bytes: Count },
  Malformed: {},
  Slow: { bytesPerSecond: Positive }
})
/** @category models */
export type Symptom = typeof Symptom.Type

/**
 * Which calls: of a path, of a key, or all; the first `skip` of them pass, and of the others so many go wrong as `times`
 * says (once, unless said otherwise), each with this `probability` (always, unless said otherwise). The chance comes from
 * the venue's seed.
 *
 * @category models
 * @since 0.1.0
 */
export const Fault = Schema.Struct({
  path: Schema.optionalKey(Schema.String),
  apiKey: Schema.optionalKey(Schema.String),
  skip: Schema.optionalKey(Count),
  times: Schema.optionalKey(Count),
  probability: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  symptom: Symptom
})
/** @category models */
export type Fault = typeof Fault.Type

/** The answer of a proxy whose exchange is down. */
export const badGateway: Symptom = { _tag: "BadGateway", applied: false }

/** The call is applied, but its answer never arrives. */
export const answerLost: Symptom = { _tag: "Reset", applied: true }

/** The connection is reset before the call is applied. */
export const reset: Symptom = { _tag: "Reset", applied: false }

/**
 * A fault in force: `matched` calls of those that it is for, `fired` for so many of them.
 *
 * @category models
 * @since 0.1.0
 */
export const Armed = Schema.Struct({ id: Schema.Int, fault: Fault, matched: Schema.Int, fired: Schema.Int })
/** @category models */
export type Armed = typeof Armed.Type

/**
 * The faults in force, the oldest first. They are not part of the journal: a venue that is opened again has none.
 *
 * - `add`: gives the fault's number
 * - `next`: what goes wrong with this call, if anything: the first fault that matches and has its turn
 *
 * @category models
 * @since 0.1.0
 */
export interface Faults {
  readonly add: (fault: Fault) => number
  readonly remove: (id: number) => boolean
  readonly clear: () => void
  readonly list: () => ReadonlyArray<Armed>
  readonly next: (
    path: string,
    apiKey: string | undefined
  ) => { readonly id: number; readonly symptom: Symptom } | undefined
}

/** A number from 0 to below 1 that depends on nothing but the seed, the fault and how often it has matched. */
const chance = (seed: number, id: number, matched: number): number =>
  createHash("sha256").update(`${seed} ${id} ${matched}`).digest().readUIntBE(0, 6) / 2 ** 48

/** @category constructors */
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
