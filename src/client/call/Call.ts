/**
 * Makes calls. The steps of a call are: check and encode the request, check it against its market's rules, wait for the
 * rate limit, make an attempt (nonce, bytes, signature, transport), and classify and decode the response.
 *
 * `LocalRefusal.ts` refuses invalid requests before sending, `Attempt.ts` makes one attempt, and `Retry.ts` decides
 * whether another attempt follows.
 *
 * @example
 * ```ts
 * import { Call, MainBalance } from "effect-txc"
 *
 * // Waits two seconds for a response instead of ten.
 * export const balances = MainBalance.MainBalance.use(({ all }) => all).pipe(Call.withTimeout("2 seconds"))
 * ```
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import type * as Errors from "../../protocol/Errors.ts"
import * as Credentials from "../Credentials.ts"
import { Intents } from "../Intents.ts"
import { ClockOffset, Nonce } from "../Nonce.ts"
import * as Observation from "../Observation.ts"
import * as RateLimits from "../RateLimits.ts"
import { Region } from "../Region.ts"
import * as Signer from "../Signer.ts"
import * as Transport from "../transport/Transport.ts"
import * as Attempt from "./Attempt.ts"
import { refusedLocally } from "./LocalRefusal.ts"
import * as Retry from "./Retry.ts"

export { Timeout, withTimeout } from "./Attempt.ts"
export { ReadRetry } from "./Retry.ts"

/**
 * A call's additional checks, beyond those of its schemas.
 *
 * @category models
 */
export interface Checks<Q, A> {
  /**
   * Runs once per call, with the valid request, before the first attempt. If this effect fails, nothing is sent. Only
   * for endpoints that declare `ValidationFailed`.
   */
  readonly check?: (
    request: Q
  ) => Effect.Effect<void, Errors.ValidationFailed<keyof Q & string> | Errors.ExchangeUnreachable>
  /**
   * Describes how the response differs from the request; `undefined` if there is no difference. A response that differs
   * may belong to another call, so a mutating call fails with `OutcomeUnknown` (`why: "contradictory-answer"`).
   */
  readonly contradiction?: (request: Q, answer: A) => string | undefined
  /** Whether the response must contain the same order id as the request, not a new order id. Default `false`. */
  readonly sameId?: boolean
  /**
   * If an item of a bulk response does not show its order's outcome, replaces the item with an error for that order
   * (`lost`). With this function, an unreadable item does not affect the other items.
   */
  readonly settle?: (request: Q, answer: A, partly: Attempt.Partly) => A
}

/**
 * Calls public endpoints. This service needs no credentials and sends no `X-TXC` headers.
 *
 * @category services
 */
export class PublicCall extends Context.Service<PublicCall, {
  /** The dialect of requests and responses. */
  readonly dialect: Dialect
  /**
   * Creates a function that calls an endpoint. Calls fail with the endpoint's declared errors: see `Endpoint.Failure`.
   * Create the function once and reuse it: its first call looks up the rate limit and compiles the schemas.
   */
  readonly make: <Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
    endpoint: Endpoint.Endpoint<Q, A, "public", M, T>
  ) => (request: Q) => Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "public", M, T>>>
}>()("effect-txc/client/PublicCall") {}

/**
 * Makes signed calls to private endpoints.
 *
 * @category services
 */
export class Call extends Context.Service<Call, {
  /** The dialect of requests and responses. */
  readonly dialect: Dialect
  /** The fingerprint of the API key that signs the calls: see `Credentials.fingerprint`. */
  readonly key: string
  /** The kind of nonce that the calls use. */
  readonly nonceForm: Errors.NonceForm
  /** The greatest nonce of all successful calls; -1 before the first successful call. Never fails. */
  readonly acceptedNonce: Effect.Effect<number>
  /**
   * Creates a function that calls an endpoint. Calls fail with the endpoint's declared errors: see `Endpoint.Failure`.
   * Create the function once and reuse it: its first call looks up the rate limit and compiles the schemas. `checks`
   * are additional checks that some endpoints need.
   */
  readonly make: <Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
    endpoint: Endpoint.Endpoint<Q, A, "private", M, T>,
    checks?: Checks<Q, A>
  ) => (request: Q) => Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "private", M, T>>>
}>()("effect-txc/client/Call") {}

type Access = "public" | "private"

/** Creates a function that calls an endpoint: it checks and sends the request, and decodes the response. */
const calling = <Q extends object, A, X extends Access, M extends boolean, T extends Endpoint.RefusalTag>(
  endpoint: Endpoint.Endpoint<Q, A, X, M, T>,
  { baseUrl, dialect }: Region["Service"],
  bucket: RateLimits.Bucket,
  given: Settings,
  attemptOf: Attempt.Make,
  { check, contradiction, sameId, settle }: Checks<Q, A> = {}
) => {
  const { limitWait, observed } = Observation.of(endpoint, { baseUrl, dialect })
  const retrying = Retry.of(endpoint, bucket)
  return (request: Q): Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, X, M, T>>> =>
    asDeclared(
      endpoint,
      observed(request, (progress, fiber) => {
        const encoded = Endpoint.codec(endpoint, dialect).encodeRequest(request)
        if (Result.isFailure(encoded)) return Effect.fail(refusedLocally(endpoint, dialect, encoded.failure, request))
        const { limits, readRetry } = given(fiber.context)
        const asked: Attempt.Asked = {
          request,
          wire: encoded.success,
          // The casts are safe: the endpoint's own schema decoded the response.
          contradiction: contradiction && ((answer) => contradiction(request, answer as A)),
          sameId,
          settle: settle && ((answer, partly) => settle(request, answer as A, partly))
        }
        const attempt = () => {
          progress.sentAt = undefined
          progress.status = undefined
          const turn = Effect.mapErrorEager(bucket.take, (error) => Attempt.rateLimited(error, request))
          return Effect.flatMapEager(turn, (waited) => {
            progress.attempts++
            if (waited > 0) limitWait.updateUnsafe(waited, fiber.context)
            return attemptOf(asked, progress, limits)
          })
        }
        return check === undefined
          ? retrying(attempt, readRetry, progress)
          : Effect.flatMapEager(check(request), () => retrying(attempt, readRetry, progress))
      })
    )
}

