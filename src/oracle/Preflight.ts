/**
 * Checks, before any rule runs, that a target speaks this API in the expected dialect and accepts the key. A wrong
 * target would break every rule for the same reason.
 */
import * as Effect from "effect/Effect"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Json from "../protocol/Json.ts"
import * as Features from "./Features.ts"
import { scrubber } from "./Secrets.ts"
import * as Target from "./Target.ts"
import * as Verdict from "./Verdict.ts"
import * as Connection from "./world/Connection.ts"
import * as Dialects from "./world/Dialects.ts"
import * as Orders from "./world/Orders.ts"
import * as Paths from "./world/Paths.ts"
import * as Refusals from "./world/Refusals.ts"
import type * as Session from "./world/Session.ts"
import * as Signing from "./world/Signing.ts"
import type { Account, World } from "./world/World.ts"

const nothingToCheck = (reason: string) => Effect.fail(new Target.TargetError({ reason }))

const toTargetError = (error: Verdict.CheckError): Target.TargetError =>
  error._tag === "TargetError" ? error : new Target.TargetError({ reason: Verdict.whyOf(error) })

/** Whether the response is JSON that contains the text `pong`. */
const isPong = ({ json, text }: Target.Answer): boolean => json !== undefined && text.includes("pong")

/**
 * Whether the response is an error object of a private call. A 404 is not accepted, because other servers might use the
 * same format for a 404.
 */
const isPrivateError = ({ json, status }: Target.Answer): boolean =>
  status !== 404 && Json.isObject(json) && Number.isSafeInteger(json["code"]) && typeof json["message"] === "string"

const unsigned = (path: string): Target.Request => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json" },
  body: Json.stringify({ request: path, nonce: "1" })
})

/** The maximum length of an unrelated server's response in an error message, in UTF-16 units. */
const shown = 200

/** Describes an unrelated server's response in one line, without the source of a web page. */
const summary = (answer: Target.Answer): string =>
  answer.json === undefined && /html/iu.test(`${answer.headers["content-type"]} ${answer.text.slice(0, shown)}`)
    ? `HTTP ${answer.status} and a web page`
    : Verdict.describe(answer).replaceAll(/\s+/gu, " ").slice(0, shown)

/** Returns the advice for a base URL that already contains the version prefix. */
const prefixRemedy = (baseUrl: string): string | undefined => {
  const at = baseUrl.indexOf(Paths.version)
  return at < 0 ? undefined : `the paths already begin with ${Paths.version}: give the URL as ${baseUrl.slice(0, at)}`
}

/**
 * Expects that the target speaks this API: it responds to the ping, or refuses an unsigned call with this API's error
 * object. Either is enough, because a faulty target might fail at the other.
 */
const isThisApi = Effect.fnUntraced(function*({ profile, target, world: begin }: Session.Session) {
  const { world } = begin()
  const { baseUrl, features = {} } = target
  const read = Features.aRead(features)
  if (!Features.has(features, Paths.ping) && read === undefined) return
  const ping = Features.has(features, Paths.ping)
    ? yield* Effect.mapError(world.get(Paths.ping), toTargetError)
    : undefined
  if (ping !== undefined && isPong(ping)) return
  const refused = yield* Connection.read(target.send(unsigned(read ?? Paths.mainBalance)))
  if (isPrivateError(refused)) return
  const remedy = prefixRemedy(baseUrl) ?? (profile === "control"
    ? "give the URL of the server, not that of its control plane"
    : "give the URL of a server that does")
  return yield* nothingToCheck(
    `${baseUrl} does not speak this API: ${(ping ?? refused).sent.path} responded with ${
      summary(ping ?? refused)
    }; ${remedy}`
  )
})

const otherDialect = ({ name }: Pick<Dialect, "name">): { readonly name: Dialect["name"] } => ({
  name: name === "live" ? "document" : "live"
})

/** Creates a read with a nonce in the other dialect's format. */
const readInOtherDialect = (world: World, account: Account, path: string) =>
  Connection.read(Effect.flatMap(world.serverTime, (time) => {
    const nonce = Dialects.nonce(otherDialect(world.dialect), time + 1, true)
    return world.send(Signing.request(account, path, {}, nonce))
  }))

