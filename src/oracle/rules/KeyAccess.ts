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

type Opener = (world: World, path: string) => Effect.Effect<Account, Verdict.CheckError>

/** Creates a rule that every endpoint refuses a call from one account, and accepts the same call from another. */
const everywhere = (id: string, statement: string, why: string, denied: Opener, allowed: Opener): Rule.Rule =>
  section.forEach(id, {
    statement,
    values: pathsOf,
    check: Effect.fnUntraced(function*(world, path) {
      const call = Effect.fnUntraced(function*(opener: Opener) {
        const account = yield* opener(world, path)
        return yield* world.call(account, path, yield* fieldsOf(world, account, path))
      })
      yield* Refusals.any(yield* call(denied), `because ${why}`)
      const answer = yield* call(allowed)
      yield* LiveCalls.served(world, path, answer)
      yield* Verdict.expect(answer, "HTTP 2xx", answer.status < 300)
    })
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
    (world) =>
      Effect.tap(
        world.open(),
        ({ apiKey }) => world.control("SetKey", { apiKey: Redacted.value(apiKey), enabled: false })
      ),
    (world) => world.open()
  ),
  everywhere(
    "auth.key.endpoints.everywhere",
    "Accepts a restricted key on its only endpoint, and refuses a key that is restricted to "
      + "another endpoint",
    "the endpoint is not on the key's list",
    (world, path) => world.open({ endpoints: [path === Paths.fees ? Paths.mainBalance : Paths.fees] }),
    (world, path) => world.open({ endpoints: [path] })
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
  section.always("auth.key.endpoints.refusal", {
    statement: "Refuses a call to an endpoint outside the key's list with HTTP 401, code 4",
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
    statement: "Refuses an account without partner access with HTTP 403, code 0",
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
