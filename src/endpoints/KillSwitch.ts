/**
 * A market's kill switch: a timer that cancels the account's orders on the market unless it is started again in time.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Schedule from "effect/Schedule"
 * import { Identifiers, KillSwitch } from "effect-txc"
 *
 * // Arms the kill switch for a minute, and again every 20 seconds: orders outlive this fiber by at most a minute.
 * export const heartbeat = Effect.gen(function*() {
 *   const killSwitch = yield* KillSwitch.KillSwitch
 *   const market = Identifiers.marketName("BTC_USDT")
 *   const timeout = KillSwitch.KillSwitchSeconds.make(60)
 *   return yield* Effect.repeat(killSwitch.arm({ market, timeout }), Schedule.spaced("20 seconds"))
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Call from "../client/call/Call.ts"
import * as ServiceLayer from "../client/make/ServiceLayer.ts"
import * as Observation from "../client/Observation.ts"
import * as Constraint from "../domain/Constraint.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { KillSwitchSeconds } from "../domain/KillSwitch.ts"
import { CancelAllType } from "../domain/Order.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Unrecognised from "../domain/Unrecognised.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

export { KillSwitchSeconds } from "../domain/KillSwitch.ts"

/**
 * A kill switch to arm.
 *
 * @category models
 */
export interface Arming {
  /** The market whose orders the kill switch cancels. Each market has its own kill switch. */
  readonly market: MarketName
  /** The time until the kill switch cancels the orders, in seconds: 5 to 600. */
  readonly timeout: KillSwitchSeconds
  /** Only orders of these types. The list has one to three types. Default: all types. */
  readonly types?: ReadonlyArray<CancelAllType>
}

/**
 * A kill switch to disarm.
 *
 * @category models
 */
export interface Disarming {
  /** The market whose kill switch is disarmed. */
  readonly market: MarketName
}

/**
 * A kill switch to arm or disarm.
 *
 * @category models
 */
export interface Request {
  /** The market whose orders the kill switch cancels. */
  readonly market: MarketName
  /** The time until the kill switch cancels the orders, in seconds: 5 to 600. `null` disarms the kill switch. */
  readonly timeout: KillSwitchSeconds | null
  /** Only orders of these types. The list has one to three types. Default: all types. */
  readonly types?: ReadonlyArray<CancelAllType>
}

/** The maximum length of a list of types, which is the number of existing types. */
const maxTypes = CancelAllType.literals.length

const isText = Constraint.annotation({ kind: "type", type: "string" })
const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

const described = Wire.describedBy(() =>
  Schema.NullOr(Schema.String.check(Schema.isPattern(/^(?:[5-9]|[1-9][0-9]|[1-5][0-9]{2}|600|null)$/u)))
)

/**
 * A string of digits, or `null`. The trading library ccxt writes `null` as the string `"null"`. The live exchange
 * requires a string and refuses a number.
 */
const timeout = Schema.NullOr(Schema.String).annotate({ ...isText, ...described }).pipe(
  Schema.decodeTo(Schema.NullOr(KillSwitchSeconds).annotate(isInteger), {
    decode: SchemaGetter.transform((text) =>
      text === null || text === "null" ? null : /^-?(?:0|[1-9][0-9]{0,8})$/u.test(text) ? Number(text) : Number.NaN
    ),
    encode: SchemaGetter.transform((seconds) => seconds === null ? null : seconds.toString())
  })
)

const request = () =>
  Wire.struct<Request>({
    market: MarketName,
    timeout,
    types: Schema.optionalKey(
      Schema.Array(CancelAllType).annotate(Constraint.annotation({ kind: "type", type: "array" })).check(
        Schema.isMinLength(1, Constraint.annotation({ kind: "notEmpty" })),
        Schema.isMaxLength(maxTypes, Constraint.annotation({ kind: "elements", max: maxTypes }))
      )
    )
  }, {
    // The live exchange treats `null` like a missing field, which means all types.
    absent: { types: { value: null, when: () => true, demanded: false, written: false } }
  })

/**
 * An armed kill switch.
 *
 * @category models
 */
