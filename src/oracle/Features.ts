/**
 * The features that a target declares. Rules about undeclared features are skipped instead of reported as broken.
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
import * as Expected from "../protocol/Expected.ts"
import * as Channels from "./world/Channels.ts"
import * as Paths from "./world/Paths.ts"

/**
 * The features of a target.
 *
 * @category models
 */
export interface Features {
  /**
   * The paths that the target serves, in the document's spelling, without the market at the end of a path; all by
   * default. Calls that many rules need to find prices and orders are tried even if they are not listed. `streams`
   * stands for the WebSocket with all its channels. `streams/depth` stands for one channel, which is named after the
   * first part of its methods.
   */
  readonly endpoints?: ReadonlyArray<string>
  /**
   * The paths and channels that the target does not serve, each with the reason that the report shows; none by default.
   * A target without a WebSocket lists `streams`.
   */
  readonly missing?: Readonly<Record<string, string>>
  /** The target's own paths for calls that it serves elsewhere, keyed by the document's path. */
  readonly paths?: Readonly<Record<string, string>>
  /**
   * Last prices as decimals, keyed by market name. They take precedence over the target's own prices. The `mutating`
   * profile places orders around them, so they must be near the market.
   */
  readonly prices?: Readonly<Record<string, string>>
}

/**
 * A declaration of features is invalid.
 *
 * @category errors
 */
export class FeaturesError extends Schema.TaggedError<FeaturesError>()("FeaturesError", {
  reason: Schema.String
}) {
  /** A description of what is invalid. */
  declare readonly reason: string
  /** The same text as `reason`. */
  override get message(): string {
    return this.reason
  }
}

/** The paths and channels that a declaration may name. */
const known: ReadonlyArray<string> = [...Paths.all, ...Channels.names]

const File = Schema.fromJsonString(Schema.Struct({
  endpoints: Schema.optionalKey(Schema.Array(Schema.String)),
  missing: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  paths: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  prices: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}))

/**
 * Decodes a declaration from JSON. Fails with `FeaturesError` if the text is not a declaration, or names a path that no
 * rule calls, so that a typo does not silently skip rules.
 *
 * @category constructors
 */
export const parse = (text: string): Effect.Effect<Features, FeaturesError> =>
  Schema.decodeEffect(File)(text, { onExcessProperty: "error" }).pipe(
    Effect.mapError((error) =>
      new FeaturesError({ reason: `not a declaration of features: ${Expected.inWords(error, "the file")}` })
    ),
    Effect.tap(({ endpoints = [], missing = {}, paths = {}, prices = {} }) => {
      const unknown = [...endpoints, ...Object.keys(missing), ...Object.keys(paths)]
        .filter((path) => !known.includes(path))
      const odd = Object.entries(prices).filter(([, price]) => !(Number(price) > 0)).map(([market]) => market)
      const reason = unknown.length > 0
        ? `no rule calls ${unknown.join(", ")}; the calls are ${known.join(", ")}`
        : `the price of ${odd.join(", ")} is not a decimal above zero`
      return unknown.length + odd.length === 0 ? Effect.void : Effect.fail(new FeaturesError({ reason }))
    })
  )

/** Returns the path of a private read that the target serves, or `undefined` if it serves none. */
export const aRead = (features: Features): string | undefined =>
  [Paths.mainBalance, ...Paths.reads].find((path) => has(features, path))

/** The advice shown for a call that a target does not serve. */
export const remedy = "if the target is not meant to serve a call, list it with the reason under missing in --features"

/** Returns the message for a call that the target declares missing. */
export const lacks = (call: string): string => `the target declares that it does not have ${call}`

/** Returns the call that a path belongs to: the path without a market at its end. */
export const callOf = (path: string): string => known.includes(path) ? path : path.slice(0, path.lastIndexOf("/"))

const isChannel = (call: string): boolean => Channels.names.includes(call)

/**
 * Returns the names under which a target may declare a call. A channel has two, because it is part of the WebSocket.
 */
const namesOf = (call: string): ReadonlyArray<string> => isChannel(call) ? [call, Channels.webSocket] : [call]

/** Returns the reason that a target gives for declaring a call missing. */
const reasonOf = ({ missing = {} }: Features, call: string): string | undefined =>
  namesOf(call).map((name) => missing[name]).find((reason) => reason !== undefined)

/** Whether a list of endpoints contains a call. A list with a channel also contains the WebSocket, and vice versa. */
const lists = (endpoints: ReadonlyArray<string>, call: string): boolean =>
  namesOf(call).some((name) => endpoints.includes(name)) || (call === Channels.webSocket && endpoints.some(isChannel))

/**
 * Whether the target declares that it serves a path. Paths that no rule checks count as served unless `missing` lists
 * them.
 *
 * @category judging
 */
export const declares = (features: Features, path: string): boolean => {
  const { endpoints } = features
  const call = callOf(path)
  return reasonOf(features, call) === undefined &&
    (endpoints === undefined || !known.includes(call) || lists(endpoints, call))
}

/**
 * Returns the declared reason why a path is not called, or `undefined` if it is called. Calls that many rules need to
 * find prices and orders are tried even if `endpoints` does not list them.
 *
 * @category judging
 */
export const whyMissing = (features: Features, path: string): string | undefined => {
  const call = callOf(path)
  const reason = reasonOf(features, call)
  if (declares(features, path) || (reason === undefined && Paths.alwaysTried.includes(call))) return undefined
  return `${lacks(call)}${reason === undefined ? "" : `: ${reason}`}`
}

/**
 * Whether a path is called; see {@link whyMissing}.
 *
 * @category judging
 */
export const has = (features: Features, path: string): boolean => whyMissing(features, path) === undefined
