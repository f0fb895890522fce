import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Check from "../../src/oracle/Check.ts"
import * as Features from "../../src/oracle/Features.ts"
import * as Report from "../../src/oracle/Report.ts"
import type * as Target from "../../src/oracle/Target.ts"
import * as Markets from "../../src/oracle/world/Markets.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { isLong } from "../support/long.ts"
import * as Support from "../support/oracle.ts"

/**
 * A sandbox that serves only some of the paths that the rules call, and responds to the others with this HTTP status.
 */
const serving = (target: Target.Target, isServed: (path: string) => boolean, status = 404): Target.Target => ({
  ...target,
  send: (request) => {
    const path = request.path.replace("https://sandbox.invalid", "")
    return Paths.all.includes(path) && !isServed(path)
      ? Effect.succeed({ sent: request, status, headers: {}, text: "nothing here", json: undefined })
      : target.send(request)
  }
})

describe("declared features", () => {
  it.live(
    "rules about undeclared endpoints are skipped, and the other rules are checked",
    () =>
      Effect.gen(function*() {
        const sandbox = yield* Support.inProcess(Dialect.document)
        const endpoints = [Paths.ping, Paths.mainBalance, Paths.fees]
        const target = serving(sandbox, (path) => endpoints.includes(path) || path === Paths.activeOrders)
        const keys = yield* Support.account(sandbox)
        const draws = { seed: 1, runs: isLong ? 2 : 1 }
        const undeclared = yield* Check.check({ ...target, keys }, draws)
        assert.isAbove(Report.broken(undeclared).length, 50)
        for (const profile of isLong ? (["read-only", "mutating", "control"] as const) : (["control"] as const)) {
          const report = yield* Check.check({ ...target, keys, features: { endpoints } }, { ...draws, profile })
          assert.deepStrictEqual(Report.broken(report).map(Report.line), [], profile)
          assert.isAbove(Report.tally(report).held, 50)
          const declared = report.results.filter(({ outcome }) =>
            outcome._tag === "Skipped" && outcome.why.startsWith("the target declares that it does not have")
          )
          assert.isAbove(declared.length, 50)
        }
      })
  )

  it.live("the rules about a live-dialect call are broken if it gets HTTP 404 or 501, unless the target declares it missing", () =>
    Effect.gen(function*() {
      const sandbox = yield* Support.inProcess(Dialect.live)
      const missing = [Paths.modifyOrder, Paths.futures]
      const only = ["live-calls.served", "live-changes.replaces", "futures.settlement", "kill-switch.timer"]
      const outcomes = (target: Target.Target) =>
        Effect.map(
          Check.check(target, { profile: "control", runs: 1, only }),
          (report) => report.results.map(({ outcome, rule }) => [rule.id, outcome])
        )
      for (const status of [404, 501]) {
        const target = serving(sandbox, (path) => !missing.includes(path), status)
        const undeclared = Object.fromEntries(yield* outcomes(target))
        assert.deepStrictEqual(only.map((id) => undeclared[id]._tag), ["Broken", "Broken", "Broken", "Held"])
        assert.strictEqual(
          undeclared["live-calls.served"].got,
          `HTTP 404 or 501 from ${Paths.futures}, ${Paths.modifyOrder}`
        )
        assert.include(undeclared["live-changes.replaces"].expected, "under missing in --features")
        const features = { missing: { [Paths.modifyOrder]: "planned for May", [Paths.futures]: "a spot exchange" } }
        const declared = Object.fromEntries(yield* outcomes({ ...target, features }))
        assert.deepStrictEqual(only.map((id) => declared[id]._tag), ["Held", "Skipped", "Skipped", "Held"])
        assert.strictEqual(
          declared["live-changes.replaces"].why,
          `the target declares that it does not have ${Paths.modifyOrder}: planned for May`
        )
      }
    }))

  it("a list of endpoints declares all other calls missing, except calls that rules need to find prices and orders", () => {
    const features = { endpoints: [Paths.ping, Paths.depth] }
    const has = (path: string) => Features.has(features, path)
    assert.deepStrictEqual([Paths.ping, `${Paths.depth}/BTC_USDT`].map(has), [true, true])
    assert.deepStrictEqual([Paths.mainBalance, Paths.killSwitch, `${Paths.fundingRates}/BTC_PERP`].map(has), [
      false,
      false,
      false
    ])
    assert.deepStrictEqual([Paths.tickers, `${Paths.orderBook}/BTC_USDT`, Paths.limitOrder].map(has), [
      true,
      true,
      true
    ])
    assert.isFalse(Features.declares(features, Paths.tickers))
    assert.isFalse(Features.has({ missing: { [Paths.tickers]: "no prices" } }, Paths.tickers))
    assert.isTrue(Features.has(features, Paths.unknown.private))
  })

  it.live("a check calls the paths that the target declares", () =>
    Effect.gen(function*() {
      const sandbox = yield* Support.inProcess(Dialect.document)
      const elsewhere = "/api/v4/order/stop-limit"
      const sent: Array<string> = []
      const target: Target.Target = {
        ...sandbox,
        features: { paths: { [Paths.stopLimit]: elsewhere } },
        send: (request) => {
          sent.push(request.path, String(request.body))
          return sandbox.send(request)
        }
      }
      yield* Check.check(target, { profile: "control", runs: 1, only: ["stop-limit.new.type"] })
      assert.include(sent, elsewhere)
      assert.notInclude(sent, Paths.stopLimit)
      assert.isTrue(
        sent.some((text) => text.includes(`"request":"${elsewhere}"`)),
        "the envelope names the path that is called"
      )
    }))

  it.effect("a declaration with an unknown path, an unknown key or an invalid price is refused", () =>
    Effect.gen(function*() {
      const parse = (declared: unknown) => Features.parse(JSON.stringify(declared))
      const good = {
        endpoints: [Paths.ping, Paths.killSwitch],
        missing: { [Paths.futures]: "not yet" },
        paths: { [Paths.stopLimit]: "/elsewhere" },
        prices: { BTC_USDT: "40000" }
      }
      assert.deepStrictEqual(yield* parse(good), good)
      assert.deepStrictEqual(yield* parse({}), {})
      const bad: ReadonlyArray<unknown> = [
        { endpoints: ["/api/v4/public/pong"] },
        { missing: { "/api/v4/public/pong": "a typo" } },
        { paths: { "/api/v4/order/stop-limit": "/elsewhere" } },
        { prices: { BTC_USDT: "0" } },
        { prices: { BTC_USDT: "much" } },
        { endpoint: [Paths.ping] },
        []
      ]
      for (const declared of bad) {
        const { _tag } = yield* Effect.flip(parse(declared))
        assert.strictEqual(_tag, "FeaturesError")
      }
      assert.strictEqual((yield* Effect.flip(Features.parse("{")))._tag, "FeaturesError")
    }))
})