export interface Timer {
  /** The market whose orders the kill switch cancels. */
  readonly market: MarketName
  /** The time when the kill switch was last armed, in Unix seconds. */
  readonly startTime: UnixSeconds
  /** The time when the kill switch cancels the orders unless it is armed again, in Unix seconds. */
  readonly cancellationTime: UnixSeconds
  /**
   * The types of orders that the kill switch cancels. Absent (`null` on the wire) when it cancels orders of all types.
   */
  readonly types?: ReadonlyArray<CancelAllType | Unrecognised.Unrecognised>
}

/**
 * The schema of {@link Timer}.
 *
 * @category schemas
 */
export const Timer: Schema.Codec<Timer, unknown> = Wire.answer<Timer>({
  market: MarketName,
  startTime: UnixSeconds,
  cancellationTime: UnixSeconds,
  types: Schema.optionalKey(Schema.Array(Unrecognised.open(CancelAllType)))
}, {
  absent: { types: { value: null, when: () => true, demanded: false } }
}).schema

/** An empty list means that no kill switch is armed. */
const disarmed = Schema.Tuple([]).pipe(
  Schema.decodeTo(Schema.Void, {
    decode: SchemaGetter.transform(() => undefined),
    encode: SchemaGetter.transform((): readonly [] => [])
  })
)

const response = () => Schema.Union([Timer, disarmed])

/**
 * The endpoint `POST /api/v4/order/kill-switch`. Source: the live exchange's documentation, 2026.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "KillSwitch.arm",
  path: "/api/v4/order/kill-switch",
  access: "private",
  mutates: true,
  places: "nothing",
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    timeout: KillSwitchSeconds.make(60),
    types: ["spot", "margin"]
  })
})

/**
 * Errors that can occur when arming or disarming a kill switch.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

const isTimer = (answer: Timer | void): answer is Timer => answer !== undefined

/**
 * Describes how the response contradicts the request: a different market, timeout or list of order types, or a kill
 * switch armed instead of disarmed, or vice versa. `undefined` if there is no contradiction.
 */
const contradiction = ({ market, timeout, types }: Request, answer: Timer | void): string | undefined => {
  if (!isTimer(answer)) return timeout === null ? undefined : "no kill switch is armed"
  if (timeout === null) return "a kill switch is still armed"
  if (answer.market !== market) return `the kill switch is on ${answer.market}, not on ${market}`
  const seconds = answer.cancellationTime - answer.startTime
  if (seconds !== timeout) return `the kill switch is set to ${seconds} seconds, not to ${timeout}`
  // A request without types covers all orders, and the response might or might not list the types.
  const asked: ReadonlyArray<string> = types ?? CancelAllType.literals
  const said: ReadonlyArray<string> = answer.types ?? asked
  const isOther = asked.some((type) => !said.includes(type)) || (types && said.some((type) => !asked.includes(type)))
  return isOther === true ? `the kill switch cancels ${said.join(", ")}, not ${asked.join(", ")}` : undefined
}

/**
 * Arms and disarms kill switches.
 *
 * @category services
 */
export class KillSwitch extends Context.Service<KillSwitch, {
  /**
   * Arms a market's kill switch, replacing an earlier timer. The exchange starts a timer and cancels the orders when
   * the timer expires. Your program must arm the kill switch again in time: this package does not do so automatically.
   *
   * Fails with:
   *
   * - `ValidationFailed` when the market is unknown, the timeout is out of bounds or the list of types is empty
   * - `OutcomeUnknown` when the response is lost and the kill switch may be armed. `KillSwitchStatus` shows whether the
   *   kill switch is armed, and arming it again is harmless
   */
  readonly arm: (request: Arming) => Effect.Effect<Timer, Failure>
  /**
   * Disarms a market's kill switch. Succeeds even when the kill switch is not armed.
   *
   * Fails with `ValidationFailed` when the market is unknown, and with `OutcomeUnknown` when the response is lost and
   * the kill switch may still be armed.
   */
  readonly disarm: (request: Disarming) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/KillSwitch") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<KillSwitch, never, Call.Call> = ServiceLayer.layer(
    KillSwitch,
    Call.Call.useSync(({ make }) => {
      const call = make(endpoint, { contradiction })
      return {
        arm: (request) =>
          Observation.spanned(
            endpoint.name,
            // If the response had no timer, the call would already have failed.
            Effect.filterOrElse(call(request), isTimer, () => Effect.die("no kill switch is armed"))
          ),
        disarm: ({ market }) => Observation.spanned("KillSwitch.disarm", Effect.asVoid(call({ market, timeout: null })))
      }
    })
  )
}
