/** A row of the tour: a call and its expected outcome. */
import * as Effect from "effect/Effect"
import type * as Contract from "../../endpoints/all.ts"
import type * as Errors from "../../protocol/Errors.ts"

/** A method of one of the contract's services. */
export type Method = `${Contract.Name}.${string}`

/** A call that succeeds only if its outcome is the one that the document requires. */
export interface Row<R> {
  /** The service and the method, such as `LimitOrders.create`. */
  readonly endpoint: Method
  /** The request, in a few words. */
  readonly request: string
  /** Makes the call. Succeeds with a short description of the outcome, or fails with a description of the deviation. */
  readonly run: Effect.Effect<string, string, R>
}

type Caught = Errors.CallError | Errors.PageCeilingReached | Errors.ListShifted

const describeError = (error: Caught): string =>
  "fields" in error
    ? Object.entries(error.fields).map(([field, messages]) => `${field}: ${messages?.join("; ")}`).join("; ")
    : "why" in error
    ? error.why
    : error.message

/**
 * Creates a row for a call that must succeed. `outcome` describes the response in a few words, or returns `undefined`
 * if the response is wrong.
 */
export const succeeds = <A, E extends Caught, R>(
  endpoint: Method,
  request: string,
  call: Effect.Effect<A, E, R>,
  outcome: (answer: A) => string | undefined
): Row<R> => ({
  endpoint,
  request,
  run: Effect.matchEffect(call, {
    onSuccess: (answer) => {
      const said = outcome(answer)
      return said === undefined ? Effect.fail("a response that deviates from the document") : Effect.succeed(said)
    },
    onFailure: (error) => Effect.fail(`${error._tag}: ${error.message}`)
  })
})

/** Creates a row for a call that must fail with this error tag. */
export const fails = <A, E extends Caught, R, const Tag extends E["_tag"]>(
  endpoint: Method,
  request: string,
  call: Effect.Effect<A, E, R>,
  tag: Tag
): Row<R> => ({
  endpoint,
  request,
  run: Effect.matchEffect(call, {
    onSuccess: () => Effect.fail(`succeeded, but must fail with ${tag}`),
    onFailure: (error) =>
      error._tag === tag
        ? Effect.succeed(
          `caught ${tag}${"origin" in error && error.origin === "local" ? " before sending" : ""} (${
            describeError(error)
          })`
        )
        : Effect.fail(`${error._tag} instead of ${tag}: ${error.message}`)
  })
})
