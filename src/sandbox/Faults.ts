/**
 * Faults as data: which calls something goes wrong with, and what. Nothing in a request's own values ever selects one.
 *
 * @since 0.1.0
 */

import * as Schema from "effect/Schema"

/**
 * What goes wrong:
 *
 * - `Answer`: another answer is given. `applied` says whether the call is carried out first.
 * - `Reset`: the connection is reset. `applied` says whether the call is carried out first; if so, it is applied and its
 *   answer is lost.
 * - `Delay`: the call is carried out, and answered so many milliseconds later.
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
  Reset: { applied: Schema.Boolean },
  Delay: { millis: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)) }
})
/** @category models */
export type Symptom = typeof Symptom.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Which calls: of a path, of a key, or all; the first `skip` of them pass, the next `times` go wrong.
 *
 * @category models
 * @since 0.1.0
 */
export const Fault = Schema.Struct({
  path: Schema.optionalKey(Schema.String),
  apiKey: Schema.optionalKey(Schema.String),
  skip: Schema.optionalKey(Count),
  times: Schema.optionalKey(Count),
  symptom: Symptom
})
/** @category models */
export type Fault = typeof Fault.Type

/** The answer of a proxy whose exchange is down. */
export const badGateway: Symptom = {
  _tag: "Answer",
  applied: false,
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
}

/** The call is applied, but its answer never arrives. */
export const answerLost: Symptom = { _tag: "Reset", applied: true }

/** The connection is reset before the call is applied. */
export const reset: Symptom = { _tag: "Reset", applied: false }

/**
 * The faults in force.
 *
 * @category models
 * @since 0.1.0
 */
export interface Faults {
  readonly add: (fault: Fault) => void
  readonly clear: () => void
  /** What goes wrong with this call, if anything: the first fault that matches. */
  readonly next: (path: string, apiKey: string | undefined) => Symptom | undefined
}

/** @category constructors */
export const make = (): Faults => {
  let faults: Array<{ readonly fault: Fault; seen: number }> = []
  return {
    add: (fault) => {
      faults.push({ fault, seen: 0 })
    },
    clear: () => {
      faults = []
    },
    next: (path, apiKey) => {
      for (const entry of faults) {
        const { skip = 0, times = 1 } = entry.fault
        if (entry.fault.path !== undefined && entry.fault.path !== path) continue
        if (entry.fault.apiKey !== undefined && entry.fault.apiKey !== apiKey) continue
        entry.seen++
        if (entry.seen > skip && entry.seen <= skip + times) return entry.fault.symptom
      }
      return undefined
    }
  }
}