const wrongDialect = ({ name }: Dialect, seen: string) =>
  nothingToCheck(
    `the target speaks the ${otherDialect({ name }).name} dialect: ${seen}. Check it with --dialect ${
      otherDialect({ name }).name
    }`
  )

const sameRefusal = (one: Target.Answer, two: Target.Answer): boolean => {
  const codeOf = ({ json }: Target.Answer) => Json.isObject(json) ? json["code"] : undefined
  return one.status === two.status && codeOf(one) === codeOf(two)
}

/**
 * Expects that a correct call is not refused in the same way as a call with a wrong signature. The rules check any
 * other refusal.
 */
const knowsKey = Effect.fnUntraced(function*(
  { target, world: begin }: Session.Session,
  account: Account,
  unknown: string
): Effect.fn.Return<void, Verdict.CheckError> {
  const { world } = begin()
  const path = Features.aRead(target.features ?? {})
  if (path === undefined) return
  const answer = yield* world.call(account, path)
  if (!Refusals.isRefused(answer)) return
  const other = yield* readInOtherDialect(world, account, path)
  if (other.status === 200 && !Refusals.isRefused(other)) {
    return yield* wrongDialect(world.dialect, "it accepts only that dialect's nonces")
  }
  const wrong = yield* world.call(account, path, {}, { signature: () => "0".repeat(128) })
  if (answer.status !== 401 && !sameRefusal(answer, wrong)) return
  return yield* nothingToCheck(`${target.baseUrl} ${unknown}: ${scrubber(target)(Verdict.describe(answer))}`)
})

/**
 * Places the smallest order, far from the market, and checks which dialect the response's field names belong to. A
 * refusal proves nothing.
 */
const speaksDialect = Effect.fnUntraced(function*({ target, world: begin }: Session.Session) {
  const { end, world } = begin()
  const placed = Effect.gen(function*() {
    const market = yield* world.market
    return yield* Orders.submit(world, yield* world.trader, Paths.stopLimit, Orders.stopLimit(market, "buy"))
  })
  const answer = yield* Effect.ensuring(Effect.option(placed), end)
  if (answer._tag === "None" || !Json.isObject(answer.value.json)) return
  const { json } = answer.value
  const [expected, other] = Dialects.orderIdKeys(target.dialect)
  if (expected === undefined || other === undefined || Object.hasOwn(json, expected)) return
  if (Object.hasOwn(json, other)) {
    return yield* wrongDialect(target.dialect, `its orders have ${other}, not ${expected}`)
  }
})

/**
 * Expects that a target of the document's dialect ignores `nonceWindow`, because only the live dialect requires it to
 * be a boolean. The test consists of two reads, so a read-only check can run it too.
 */
const hasNoWindow = Effect.fnUntraced(function*(
  { target, world: begin }: Session.Session,
  account: Account
): Effect.fn.Return<void, Verdict.CheckError> {
  const { world } = begin()
  const path = Features.aRead(target.features ?? {})
  if (world.dialect.name === "live" || path === undefined) return
  const isRefused = (nonceWindow: unknown) => Effect.map(world.call(account, path, { nonceWindow }), Refusals.isRefused)
  if (!(yield* isRefused("no")) || (yield* isRefused(true))) return
  return yield* wrongDialect(
    world.dialect,
    "it requires nonceWindow, which the document does not have, to be a boolean"
  )
})

/** Fails unless the target can be checked. */
export const check = Effect.fnUntraced(function*(session: Session.Session): Effect.fn.Return<void, Target.TargetError> {
  const { profile, target: { keys } } = session
  yield* isThisApi(session)
  if (profile === "control") {
    const account = yield* Effect.mapError(session.world().world.open({ isFunded: false }), toTargetError)
    const unknown = "does not know an account that its control plane has created"
    yield* Effect.mapError(knowsKey(session, account, unknown), toTargetError)
    return yield* speaksDialect(session)
  }
  if (keys === undefined) return
  const account = { ...keys, id: "", isExclusive: false }
  yield* Effect.mapError(knowsKey(session, account, "refuses the key or its secret"), toTargetError)
  yield* Effect.mapError(hasNoWindow(session, account), toTargetError)
  if (profile === "mutating") yield* speaksDialect(session)
})
