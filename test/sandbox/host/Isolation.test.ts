import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { prefix } from "../../../src/sandbox/control/ControlApi.ts"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as InProcess from "../../../src/sandbox/server/InProcess.ts"
import type { Account } from "../../support/exchange.ts"
import * as Calls from "../../support/host.ts"
import { property } from "../../support/property.ts"

const { balance, call, keyOf, own, parse, ping, placeLimit, send } = Calls

// -----------------------------------------------------------------------------
// Venues together or alone
// -----------------------------------------------------------------------------

/** One action on a venue. */
type Step =
  | { readonly _tag: "Call"; readonly account: "alice" | "bob"; readonly path: string; readonly fields: object }
  | {
    readonly _tag: "Own"
    readonly method: "GET" | "POST" | "DELETE"
    readonly operation: string
    readonly fields?: object
  }
  | { readonly _tag: "Sleep" }

const account = fc.constantFrom("alice" as const, "bob" as const)

const asCall = (account: "alice" | "bob", path: string, fields: object): Step => ({
  _tag: "Call",
  account,
  path,
  fields
})
const asOwn = (operation: string, fields: object): Step => ({ _tag: "Own", method: "POST", operation, fields })
const asLook = (operation: string): Step => ({ _tag: "Own", method: "GET", operation })

const order = fc.record({
  market: fc.constant("BTC_USDT"),
  side: fc.constantFrom("buy", "sell"),
  amount: fc.constantFrom("0.1", "0.2", "0.5"),
  price: fc.integer({ min: 39_900, max: 40_100 }).map(String)
})

const symptom = fc.constantFrom({ _tag: "Reset", applied: true }, { _tag: "Refuse", kind: "rateLimited" }, {
  _tag: "BadGateway",
  applied: false
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(account, order).map(([who, fields]) => asCall(who, placeLimit, fields)) },
  { weight: 2, arbitrary: account.map((who) => asCall(who, balance, {})) },
  account.map((who) => asCall(who, "/api/v4/order/cancel/all", { market: "BTC_USDT" })),
  // Calls that create keys and codes are excluded, because their secrets are drawn at random.
  account.map((who) =>
    asCall(who, "/api/v4/main-account/transfer", { ticker: "USDT", amount: "5", from: "main", to: "spot" })
  ),
  fc.integer({ min: 39_000, max: 41_000 }).map((price) =>
    asOwn("MovePrice", { market: "BTC_USDT", price: String(price) })
  ),
  fc.integer({ min: 0, max: 5000 }).map((millis) => asOwn("AdvanceClock", { millis })),
  fc.tuple(account, fc.integer({ min: 1, max: 9 })).map(([of, amount]) =>
    asOwn("Fund", { account: of, wallet: "trade", ticker: "BTC", amount: String(amount) })
  ),
  fc.tuple(symptom, fc.constantFrom(balance, placeLimit)).map(([symptom, path]) =>
    asOwn("Faults", { path, probability: 0.5, times: 3, symptom })
  ),
  fc.integer({ min: 0, max: 3 }).map((calls) => asOwn("Limit", { path: balance, limit: { calls, perSeconds: 1 } })),
  fc.constant(asOwn("Reset", {})),
  fc.constantFrom(
    asLook("Requests"),
    asLook("Faults"),
    asLook("Balances?account=alice"),
    asLook("Candles?market=BTC_USDT&seconds=1")
  ),
  { weight: 2, arbitrary: fc.constant<Step>({ _tag: "Sleep" }) }
)

/** The venue or sandbox on which the steps are carried out. */
interface Place {
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
  readonly keyOf: (account: string) => Account
  readonly sleep: Effect.Effect<unknown>
}

/** Carries out the steps. Returns their responses and the venue's final state. */
const carryOut = Effect.fnUntraced(function*(place: Place, steps: ReadonlyArray<Step>) {
  const answers: Array<unknown> = []
  let nonce = 1_700_000_000_000
  for (const step of steps) {
    if (step._tag === "Sleep") {
      yield* place.sleep
      continue
    }
    const answered = step._tag === "Own"
      ? own(place, step.method, step.operation, step.fields)
      : call(place.url, step.path, place.keyOf(step.account), step.fields, { nonce: ++nonce })
    answers.push(yield* Effect.catchDefect(answered, () => Effect.succeed({ status: 0, text: "reset" })))
    // Lets other venues run between two steps.
    yield* Effect.yieldNow
  }
  return { answers, status: yield* own(place, "GET", "Status") }
})

