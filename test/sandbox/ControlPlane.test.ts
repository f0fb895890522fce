import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Amount } from "../../src/domain/Decimal.ts"
import { ticker } from "../../src/domain/Identifiers.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as ControlPlane from "../../src/sandbox/ControlPlane.ts"
import * as Ledger from "../../src/sandbox/engine/Ledger.ts"
import * as Units from "../../src/sandbox/engine/Units.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as Venue from "../../src/sandbox/Venue.ts"

const token = "the token of this test"

interface Options {
  readonly method?: string
  readonly authorization?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What the control plane answers: the status, and the body as JSON. */
const send = Effect.fnUntraced(function*(name: string, body: string, options: Options = {}) {
  const venue = yield* Venue.Venue
  const answer = yield* ControlPlane.handle(venue, token, {
    method: options.method ?? "POST",
    path: ControlPlane.prefix + name,
    headers: {
      authorization: options.authorization ?? `Bearer ${token}`,
      "content-type": options.type ?? "application/json",
      ...options.headers
    },
    body: new TextEncoder().encode(body),
    from: "test"
  }) ?? Effect.die("it is a request of the exchange")
  return answer._tag === "Answer" ? [answer.status, JSON.parse(answer.body) as unknown] as const : answer
})

const status = (name: string, body: string, options: Options = {}) =>
  Effect.map(send(name, body, options), (answer) => "_tag" in answer ? answer._tag : answer[0])

const fund = JSON.stringify({ account: "bob", wallet: "trade", ticker: "BTC", amount: "1.5" })

const held = Effect.map(Venue.Venue, ({ state }) =>
  Units.toDecimal(
    Ledger.balance(state.ledger, { account: "bob", wallet: "trade", locked: false }, ticker("BTC"))
  ))

const inSandbox = <A, E>(test: Effect.Effect<A, E, Venue.Venue>) =>
  Effect.andThen(Effect.orDie(Example.setUp), test).pipe(Effect.provide(Sandbox.layer()))

describe("the control plane", () => {
  it.effect("carries out the actions of the control", () =>
    inSandbox(Effect.gen(function*() {
      assert.deepStrictEqual(yield* send("Fund", fund), [200, {}])
      assert.strictEqual(yield* held, Amount.make("1.5"))
      assert.deepStrictEqual(yield* send("MovePrice", `{"market":"BTC_USDT","price":"40000"}`), [200, {}])
      const { state } = yield* Venue.Venue
      const price = [...state.trading].find(([market]) => market === "BTC_USDT")?.[1].lastPrice ?? 0n
      assert.strictEqual<string>(Units.toDecimal(price), "40000")
    })))

  it.effect("says which fields break which rules", () =>
    inSandbox(Effect.gen(function*() {
      const nobody = JSON.stringify({ account: "nobody", wallet: "main", ticker: "BTC", amount: "1" })
      assert.deepStrictEqual(yield* send("Fund", nobody), [400, { message: "refused", fields: { account: "known" } }])
    })))

  it.effect("refuses what is no action, what is no JSON, and calls", () =>
    inSandbox(Effect.gen(function*() {
      assert.strictEqual(yield* status("NoSuch", "{}"), 404)
      assert.strictEqual(yield* status("Fund", "{"), 400)
      assert.strictEqual(yield* status("Fund", "[]"), 400)
      assert.strictEqual(yield* status("Fund", fund, { method: "PUT" }), 405)
      assert.strictEqual(yield* status("Call", `{"apiKey":"k","operation":{"_tag":"Nothing"}}`), 404)
    })))

  it.effect("is closed to everybody without its token, also to exchange keys and forms of other origins", () =>
    inSandbox(Effect.gen(function*() {
      const { apiKey, apiSecret } = Example.alice
      for (const authorization of ["", "Bearer ", "Bearer no", `Bearer ${apiSecret}`, token, `bearer ${token}`]) {
        assert.strictEqual(yield* status("Fund", fund, { authorization }), 401, authorization)
      }
      const headers = { "x-txc-apikey": apiKey, authorization: "" }
      assert.strictEqual(yield* status("Fund", fund, { headers }), 401)
      for (const type of ["text/plain", "application/x-www-form-urlencoded", ""]) {
        assert.strictEqual(yield* status("Fund", fund, { type }), 415, type)
      }
      assert.strictEqual<string>(yield* held, "0")
    })))

  it.effect("its token opens nothing on the exchange", () =>
    inSandbox(Effect.gen(function*() {
      const venue = yield* Venue.Venue
      const request = {
        method: "POST",
        path: "/api/v4/main-account/balance",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: new TextEncoder().encode("{}"),
        from: "test"
      }
      assert.isUndefined(ControlPlane.handle(venue, token, request))
      const answer = yield* venue.handle(request)
      assert.strictEqual(answer._tag === "Answer" && answer.status, Dialect.document.refusals.payloadMissing.status)
    })))

  it.effect("sets faults and clears them", () =>
    inSandbox(Effect.gen(function*() {
      const { faults } = yield* Venue.Venue
      const fault = JSON.stringify({ path: "/a", times: 5, symptom: { _tag: "Reset", applied: true } })
      assert.strictEqual(yield* status("Faults", fault), 200)
      assert.deepStrictEqual(faults.next("/a", undefined), { _tag: "Reset", applied: true })
      assert.strictEqual(yield* status("Faults", `{"symptom":{"_tag":"NoSuch"}}`), 400)
      assert.strictEqual(yield* status("Faults", "", { method: "DELETE" }), 200)
      assert.isUndefined(faults.next("/a", undefined))
    })))
})
