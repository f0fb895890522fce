/**
 * What a target declares that it has. Rules about anything else are skipped by declaration, and are not broken.
 *
 * @example
 * ```ts
 * import { Features } from "effect-txc/oracle"
 *
 * // A mock of balances and stop-limit orders, with a path of its own
 * export const features: Features.Features = {
 *   endpoints: ["/api/v4/public/ping", "/api/v4/main-account/balance", "/api/v4/order/stop_limit"],
 *   paths: { "/api/v4/order/stop_limit": "/api/v4/order/stop-limit" },
 *   prices: { BTC_USDT: "40000" }
 * }
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Paths from "./world/Paths.ts"

/**
 * What a target has.
 *
 * @category models
 * @since 0.1.0
 */
export interface Features {
  /** The paths of the document that the target has, as the rules write them; all of them by default. */
  readonly endpoints?: ReadonlyArray<string>
  /** Where the target has a path that the document does not show, by the path that the rules write. */
  readonly paths?: Readonly<Record<string, string>>
  /**
   * The last price of markets, by name, as decimals. It takes precedence over what the target shows. Orders of the profile
   * `mutating` are placed around it, so it must be near the market.
   */
  readonly prices?: Readonly<Record<string, string>>
}

/**
 * A declaration that cannot be read.
 *
 * @category errors
 * @since 0.1.0
 */
export class FeaturesError extends Schema.TaggedError<FeaturesError>()("FeaturesError", {
  /** What is wrong with it, in words. */
  reason: Schema.String
}) {
  /** The reason. */
  override get message(): string {
    return this.reason
  }
}

const File = Schema.fromJsonString(Schema.Struct({
  endpoints: Schema.optionalKey(Schema.Array(Schema.String)),
  paths: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  prices: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}))

/** The paths that a target may declare, or not. */
const declarable: ReadonlyArray<string> = [...Paths.all, Paths.ping, Paths.markets]

/**
 * Reads a declaration from JSON. A path that no rule calls is refused, so that a spelling mistake skips nothing.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parse = (text: string): Effect.Effect<Features, FeaturesError> =>
  Schema.decodeEffect(File)(text, { onExcessProperty: "error" }).pipe(
    Effect.mapError((error) => new FeaturesError({ reason: `not a declaration of features: ${error.message}` })),
    Effect.tap(({ endpoints = [], paths = {}, prices = {} }) => {
      const unknown = [
        ...endpoints.filter((path) => !declarable.includes(path)),
        ...Object.keys(paths).filter((path) => !Paths.everything.includes(path))
      ]
      const odd = Object.entries(prices).filter(([, price]) => !(Number(price) > 0)).map(([market]) => market)
      const reason = unknown.length > 0
        ? `no rule calls ${unknown.join(", ")}; endpoints are ${declarable.join(", ")}`
        : `the price of ${odd.join(", ")} is not a decimal above zero`
      return unknown.length + odd.length === 0 ? Effect.void : Effect.fail(new FeaturesError({ reason }))
    })
  )

/** A private call that changes nothing and that the target has; `undefined` where it has none. */
export const aRead = (features: Features): string | undefined =>
  [Paths.mainBalance, ...Paths.reads].find((path) => has(features, path))

/**
 * Whether the target has a path, as the rules write it. Paths that are not the document's are always tried: a rule that
 * needs one skips where the target does not serve it.
 *
 * @category judging
 * @since 0.1.0
 */
export const has = ({ endpoints }: Features, path: string): boolean =>
  endpoints === undefined || !declarable.includes(path) || endpoints.includes(path)