/** Carries out the steps in a separate sandbox with the same initial state, and returns the result. */
const alone = (venue: Host.Made, beginning: string, steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const control = yield* Control.Control
    yield* control.replay(beginning.split("\n"))
    return yield* carryOut({
      url: InProcess.baseUrl,
      controlUrl: InProcess.baseUrl + prefix,
      controlToken: venue.controlToken,
      keyOf: (name) => keyOf(venue, name),
      sleep: Effect.void
    }, steps)
  }).pipe(Effect.provide(
    Layer.fresh(Sandbox.layer({ dialect: Dialect.byName[venue.dialect], controlToken: venue.controlToken, seed: 3 }))
  ))

property(
  "venues that run together, asleep or awake, give the same responses and states as each would alone",
  [fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 5 })],
  (histories) =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venues = yield* Effect.forEach(histories, () => host.make({ clock: 1_700_000_000_000_000, seed: 3 }))
      const beginnings = yield* Effect.forEach(venues, (venue) => own(venue, "GET", "Journal"))
      const together = yield* Effect.forEach(
        venues,
        (venue, index) =>
          carryOut(
            { ...venue, keyOf: (name) => keyOf(venue, name), sleep: Effect.orDie(host.sleep(venue.id)) },
            histories[index] ?? []
          ),
        { concurrency: "unbounded" }
      )
      for (const [index, venue] of venues.entries()) {
        const expected = yield* alone(venue, beginnings[index]?.text ?? "", histories[index] ?? [])
        assert.deepStrictEqual(together[index], expected)
      }
      // At most two venues can be awake at the same time, so the venues take turns.
    }).pipe(Effect.provide(Layer.fresh(Host.layer({ maxAwake: 2 })))),
  { runs: 100, short: 4 }
)

// -----------------------------------------------------------------------------
// Credentials and addresses
// -----------------------------------------------------------------------------

