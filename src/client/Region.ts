/**
 * The exchange to call, and its dialect. `Settings` reads both from the environment.
 *
 * @example
 * ```ts
 * import { Dialect, Region } from "effect-txc"
 *
 * // The live exchange, or a sandbox on this machine that speaks the document's dialect.
 * export const live = Region.layer({ region: "eu" })
 * export const sandbox = Region.layer({ baseUrl: "http://localhost:8080", dialect: Dialect.document })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Dialect from "../protocol/Dialect.ts"
import * as BaseUrl from "./BaseUrl.ts"

/**
 * The live exchange's servers: a global server and an EU server, with the same paths (the document, "What the service
 * does", rule 1).
 *
 * @category models
 */
export const servers = {
  /** The base URL of the global server. */
  global: "https://whitebit.com",
  /** The base URL of the EU server. */
  eu: "https://whitebit.eu"
} as const

/**
 * The base URL is missing, is not a URL, or would cause the key and signed requests to be sent unencrypted.
 *
 * @category errors
 */
export class InvalidBaseUrl extends Schema.TaggedError<InvalidBaseUrl>()("InvalidBaseUrl", {
  baseUrl: Schema.String,
  problem: Schema.String
}) {
  /** The base URL as given, without a user name or password; empty when missing. */
  declare readonly baseUrl: string
  /** The problem, and the setting that fixes it. */
  declare readonly problem: string
  override get message(): string {
    return this.baseUrl === ""
      ? `No exchange to call: ${this.problem}`
      : `The base URL ${this.baseUrl} can't be used: ${this.problem}`
  }
}

/**
 * One of the live exchange's servers.
 *
 * @category models
 */
export interface Live {
  /** The server, which uses the live dialect. */
  readonly region: keyof typeof servers
}

/**
 * An exchange at any base URL, such as a sandbox.
 *
 * @category models
 */
export interface Custom {
  /** An https URL without a query. `http` is only allowed for addresses of this machine. */
  readonly baseUrl: string
  /**
   * The exchange's dialect. The client can't detect it, and with the wrong dialect, client order ids are silently lost.
   */
  readonly dialect: Dialect.Dialect
  /** Allows `http` to another machine. Default `false`. */
  readonly allowInsecure?: boolean
}

/**
 * One of the live exchange's servers, or any base URL together with its dialect.
 *
 * @category models
 */
export type Options = Live | Custom

/**
 * The exchange to call.
 *
 * @category services
 */
export class Region extends Context.Service<Region, {
  /** The exchange's base URL, without a trailing slash. */
  readonly baseUrl: string
  /** The format of fields, nonces and refusals. */
  readonly dialect: Dialect.Dialect
}>()("effect-txc/client/Region") {}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(host)

/**
 * Checks the base URL and creates the service. Fails with `InvalidBaseUrl`.
 *
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Region["Service"], InvalidBaseUrl> => {
  if ("region" in options) {
    const server: string | undefined = servers[options.region]
    return server === undefined
      ? Effect.fail(
        new InvalidBaseUrl({ baseUrl: "", problem: `the region must be global or eu, not ${options.region}` })
      )
      : Effect.succeed({ baseUrl: server, dialect: Dialect.live })
  }
  const { allowInsecure = false, baseUrl, dialect } = options
  const fail = (problem: string) => Effect.fail(new InvalidBaseUrl({ baseUrl: BaseUrl.shown(baseUrl), problem }))
  const parsed = Result.try(() => new URL(baseUrl))
  if (Result.isFailure(parsed)) return fail("it is not a URL such as https://whitebit.com")
  const url = parsed.success
  if (url.protocol !== "https:" && url.protocol !== "http:") return fail("it is neither https nor http")
  if (url.username !== "" || url.password !== "") return fail("it contains a user name or a password; remove them")
  if (url.search !== "" || url.hash !== "") return fail("it has a query or a fragment; end it before the ? or #")
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecure) {
    return fail("plain http to another machine would reveal the key; use https, or set allowInsecure")
  }
  return Effect.succeed({ baseUrl: url.href.replace(/\/+$/u, ""), dialect })
}

/**
 * Provides the exchange that the options specify. Fails with `InvalidBaseUrl`.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Region, InvalidBaseUrl> => Layer.effect(Region, make(options))
