import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { Amount, Decimal, Price } from "../../src/domain/Decimal.ts"
import { ApiKey } from "../../src/domain/Identifiers.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control, make } from "../../src/sandbox/control/Control.ts"
import { ControlClient } from "../../src/sandbox/control/ControlClient.ts"
import * as Saved from "../../src/sandbox/engine/Saved.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { Venue } from "../../src/sandbox/venue/Venue.ts"
import { Base, inProcess, overHttp, post, type World, worlds } from "../support/control.ts"
import { canonical } from "../support/engine.ts"
import { alice, bob, btcPerp, btcUsdt, emptySubAccount, setUp, usdt } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { scratchFile } from "../support/files.ts"
import { property } from "../support/property.ts"
import { signed } from "../support/signed.ts"

/** Returns the entire state, except for values that depend only on the times of its commands. */
const shown = Venue.use(({ state }) =>
  Effect.sync(() => canonical({ ...Saved.save(state), currencies: 0, at: 0, clock: 0 }))
)

type Step = "fund" | "order" | "price" | "key" | "cancel" | "snapshot" | "restore" | "begin" | "reset"

/** Takes random steps on an exchange, and copies its state after each command that a test may restore. */
const walk = Effect.fnUntraced(function*(steps: ReadonlyArray<Step>) {
  const control = yield* Control
  const venue = yield* Venue
  const seen = new Map<number, string>([[venue.sequence(), yield* shown]])
  let beginning = venue.origin()
  for (const [index, step] of steps.entries()) {
    switch (step) {
      case "fund":
        yield* control.fund({ account: "alice", wallet: "trade", ticker: usdt, amount: Amount.make("1") })
        break
      case "order":
        yield* venue.handle(
          signed(venue.dialect, "/api/v4/order/new", { market: "BTC_USDT", side: "buy", amount: "0.1", price: "1000" })
        )
        break
      case "price":
        yield* control.movePrice({ market: btcUsdt, price: Price.make(String(990 + index)) })
        break
      case "key": {
        const apiKey = ApiKey.make(`key-${venue.sequence()}-0001`)
        yield* control.addKey({ account: "bob", apiKey, apiSecret: "s", title: "t", type: "1", enabled: true })
        break
      }
      case "cancel":
        yield* venue.handle(signed(venue.dialect, "/api/v4/order/cancel/all"))
        break
      case "snapshot":
        assert.strictEqual(yield* control.snapshot, venue.sequence())
        break
      case "begin":
        yield* control.begin
        beginning = venue.sequence()
        break
      case "reset":
        yield* control.reset
        if (seen.has(beginning)) assert.strictEqual(yield* shown, seen.get(beginning))
        break
      case "restore": {
        const known = [...seen.keys()]
        const to = known[(index * 7) % known.length] ?? 0
        yield* control.restore(to)
        assert.strictEqual(yield* shown, seen.get(to))
        break
      }
    }
    seen.set(venue.sequence(), yield* shown)
    assert.strictEqual(venue.origin(), beginning)
  }
  return seen
})

const steps = fc.array(
  fc.constantFrom<Step>("fund", "order", "price", "key", "cancel", "snapshot", "restore", "begin", "reset"),
  { maxLength: 25 }
)

