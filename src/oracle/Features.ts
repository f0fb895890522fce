/**
 * The features that a target declares. Rules about anything else are skipped instead of broken.
 *
 * @example
 * ```ts
 * import { Features } from "effect-txc/oracle"
 *
 * // A mock of balances and stop-limit orders, with one path that differs
 * export const features: Features.Features = {
 *   endpoints: ["/api/v4/public/ping", "/api/v4/main-account/balance", "/api/v4/order/stop_limit"],
 *   paths: { "/api/v4/order/stop_limit": "/api/v4/order/stop-limit" },
 *   prices: { BTC_USDT: "40000" }
 * }
 * ```
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Paths from "./world/Paths.ts"

/**
 * The features of a target.
 *
 * @category models
 */
export interface Features {
  /** The paths that the target serves, in the document's spelling; all by default. */
  readonly endpoints?: ReadonlyArray<string>
  /** Paths that the target serves under another name, keyed by the document's path. */
  readonly paths?: Readonly<Record<string, string>>
  /**
   * Last prices by market name, as decimals. They take precedence over the target's own prices. The profile `mutating`
   * places orders around them, so they must be near the market.
   */
  readonly prices?: Readonly<Record<string, string>>
}

/**
 * The declaration is invalid.
 *
 * @category errors
 */
export class FeaturesError extends Schema.TaggedError<FeaturesError>()("FeaturesError", {
  reason: Schema.String
}) {
  /** What is invalid, in words. */
  declare readonly reason: string
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

/** The paths that a declaration may list. */
const declarable: ReadonlyArray<string> = [...Paths.documentCalls, Paths.ping, Paths.markets]

/**
 * Decodes a declaration from JSON. Fails with `FeaturesError` for a path that no rule calls: a typo must not skip rules
 * silently.
 *
 * @category constructors
 */
export const parse = (text: string): Effect.Effect<Features, FeaturesError> =>
  Schema.decodeEffect(File)(text, { onExcessProperty: "error" }).pipe(
    Effect.mapError((error) => new FeaturesError({ reason: `not a declaration of features: ${error.message}` })),
    Effect.tap(({ endpoints = [], paths = {}, prices = {} }) => {
      const unknown = [
        ...endpoints.filter((path) => !declarable.includes(path)),
        ...Object.keys(paths).filter((path) => !Paths.all.includes(path))
      ]
      const odd = Object.entries(prices).filter(([, price]) => !(Number(price) > 0)).map(([market]) => market)
      const reason = unknown.length > 0
        ? `no rule calls ${unknown.join(", ")}; endpoints are ${declarable.join(", ")}`
        : `the price of ${odd.join(", ")} is not a decimal above zero`
      return unknown.length + odd.length === 0 ? Effect.void : Effect.fail(new FeaturesError({ reason }))
    })
  )

/** A private read that the target serves; `undefined` if it serves none. */
export const aRead = (features: Features): string | undefined =>
  [Paths.mainBalance, ...Paths.reads].find((path) => has(features, path))

/**
 * Whether the target serves a path of the document. Other paths are always tried: a rule that needs one skips when the
 * target does not serve it.
 *
 * @category judging
 */
export const has = ({ endpoints }: Features, path: string): boolean =>
  endpoints === undefined || !declarable.includes(path) || endpoints.includes(path)