describe("market prices", () => {
  const listed = { tradesEnabled: true, isCollateral: true, type: "spot" }

  const priceOf = (answers: Readonly<Record<string, unknown>>, declared: Readonly<Record<string, string>> = {}) => {
    const get = (path: string) =>
      Effect.succeed({
        sent: { method: "GET", path, headers: {} },
        status: 200,
        headers: {},
        text: "",
        json: answers[path]
      })
    const markets = { [Paths.markets]: [{ ...listed, name: "BTC_USDT" }] }
    const world = Markets.make(
      {
        control: () => Effect.void,
        get: (path) =>
          Effect.map(get(path), (answer) => ({ ...answer, json: answer.json ?? Reflect.get(markets, path) }))
      },
      "mutating",
      declared
    )
    return Effect.map(
      Effect.result(world.market),
      (found) => found._tag === "Success" ? found.success.price : undefined
    )
  }

  it.effect("a market's price is the declared price, or else the last price, or else the book's mid price", () =>
    Effect.gen(function*() {
      const ticker = { [Paths.tickers]: { BTC_USDT: { last_price: "100" } } }
      const book = { [`${Paths.orderBook}/BTC_USDT`]: { asks: [["210", "1"], ["300", "1"]], bids: [["190", "1"]] } }
      assert.strictEqual(yield* priceOf({ ...ticker, ...book }, { BTC_USDT: "50" }), 50)
      assert.strictEqual(yield* priceOf({ ...ticker, ...book }), 100)
      assert.strictEqual(yield* priceOf(book), 200)
      assert.strictEqual(yield* priceOf({}), undefined)
      assert.strictEqual(
        yield* priceOf({ [`${Paths.orderBook}/BTC_USDT`]: { asks: [], bids: [["190", "1"]] } }),
        undefined
      )
    }))
})