describe("restoring earlier states", () => {
  property(
    "restoring, replaying, forking or reopening the journal rebuilds the state exactly",
    [steps, fc.constantFrom("document", "live")],
    (steps, name) =>
      Effect.gen(function*() {
        const dialect = Dialect.byName[name]
        const file = yield* scratchFile
        const told = yield* Effect.gen(function*() {
          yield* setUp
          const control = yield* Control
          yield* control.begin
          const seen = yield* walk(steps)
          const status = yield* control.status
          const lines = yield* Stream.runCollect(control.journal)
          assert.strictEqual(lines.length, status.sequence)
          for (const [sequence, state] of seen) {
            if (sequence % 5 > 0) continue
            const forked = yield* control.fork(sequence)
            assert.strictEqual(yield* Effect.provideService(shown, Venue, forked), state)
          }
          return { status, lines, state: yield* shown }
        }).pipe(Effect.scoped, Effect.provide(Layer.fresh(Sandbox.layer({ dialect, file }))))
        yield* Effect.gen(function*() {
          assert.strictEqual(yield* shown, told.state)
          assert.deepStrictEqual(yield* Control.use(({ status }) => status), told.status)
        }).pipe(Effect.provide(Layer.fresh(Sandbox.layer({ dialect, file }))))
        yield* Effect.gen(function*() {
          const control = yield* Control
          yield* control.replay(told.lines)
          assert.strictEqual(yield* shown, told.state)
          assert.deepStrictEqual(yield* control.status, told.status)
        }).pipe(Effect.provide(Layer.fresh(Sandbox.layer({ dialect }))))
      }),
    { runs: 25 }
  )

  it.live("restoring an unknown command, replaying into a used venue, and replaying an invalid journal are refused", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const venue = yield* Venue
      const ahead = venue.sequence() + 1
      assert.deepStrictEqual((yield* failsWith("ControlRefused")(control.restore(ahead))).fields, { sequence: "known" })
      yield* failsWith("ControlRefused")(Effect.scoped(control.fork(ahead)))
      assert.deepStrictEqual((yield* failsWith("ControlRefused")(control.replay([]))).fields, { venue: "empty" })
      const fresh = <A, E>(effect: Effect.Effect<A, E, Control>) => Effect.provide(effect, Layer.fresh(Sandbox.layer()))
      const line = `{"at":1,"action":{"_tag":"OpenAccount","account":"a","b2b":true}}`
      for (
        const [lines, fields] of [
          [[line, "{"], { "line 2": "format" }],
          [[line, "", `{"at":1}`], { "line 2": "format" }],
          [[line, `{"at":2,"action":{"_tag":"Restore","sequence":2}}`], { "line 2": "known" }]
        ] as const
      ) {
        yield* fresh(Effect.gen(function*() {
          const control = yield* Control
          assert.deepStrictEqual((yield* failsWith("ControlRefused")(control.replay(lines))).fields, fields)
          // No command in the refused journal was applied.
          assert.strictEqual((yield* control.status).sequence, 0)
        }))
      }
    }).pipe(Effect.provide(inProcess())))

  it.live("a fork shares no state with its origin, and ends when its scope closes", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const before = yield* shown
      yield* Effect.scoped(Effect.gen(function*() {
        const forked = yield* control.fork()
        const own = make(forked)
        assert.deepStrictEqual(yield* own.status, { ...yield* control.status, fork: 1 })
        yield* own.fund({ account: "alice", wallet: "main", ticker: usdt, amount: Amount.make("5") })
        yield* own.addFault({ symptom: { _tag: "Reset", applied: false } })
        const call = signed(Dialect.document, "/api/v4/main-account/balance")
        assert.deepStrictEqual(yield* forked.handle(call), { _tag: "Reset" })
        assert.strictEqual((yield* post(call)).status, 200)
      }))
      // The call to the origin used up a nonce, so the origin's state has changed.
      assert.notStrictEqual(yield* shown, before)
      assert.deepStrictEqual(
        (yield* control.balances("alice")).find(({ ticker, wallet }) => wallet === "main" && ticker === usdt)?.free,
        "1000.5" as never
      )
    }).pipe(Effect.provide(inProcess())))
})

