/**
 * Handles requests that get no complete response: the connection failed, or the response was cut short or took too
 * long. The target may have executed such a request. Only an idempotent request is sent again automatically; after
 * any other request, the rule evaluates its value again from the beginning. As a result, a failed connection by
 * itself never breaks a rule.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Target from "../Target.ts"

/** The number of requests of a check, how many of them got no response, and the calls that the target serves. */
export interface Traffic {
  requests: number
  unanswered: number
  /** The methods and paths of calls that have succeeded, or that were refused because of their content. */
  readonly served: Set<string>
}

/** Creates the state for a check that has sent nothing. */
export const none = (): Traffic => ({ requests: 0, unanswered: 0, served: new Set() })

/**
 * Whether a response with this status proves that the target serves the call. Any other response may come from a
 * gateway.
 */
const isOfServed = (status: number): boolean => (status >= 200 && status < 300) || [400, 403, 409, 422].includes(status)

/** The maximum number of attempts at a call or a value check: enough even if one attempt in twenty gets no response. */
const maxTries = 8

/** The time after a call's first failure during which the call is retried, in milliseconds. */
const patience = 5000

/** The time after a value check's first failure during which the check is retried, in milliseconds. */
export const patienceOfValue = 20_000

/** The waits between attempts: from 50 to 400 milliseconds, so that later attempts reach a restarted target. */
const waits = Schedule.min([Schedule.exponential(50), Schedule.spaced(400)])

/** Counts the requests, and records the calls that are served. An error names the request that got no response. */
export const counted = (send: Target.Target["send"], traffic: Traffic): Target.Target["send"] => (request) =>
  Effect.suspend(() => {
    traffic.requests++
    const call = `${request.method} ${request.path}`
    const noted = Effect.tap(send(request), ({ status }) =>
      Effect.sync(() => {
        if (isOfServed(status)) traffic.served.add(call)
      }))
    return Effect.mapError(noted, ({ reason }) => {
      traffic.unanswered++
      return new Target.TargetError({ reason, unanswered: call })
    })
  })

/** Whether a request got no response, so that its effect is unknown. */
export const isUnanswered = (error: { readonly _tag: string }): error is Target.TargetError =>
  error._tag === "TargetError" && "unanswered" in error && error.unanswered !== undefined

/** Retries an effect while a request in it gets no response. The effect must be safe to repeat. */
export const retry = <A, E extends { readonly _tag: string }>(
  effect: Effect.Effect<A, E>,
  duration = patience
): Effect.Effect<A, E> =>
  Effect.retry(effect, { while: isUnanswered, schedule: Schedule.upTo(waits, { times: maxTries - 1, duration }) })

/**
 * Like {@link retry}, but if no attempt gets a response, the target is considered unresponsive, and the value is not
 * checked again.
 */
export const read = <A, E extends { readonly _tag: string }>(
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E | Target.TargetError> =>
  Effect.mapError(
    retry(effect),
    (error) => isUnanswered(error) ? new Target.TargetError({ reason: error.reason }) : error
  )