/**
 * Returns a function that builds a call on first use, because a program has the services of all endpoints but uses few
 * of them.
 */
const onFirstCall = <Q, R>(make: () => (request: Q) => R): (request: Q) => R => {
  let call: ((request: Q) => R) | undefined
  return (request) => (call ??= make())(request)
}

/**
 * Gives a call its endpoint's types, which the compiler can't derive. The value was decoded with the endpoint's own
 * response schema, and the endpoint's properties select the errors at run time in the same way as `Endpoint.Failure`
 * does in the type. The errors come from three places: `Classify.classify`, `refusedLocally` and `Attempt.ts`. A
 * property test calls every endpoint of the contract and compares each error with `Endpoint.failureTags`.
 */
const asDeclared = <Q, A, X extends Access, M extends boolean, T extends Endpoint.RefusalTag>(
  _endpoint: Endpoint.Endpoint<Q, A, X, M, T>,
  call: Effect.Effect<unknown, Errors.CallError>
): Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, X, M, T>>> => call as never

/**
 * Settings that the calling fiber can provide. The layer's values apply to settings that the fiber does not provide.
 */
interface Given {
  readonly limits: Attempt.Limits
  readonly readRetry: ReadonlyArray<Duration.Input>
}

type Settings = (context: Context.Context<never>) => Given

const settings: Effect.Effect<Settings> = Effect.gen(function*() {
  const ofLayer = {
    timeout: yield* Attempt.Timeout,
    maxAnswerBytes: yield* Transport.MaxAnswerBytes,
    readRetry: yield* Retry.ReadRetry
  }
  const read: Settings = (context) => ({
    limits: {
      timeout: Duration.fromInputUnsafe(Context.getOrUndefined(context, Attempt.Timeout) ?? ofLayer.timeout),
      maxAnswerBytes: Context.getOrUndefined(context, Transport.MaxAnswerBytes) ?? ofLayer.maxAnswerBytes
    },
    readRetry: Context.getOrUndefined(context, Retry.ReadRetry) ?? ofLayer.readRetry
  })
  // Caches the last result, because most of a program's calls run in the same context.
  let last: readonly [context: Context.Context<never>, given: Given] | undefined
  return (context) => {
    if (last?.[0] !== context) last = [context, read(context)]
    return last[1]
  }
})

/**
 * Makes public calls to the exchange in `Region`.
 *
 * @category layers
 */
export const layerPublic: Layer.Layer<
  PublicCall,
  never,
  Region | Transport.Transport | RateLimits.RateLimits
> = Layer.effect(
  PublicCall,
  Effect.gen(function*() {
    const { baseUrl, dialect } = yield* Region
    const transport = yield* Transport.Transport
    const limits = yield* RateLimits.RateLimits
    const given = yield* settings
    return {
      dialect,
      make: (endpoint) =>
        onFirstCall(() => {
          const bucket = limits.bucket({ baseUrl }, endpoint)
          const attemptOf = Attempt.unsigned({ transport, baseUrl, dialect, endpoint, bucket })
          return calling(endpoint, { baseUrl, dialect }, bucket, given, attemptOf)
        })
    }
  })
)

/**
 * Makes calls to the exchange in `Region`, signed with the key in `Signer`.
 *
 * @category layers
 */
export const layer: Layer.Layer<
  Call,
  never,
  Region | Transport.Transport | Signer.Signer | Nonce | RateLimits.RateLimits
> = Layer.effect(
  Call,
  Effect.gen(function*() {
    const { baseUrl, dialect } = yield* Region
    const transport = yield* Transport.Transport
    const signer = yield* Signer.Signer
    const nonces = yield* Nonce
    const limits = yield* RateLimits.RateLimits
    const offset = yield* ClockOffset
    const intents = yield* Intents
    const key = yield* Credentials.fingerprint(signer.apiKey)
    const given = yield* settings
    const nonceForm = dialect.policy.nonce === "unique" ? "unique" : nonces.window ? "window" : "increasing"
    let acceptedNonce = -1
    const onAccepted = (nonce: number) => {
      if (nonce > acceptedNonce) acceptedNonce = nonce
    }
    const by: Attempt.Signing = { signer, nonces, nonceForm, offset, key, intents, onAccepted }
    return {
      dialect,
      key,
      nonceForm,
      acceptedNonce: Effect.sync(() => acceptedNonce),
      make: (endpoint, checks) =>
        onFirstCall(() => {
          const bucket = limits.bucket({ baseUrl, apiKey: signer.apiKey }, endpoint)
          const attemptOf = Attempt.signed({ transport, baseUrl, dialect, endpoint, bucket }, by)
          return calling(endpoint, { baseUrl, dialect }, bucket, given, attemptOf, checks)
        })
    }
  })
)