describe.each(worlds)("going back in history (%s)", (_name, dialect, world) => {
  const test = <E>(name: string, effect: Effect.Effect<unknown, E, World>) =>
    it.live(name, () => Effect.provide(effect, world))

  const balance = "/api/v4/main-account/balance"

  test(
    "after a restore, nonces that the restored state has not used can be used again",
    Effect.gen(function*() {
      const control = yield* ControlClient
      const { sequence } = yield* control.snapshot({ payload: {} })
      const call = signed(dialect, balance)
      assert.strictEqual((yield* post(call)).status, 200)
      assert.strictEqual((yield* post(call)).status, dialect.refusals.nonceUsed.status)
      yield* control.restore({ payload: { sequence } })
      assert.strictEqual((yield* post(call)).status, 200)
    })
  )

  test(
    "the owner can disable, restrict and re-enable keys and sub-accounts",
    Effect.gen(function*() {
      const control = yield* ControlClient
      const status = (path: string, fields: object = {}) =>
        Effect.map(post(signed(dialect, path, fields)), ({ status }) => status)
      const key = (more: object) => control.setKey({ payload: { apiKey: ApiKey.make(alice.apiKey), ...more } })
      yield* key({ enabled: false })
      assert.strictEqual(yield* status(balance), dialect.refusals.keyDisabled.status)
      yield* key({ enabled: true, endpoints: [{ name: "/api/v4/main-account/fee", title: "Fees" }] })
      assert.strictEqual(yield* status(balance), dialect.refusals.endpointNotAllowed.status)
      assert.strictEqual(yield* status("/api/v4/main-account/fee"), 200)
      yield* key({ endpoints: null })
      assert.strictEqual(yield* status(balance), 200)
      yield* failsWith("ControlRefused")(control.setKey({ payload: { apiKey: ApiKey.make("nobody") } }))

      const permissions = Effect.gen(function*() {
        const { body } = yield* post(signed(dialect, "/api/v4/sub-account/list"))
        const { data } = JSON.parse(body) as {
          readonly data: ReadonlyArray<{ id: string; permissions: object; kyc: object }>
        }
        return data.find(({ id }) => id === emptySubAccount)
      })
      const before = yield* permissions
      yield* control.setSubAccount({ payload: { id: emptySubAccount, spotEnabled: false, kycStatus: "refused" } })
      const after = yield* permissions
      assert.deepInclude(after?.permissions, { spotEnabled: false })
      assert.deepInclude(after?.kyc, { kycStatus: "refused" })
      yield* control.setSubAccount({ payload: { id: emptySubAccount, spotEnabled: true, kycStatus: "shared" } })
      assert.deepStrictEqual(yield* permissions, before)
    })
  )

  test(
    "the owner can step the price up and down, but a step to zero or below is refused",
    Effect.gen(function*() {
      const control = yield* ControlClient
      const { state } = yield* Venue
      const last = Effect.sync(() => state.trading.get(btcUsdt)?.lastPrice)
      const step = (by: string) => control.stepPrice({ payload: { market: btcUsdt, by: Decimal.make(by) } })
      yield* failsWith("ControlRefused")(step("1"))
      yield* control.movePrice({ payload: { market: btcUsdt, price: Price.make("100") } })
      yield* step("-0.5")
      assert.strictEqual(yield* last, 995n * 10n ** 17n)
      for (const by of ["-99.5", "-1000"]) {
        const error = yield* failsWith("ControlRefused")(step(by))
        assert.deepStrictEqual(error.fields, { by: "positive" })
      }
      assert.strictEqual(yield* last, 995n * 10n ** 17n)
      yield* step("0.5")
      assert.strictEqual(yield* last, 100n * 10n ** 18n)
    })
  )

  test(
    "a reduce-only order can reduce a position that the owner opened, but is refused once the position is closed",
    Effect.gen(function*() {
      const control = yield* ControlClient
      const reduce = (side: string, amount: string) =>
        Effect.map(
          post(signed(dialect, "/api/v4/order/collateral/limit", {
            market: "BTC_PERP",
            side,
            amount,
            price: side === "sell" ? "900" : "1100",
            reduceOnly: true
          })),
          ({ body, status }) => [status, (JSON.parse(body) as { readonly code?: number }).code]
        )
      assert.strictEqual((yield* reduce("sell", "1"))[1], 116)
      const open = { account: "alice", market: btcPerp, side: "buy", amount: Amount.make("2") } as const
      const unpriced = yield* failsWith("ControlRefused")(control.openPosition({ payload: open }))
      assert.deepStrictEqual(unpriced.fields, { price: "required" })
      yield* control.openPosition({ payload: { ...open, price: Price.make("1000") } })
      const positions = control.positions({ query: { account: "alice" } })
      assert.deepStrictEqual((yield* positions).map(({ amount, cost }) => [String(amount), String(cost)]), [[
        "2",
        "2000"
      ]])
      assert.strictEqual((yield* reduce("buy", "1"))[1], 116)
      assert.strictEqual((yield* reduce("sell", "1"))[0], 200)
      yield* control.movePrice({ payload: { market: btcPerp, price: Price.make("1000") } })
      assert.deepStrictEqual((yield* positions).map(({ amount }) => String(amount)), ["1"])
      yield* control.openPosition({ payload: { ...open, side: "sell", amount: Amount.make("1") } })
      assert.deepStrictEqual(yield* positions, [])
      assert.strictEqual((yield* reduce("sell", "1"))[1], 116)
    })
  )
})

it.live("a fork over HTTP keeps running when its origin is reset", () =>
  Effect.gen(function*() {
    const control = yield* ControlClient
    yield* control.begin({ payload: {} })
    yield* control.fund({ payload: { account: "bob", wallet: "main", ticker: usdt, amount: Amount.make("3") } })
    const { url } = yield* control.fork({ payload: {} })
    yield* control.reset({ payload: {} })
    const call = signed(Dialect.document, "/api/v4/main-account/balance", {}, bob)
    const { body } = yield* Effect.provideService(post(call), Base, url)
    assert.deepInclude(JSON.parse(body), { USDT: { main_balance: "3" } })
    assert.deepStrictEqual(
      (yield* control.balances({ query: { account: "bob" } })).filter(({ ticker }) => ticker === usdt),
      []
    )
  }).pipe(Effect.provide(overHttp())))
