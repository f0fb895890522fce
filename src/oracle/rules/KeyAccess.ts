/** Rules about the calls that a key may make, and the account that a key belongs to (document, "Authentication"). */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import { accepted, fieldsOf, pathsOf } from "../world/FaultyCalls.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import type { Account, World } from "../world/World.ts"

const section = Section.of({ clause: "Authentication" })

/** Restricts one of an account's keys. Succeeds with the account that signs with this key. */
type Restrict = (world: World, owner: Account, path: string) => Effect.Effect<Account, Verdict.CheckError>

/**
 * Creates a rule that every endpoint refuses a call with one key of an account, and accepts the same call with another
 * key. An unrestricted key prepares the call, because a restricted one could not place the order that the call changes.
 */
const everywhere = (id: string, statement: string, why: string, denied: Restrict, allowed: Restrict): Rule.Rule =>
  section.forEach(id, {
    statement,
    values: pathsOf,
    check: Effect.fnUntraced(function*(world, path) {
      const owner = yield* world.open()
      const fields = yield* fieldsOf(world, owner, path)
      const call = (restrict: Restrict) =>
        Effect.flatMap(restrict(world, owner, path), (account) => world.call(account, path, fields))
      yield* Refusals.any(yield* call(denied), `because ${why}`)
      const answer = yield* call(allowed)
      yield* LiveCalls.served(world, path, answer)
      yield* Verdict.expect(answer, "HTTP 2xx", answer.status < 300)
    })
  })

const setKey = (world: World, owner: Account, enabled: boolean) =>
  Effect.as(world.control("SetKey", { apiKey: Redacted.value(owner.apiKey), enabled }), owner)

/** Gives an account another key, which may call only one endpoint. */
const addKeyOf = Effect.fnUntraced(function*(world: World, owner: Account, endpoint: string) {
  const apiKey = world.unique("restricted")
  const apiSecret = `${apiKey}-secret`
  const endpoints = [{ name: endpoint, title: endpoint }]
  const key = { account: owner.id, apiKey, apiSecret, title: "restricted", type: "2", enabled: true, endpoints }
  yield* world.control("AddKey", key)
  return { ...owner, apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  section.always("auth.key.disabled", {
    statement: "Refuses a disabled key, and accepts it once it is enabled",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const apiKey = Redacted.value(account.apiKey)
      yield* world.control("SetKey", { apiKey, enabled: false })
      const answer = yield* world.call(account, Paths.mainBalance)
      yield* Refusals.exactly(answer, { status: 401, codes: [2] }, "because the key is disabled")
      yield* world.control("SetKey", { apiKey, enabled: true })
      yield* accepted(yield* world.call(account, Paths.mainBalance), "because the key was enabled")
    })
  }),
  everywhere(
    "auth.key.enabled",
    "Refuses a disabled key on every endpoint that accepts an enabled key",
    "the key is disabled",
    (world, owner) => setKey(world, owner, false),
    (world, owner) => setKey(world, owner, true)
  ),
  everywhere(
    "auth.key.endpoints.everywhere",
    "Accepts a restricted key on its only endpoint, and refuses a key that is restricted to "
      + "another endpoint",
    "the endpoint is not on the key's list",
    (world, owner, path) => addKeyOf(world, owner, path === Paths.fees ? Paths.mainBalance : Paths.fees),
    addKeyOf
  ),
  section.forAll("auth.key.endpoints", {
    statement: "Accepts a restricted key only on its listed endpoints",
    values: fc.tuple(fc.subarray([...Paths.reads], { minLength: 1 }), fc.constantFrom(...Paths.reads)),
    examples: [[[Paths.fees], Paths.mainBalance], [[Paths.fees], Paths.fees]],
    check: Effect.fnUntraced(function*(world, [endpoints, path]) {
      const account = yield* world.open({ isFunded: false, endpoints })
      const answer = yield* world.call(account, path)
      yield* endpoints.includes(path)
        ? accepted(answer, "because the endpoint is on the key's list")
        : Refusals.any(answer, "because the endpoint is not on the key's list")
    })
  }),
  section.forEach("auth.key.endpoints.prefix", {
    statement: "Refuses a restricted key on an endpoint whose path only begins with that of a listed endpoint",
    values: [[Paths.createCode, Paths.applyCode], [Paths.cancelOrder, Paths.cancelAll]] as const,
    check: Effect.fnUntraced(function*(world, [listed, path]) {
      const account = yield* world.open({ isFunded: false, endpoints: [listed] })
      const answer = yield* world.call(account, path, yield* fieldsOf(world, account, path))
      yield* Refusals.any(answer, `because only ${listed} is on the key's list`)
    })
  }),
  section.always("auth.key.endpoints.refusal", {
    statement: "Refuses a call to an endpoint outside the key's list: HTTP 401, code 4",
    level: "SHOULD",
    live: Rule.documented("HTTP 401, code 4"),
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false, endpoints: [Paths.fees] })
      const answer = yield* world.call(account, Paths.mainBalance)
      yield* Refusals.exactly(answer, { status: 401, codes: [4] }, "because the endpoint is not on the key's list")
    })
  }),
  section.always("auth.b2b", {
    statement: "Refuses fixed-term lending to accounts that are not business partners",
    check: Effect.fnUntraced(function*(world) {
      const [other, partner] = [
        yield* world.open({ isFunded: false, b2b: false }),
        yield* world.open({ isFunded: false })
      ]
      yield* Refusals.any(yield* world.call(other, Paths.interest), "because the account is not a business partner")
      yield* accepted(yield* world.call(partner, Paths.interest), "because the account is a business partner")
    })
  }),
  section.always("auth.b2b.refusal", {
    statement: "Refuses an account without partner access: HTTP 403, code 0",
    level: "SHOULD",
    live: Rule.documented("HTTP 403, code 0"),
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.call(yield* world.open({ isFunded: false, b2b: false }), Paths.interest)
      yield* Refusals.exactly(answer, { status: 403, codes: [0] }, "because the account is not a business partner")
    })
  }),
  section.forEach("auth.isolation", {
    statement: "Shows the balance of the key's own account",
    values: ["1", "2.5"],
    check: Effect.fnUntraced(function*(world, amount) {
      const [rich, poor] = [yield* world.open({ isFunded: false }), yield* world.open({ isFunded: false })]
      yield* world.control("Fund", { account: rich.id, wallet: "main", ticker: "ETH", amount })
      const answer = yield* world.call(poor, Paths.mainBalance)
      yield* Verdict.expect(answer, "no ETH", Json.isObject(answer.json) && answer.json["ETH"] === undefined)
    })
  })
]