describe("isolation of venues", () => {
  it.effect("one venue's tokens and keys are not valid in another venue", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const [one, other] = [yield* host.make({ owner: "a" }), yield* host.make({ owner: "a" })] as const
      const hostPlane = { controlUrl: `${InProcess.baseUrl}${prefix}`, controlToken: host.token }
      const tries: ReadonlyArray<readonly [url: string, token: string]> = [
        [one.controlUrl, other.controlToken],
        [other.controlUrl, one.controlToken],
        [one.controlUrl, host.token],
        [hostPlane.controlUrl, one.controlToken],
        [hostPlane.controlUrl, ""]
      ]
      for (const [controlUrl, controlToken] of tries) {
        for (const operation of ["Status", "Venues", "Host", "Journal", "Requests"]) {
          assert.strictEqual((yield* own({ controlUrl, controlToken }, "GET", operation)).status, 401, operation)
        }
      }
      // None of these calls has woken a venue.
      assert.isTrue((yield* host.list()).every(({ awake }) => !awake))
      for (const name of Object.keys(one.keys)) {
        const [mine, theirs] = [
          yield* call(one.url, balance, keyOf(one, name)),
          yield* call(other.url, balance, keyOf(one, name))
        ]
        assert.notInclude(mine.text, `"code":10,`, name)
        assert.include(theirs.text, `"code":10,`, name)
      }
    }).pipe(Effect.provide(Host.layer())))

  it.effect("new secrets and codes have nothing in common with the identifiers that a venue shows", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venue = yield* host.make({ clock: 1_700_000_000_000_000, seed: 3 })
      const alice = keyOf(venue, "alice")
      const { data } = parse(yield* call(venue.url, "/api/v4/sub-account/list", alice))
      const [{ id = "" } = {}] = data as ReadonlyArray<Record<string, string>>
      const fields = { subAccountId: id, title: "t", type: 1 }
      const made = parse(yield* call(venue.url, "/api/v4/sub-account/api-key/create", alice, fields))
      const created = parse(
        yield* call(venue.url, "/api/v4/main-account/codes", alice, { ticker: "USDT", amount: "5" })
      )
      for (const secret of [made["apiSecret"], created["code"]]) {
        for (const shown of [made["apiKey"], made["id"], created["external_id"]]) {
          const words = String(shown).split("-").filter((word) => word.length > 4)
          for (const word of words) assert.notInclude(String(secret), word)
        }
      }
    }).pipe(Effect.provide(Host.layer())))

  it.effect("the exchange creates different keys in venues with the same history", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const clock = 1_700_000_000_000_000
      const venues = [yield* host.make({ clock }), yield* host.make({ clock })] as const
      const made = yield* Effect.forEach(venues, (venue) =>
        Effect.gen(function*() {
          // Even after a restore to the beginning, a venue does not create the same keys as the other venue.
          yield* own(venue, "POST", "Restore", { sequence: 0 })
          yield* own(venue, "POST", "OpenAccount", { account: "alice", b2b: true })
          const key = { apiKey: `key of ${venue.id}`, apiSecret: "the same secret" }
          yield* own(venue, "POST", "AddKey", { account: "alice", ...key, title: "", type: "2", enabled: true })
          const account = { account: "alice", ...key }
          const { id } = parse(
            yield* call(venue.url, "/api/v4/sub-account/create", account, {
              alias: "a",
              email: "a@example.com",
              shareKyc: false,
              permissions: { spotEnabled: true, collateralEnabled: true }
            })
          )
          const created = parse(
            yield* call(venue.url, "/api/v4/sub-account/api-key/create", account, {
              subAccountId: id,
              title: "t",
              type: 1
            })
          )
          assert.isString(created["apiKey"], JSON.stringify(created))
          return { account: "", apiKey: String(created["apiKey"]), apiSecret: String(created["apiSecret"]) }
        }))
      const path = "/api/v4/trade-account/balance"
      for (const [index, venue] of venues.entries()) {
        for (const [of, key] of made.entries()) {
          assert.strictEqual((yield* call(venue.url, path, key)).status, of === index ? 200 : 401)
        }
      }
    }).pipe(Effect.provide(Host.layer())))

  it.effect("a venue can't be reached by another venue's path, name or id", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const [one, other] = [yield* host.make({}), yield* host.make({})] as const
      const asked = Effect.fnUntraced(function*(path: string, headers: Readonly<Record<string, string>> = {}) {
        return (yield* send("GET", InProcess.baseUrl + path, headers)).status
      })
      for (
        const path of [
          ping,
          "/openapi.json",
          `/v/${ping}`,
          "/v/",
          `/v/none${ping}`,
          `/V/${one.id}${ping}`,
          `/v/${one.id.toUpperCase()}${ping}`,
          `/v/${one.id}x${ping}`,
          `/v/${one.id}%2f${ping}`,
          `/v/__proto__${ping}`,
          `/v/${one.id}/v/${other.id}${ping}`,
          `/v/${one.id}/fork/1${ping}`,
          `/v/${one.id}/fork/${ping}`,
          `//v/${one.id}${ping}`
        ]
      ) assert.strictEqual(yield* asked(path), 404, path)
      assert.strictEqual(yield* asked(`/v/${one.id}${ping}`), 200)
      const named = (host: string, path = ping) => asked(path, { host })
      assert.strictEqual(yield* named(`${one.id}.localhost:8080`), 200)
      assert.strictEqual(yield* named(`${one.id.toUpperCase()}.LOCALHOST.`), 200)
      assert.strictEqual(yield* named(`${one.id}.localhost`, `/v/${other.id}${ping}`), 404)
      for (const name of ["none.localhost", `x.${one.id}.localhost`, ".localhost"]) {
        assert.strictEqual(yield* named(name), 404, name)
      }
      for (const name of ["localhost", "127.0.0.1:1", "[::1]:8080", `${one.id}.example.com`]) {
        assert.strictEqual(yield* named(name, `/v/${one.id}${ping}`), 200, name)
      }
      // This call has one venue's token, but its path leads to the other venue.
      const out = yield* own(
        { controlUrl: `${one.url}/control/v1/../../../${other.id}/control/v1/`, controlToken: one.controlToken },
        "GET",
        "Status"
      )
      assert.notStrictEqual(out.status, 200)
    }).pipe(Effect.provide(Host.layer())))

  it.effect("the nonces, limits, faults and time of one venue do not affect another venue", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const [one, other] = [yield* host.make({}), yield* host.make({})] as const
      yield* own(one, "POST", "Faults", { symptom: { _tag: "Refuse", kind: "rateLimited" } })
      yield* own(one, "POST", "Limit", { limit: { calls: 0, perSeconds: 60 } })
      yield* own(one, "POST", "FreezeClock")
      yield* own(one, "POST", "AdvanceClock", { millis: 86_400_000 })
      yield* own(one, "POST", "SkewClock", { millis: 86_400_000 })
      const { frozen, skewMillis } = parse(yield* own(other, "GET", "Clock"))
      assert.deepStrictEqual([frozen, skewMillis], [false, 0])
      const nonce = 7e15
      assert.strictEqual((yield* call(other.url, balance, keyOf(other, "alice"), {}, { nonce })).status, 200)
      assert.strictEqual((yield* call(one.url, balance, keyOf(one, "alice"), {}, { nonce })).status, 429)
      yield* own(one, "POST", "Limit", {})
      yield* own(one, "DELETE", "Faults")
      assert.strictEqual((yield* call(one.url, balance, keyOf(one, "alice"), {}, { nonce })).status, 200)
      assert.strictEqual((yield* own(other, "GET", "Requests")).text.match(/"number"/gu)?.length, 1)
    }).pipe(Effect.provide(Host.layer())))
})
