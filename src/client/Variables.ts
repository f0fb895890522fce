/** Reads a client's settings from configuration, by default from environment variables. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Dialect from "../protocol/Dialect.ts"
import * as BaseUrl from "./BaseUrl.ts"
import * as Credentials from "./Credentials.ts"
import * as Region from "./Region.ts"

const names = { apiKey: "TXC_API_KEY", apiSecret: "TXC_API_SECRET" } as const

/** Reads the API key or its secret. */
export const credential = Effect.fnUntraced(function*(
  part: keyof typeof names
): Effect.fn.Return<Redacted.Redacted, Credentials.InvalidCredentials> {
  const name = names[part]
  const fail = (problem: string) => Effect.fail(new Credentials.InvalidCredentials({ part, problem }))
  const found = yield* Effect.catch(
    Config.option(Config.Redacted(name)),
    ({ cause }) => fail(`can't be read from ${name}: ${cause.message}`)
  )
  return Option.isSome(found) ? found.value : yield* fail(`is missing; set ${name}`)
})

/** Reads the API key and its secret, and checks both. */
export const credentials: Effect.Effect<Credentials.Options, Credentials.InvalidCredentials> = Effect.gen(function*() {
  return yield* Credentials.make({ apiKey: yield* credential("apiKey"), apiSecret: yield* credential("apiSecret") })
})

/** Reads a setting; returns `undefined` if it is absent. Fails with `problem` if the value is invalid. */
const optional = <A>(setting: Config.Config<A>, problem: string, baseUrl = "") =>
  Config.option(setting).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.mapError(() => new Region.InvalidBaseUrl({ baseUrl: BaseUrl.shown(baseUrl), problem }))
  )

const noPlace = "set either TXC_REGION, or TXC_BASE_URL with TXC_DIALECT"

/** Reads which exchange to call. */
export const region: Effect.Effect<Region.Region["Service"], Region.InvalidBaseUrl> = Effect.gen(function*() {
  const server = yield* optional(Config.Literals(["global", "eu"], "TXC_REGION"), "set TXC_REGION to global or eu")
  const baseUrl = yield* optional(Config.NonEmptyString("TXC_BASE_URL"), noPlace)
  if (server !== undefined && baseUrl === undefined) return yield* Region.make({ region: server })
  if (baseUrl === undefined || server !== undefined) {
    return yield* new Region.InvalidBaseUrl({ baseUrl: "", problem: noPlace })
  }
  const noDialect = "set TXC_DIALECT to document or live; the client can't detect it"
  const dialect = yield* optional(Config.Literals(["document", "live"], "TXC_DIALECT"), noDialect, baseUrl)
  if (dialect === undefined) {
    return yield* new Region.InvalidBaseUrl({ baseUrl: BaseUrl.shown(baseUrl), problem: noDialect })
  }
  const allowInsecure = yield* optional(
    Config.Boolean("TXC_ALLOW_INSECURE"),
    "set TXC_ALLOW_INSECURE to true or false",
    baseUrl
  )
  return yield* Region.make({ baseUrl, dialect: Dialect.byName[dialect], allowInsecure: allowInsecure ?? false })
})
