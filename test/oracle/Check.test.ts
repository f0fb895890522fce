import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import type * as Http from "node:http"
import * as Check from "../../src/oracle/Check.ts"
import * as Report from "../../src/oracle/Report.ts"
import * as Rule from "../../src/oracle/Rule.ts"
import { rules } from "../../src/oracle/Rules.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Lists from "../../src/oracle/world/Lists.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { passing } from "../support/clock.ts"
import { answering } from "../support/http.ts"
import { isLong } from "../support/long.ts"
import * as Support from "../support/oracle.ts"
import { type Received, refusingPort, serving } from "../support/server.ts"
import { all } from "./mutants/all.ts"
import * as Mutant from "./mutants/Mutant.ts"

const keys = { apiKey: Redacted.make("public-key-0001"), apiSecret: Redacted.make("very-secret-0001") }

/** A target behind a socket. Its timeout is long enough to fire only if the target hangs. */
const at = (baseUrl: string, more: Partial<Target.Options> = {}) =>
  Target.fromLayer(NodeHttpClient.layerUndici, { baseUrl, dialect: Dialect.document, keys, timeout: 30_000, ...more })

/**
 * A target in this process that does not respond to requests for which `answer` returns undefined. Uses the test clock.
 */
const silentFor = (answer: (path: string) => string | undefined) =>
  Target.fromLayer(
    answering(({ path }) => {
      const body = answer(path)
      return body === undefined ? Effect.never : Effect.succeed(new Response(body))
    }),
    { baseUrl: "https://exchange.test", dialect: Dialect.document, keys }
  )

/** Sends the same response to every request. */
const always = (status: number, type: string, body: string) => (response: Http.ServerResponse) => {
  response.writeHead(status, { "content-type": type })
  response.end(body)
}

/** Runs a function after `millis` milliseconds of real time, because the server does not use the test clock. */
const delayed = (millis: number, work: () => void) => Effect.runFork(Effect.delay(Effect.sync(work), millis))

const outcomes = (report: Report.Report) => [...new Set(report.results.map(({ outcome }) => outcome._tag))].toSorted()

const mutant = (id: string) => all.find((mutant) => mutant.id === id) ?? assert.fail(id)

const mutated = (id: string) =>
  Support.inProcess(Dialect.document, Mutant.layer(mutant(id), Dialect.document).pipe(Layer.orDie))

describe("an unreachable target", () => {
  it.live("a check of a target on a closed port fails with ECONNREFUSED", () =>
    Effect.gen(function*() {
      const port = yield* refusingPort
      const error = yield* Effect.flip(Check.check(yield* at(`http://127.0.0.1:${port}`)))
      assert.include(error.message, "ECONNREFUSED")
    }))

  it.effect("a check of a silent target fails after the timeout", () =>
    Effect.gen(function*() {
      const target = yield* silentFor(() => undefined)
      const error = yield* passing(Effect.flip(Check.check(target)), 1000)
      assert.include(error.message, "no response within 10000 ms")
    }))

  it.live("a check whose key the target refuses fails, and the error does not show the key", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serving((response, { path }) =>
        path === Paths.ping
          ? always(200, "application/json", `["pong"]`)(response)
          : always(401, "application/json", `{"code":10,"message":"no public-key-0001 here","errors":{}}`)(response)
      )
      const error = yield* Effect.flip(Check.check(yield* at(baseUrl)))
      assert.include(error.message, "refuses the key")
      assert.notInclude(error.message, "public-key-0001")
    }))

  it.effect("a check aborts when the target falls silent halfway", () =>
    Effect.gen(function*() {
      let count = 0
      const target = yield* silentFor(() => ++count < 5 ? `["pong"]` : undefined)
      const report = yield* passing(Check.check(target, { runs: 1 }), 1000)
      assert.isDefined(report.aborted)
      assert.include(report.aborted, "no response within 10000 ms")
      assert.strictEqual(report.results.length, rules.length)
      assert.isBelow(count, 20)
      assert.include([1, 2], Report.exitCode(report))
    }))

  it.live("a check fails when the target resets connections", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serving((response) => response.destroy())
      const error = yield* Effect.flip(Check.check(yield* at(baseUrl)))
      assert.strictEqual(error._tag, "TargetError")
    }))
})

/** Responds to the ping correctly, so the target is recognized as speaking this API. Other requests go to `answer`. */
const exceptPing =
  (answer: (response: Http.ServerResponse, received: Received) => void) =>
  (response: Http.ServerResponse, received: Received) =>
    received.path === Paths.ping ? always(200, "application/json", `["pong"]`)(response) : answer(response, received)

describe("a target with unexpected responses", () => {
  it.live("an HTML response breaks a rule, and the report shows the response", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serving(exceptPing(always(502, "text/html", "<html><body>Bad Gateway</body></html>")))
      const report = yield* Check.check(yield* at(baseUrl), { runs: 1, only: ["auth.accepts", "balance.response"] })
      assert.deepStrictEqual(outcomes(report), ["Broken"])
      assert.include(Report.text(report), "HTTP 502 (not JSON; text/html) <html><body>Bad Gateway")
      assert.strictEqual(Report.exitCode(report), 1)
    }))

  it.live("an HTML page with HTTP 200 is not treated as a success", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serving(exceptPing(always(200, "text/html", "<html><body>Welcome</body></html>")))
      const only = ["auth.accepts", "fees.response", "general.private.post", "balance.response"]
      const report = yield* Check.check(yield* at(baseUrl), { runs: 1, only })
      assert.deepStrictEqual(outcomes(report), ["Broken"])
    }))

  it.live("rules about the entries of an empty list are skipped, and a check that skips every rule exits with 2", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serving(exceptPing(always(200, "application/json", "[]")))
      const report = yield* Check.check(yield* at(baseUrl), { runs: 1, only: ["fees.entry", "markets.entry"] })
      assert.deepStrictEqual(outcomes(report), ["Skipped"])
      assert.strictEqual(Report.exitCode(report), 2)
    }))

  it.live("a slow response is checked like any other", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serving((response) =>
        void delayed(120, () => always(200, "application/json", `["pong"]`)(response))
      )
      const report = yield* Check.check(yield* at(baseUrl), { runs: 1, only: ["ping.response"] })
      assert.deepStrictEqual(outcomes(report), ["Held"])
    }))

  it.live("a check follows no redirects", () =>
    Effect.gen(function*() {
      const elsewhere = yield* serving(always(200, "application/json", `["pong"]`))
      const { baseUrl } = yield* serving(exceptPing((response) => {
        response.writeHead(307, { location: `${elsewhere.baseUrl}${Paths.mainBalance}` })
        response.end()
      }))
      const report = yield* Check.check(yield* at(baseUrl), { runs: 1, only: ["balance.response"] })
      assert.deepStrictEqual(outcomes(report), ["Broken"])
      assert.deepStrictEqual(elsewhere.received, [])
    }))

  it.live("a secret in a response never appears in a report", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serving(exceptPing((response, { headers }) =>
        always(200, "application/json", JSON.stringify({ headers, secret: "very-secret-0001" }))(response)
      ))
      const report = yield* Check.check(yield* at(baseUrl), { runs: 2, only: ["auth", "fees", "balance"] })
      assert.isAbove(Report.broken(report).length, 5)
      for (const render of Object.values(Report.render)) {
        assert.notInclude(render(report), "very-secret-0001")
        assert.notInclude(render(report), "public-key-0001")
      }
    }))
})

describe("secrets of sub-account keys", () => {
  it.live("a sub-account's secret that a faulty target shows never appears in a report", () =>
    Effect.gen(function*() {
      const target = yield* mutated("secret-shown")
      const report = yield* Check.check(target, { profile: "control", seed: 1, runs: 2, only: ["api-keys"] })
      const broken = Report.broken(report).map(({ rule }) => rule.id)
      assert.includeMembers(broken, ["api-keys.entry.apiSecret", "api-keys.secret"])
      for (const render of Object.values(Report.render)) assert.notMatch(render(report), /sub-[a-z0-9-]+-secret/u)
    }))
})

describe("the calls that a check makes", () => {
  const calls = (received: ReadonlyArray<Received>) => new Set(received.map(({ path }) => path.split("?")[0] ?? ""))

  const healthy = (response: Http.ServerResponse, { path }: Received) => {
    const body = path.startsWith(Paths.ping) ? `["pong"]` : `{}`
    always(200, "application/json", body)(response)
  }

  it.live("a check makes only reads by default", () =>
    Effect.gen(function*() {
      const { baseUrl, received } = yield* serving(healthy)
      yield* Check.check(yield* at(baseUrl), { runs: 3 })
      const mutating = [Paths.oco, Paths.stopLimit, Paths.cancelAll, Paths.applyCode, Paths.deleteSubAccount]
      const sent = calls(received)
      for (const path of mutating) assert.isFalse(sent.has(path), path)
      assert.isTrue(sent.has(Paths.mainBalance))
    }))

  it.live("a check with the mutating profile makes no irrevocable calls", () =>
    Effect.gen(function*() {
      const { baseUrl, received } = yield* serving(healthy)
      yield* Check.check(yield* at(baseUrl), { runs: 2, profile: "mutating" })
      const sent = calls(received)
      for (const path of [Paths.cancelAll, Paths.deleteSubAccount, Paths.marketOrder]) {
        assert.isFalse(sent.has(path), path)
      }
      const applied = received.filter(({ path }) => path === Paths.applyCode).map(({ body }) => body.toString())
      assert.isAbove(applied.length, 0)
      // The codes are random, so the exchange does not know them.
      for (const body of applied) assert.match(body, /"code":"WB[0-9a-f]{8}-[0-9a-f-]{27}ETH"/u)
    }))

  const price = 40_000

  /** Serves the responses of an exchange that has one market and accepts every order. */
  const gullible = (path: string): string => {
    const market = { name: "BTC_USDT", stock: "BTC", money: "USDT", stockPrec: "6", moneyPrec: "2", type: "spot" }
    const bounds = { minAmount: "0.00001", minTotal: "5", maxTotal: "10000000" }
    const answers: Readonly<Record<string, unknown>> = {
      [Paths.ping]: ["pong"],
      [Paths.markets]: [{ ...market, ...bounds, tradesEnabled: true, isCollateral: true }],
      [Paths.tickers]: { BTC_USDT: { last_price: String(price) } }
    }
    return JSON.stringify(answers[path] ?? { id: 7, order_id: 7, orderId: 7 })
  }

  it.live("no order in a check with the mutating profile can trade, even if the target accepts invalid orders", () =>
    Effect.gen(function*() {
      const { baseUrl, received } = yield* serving((response, { path }) =>
        always(200, "application/json", gullible(path))(response)
      )
      const target = yield* at(baseUrl)
      const seeds = isLong ? [1, 2, 3, 4, 5, 6] : [1]
      for (const seed of seeds) {
        yield* Check.check(target, { profile: "mutating", seed, only: ["oco", "stop-limit"] })
      }
      const numberOf = (value: unknown) =>
        typeof value === "string" && /^-?[0-9.]+$/u.test(value) ? Number(value) : Number.NaN
      const trades = (side: string, limit: number) => side === "buy" ? limit >= price : limit <= price
      const orders = received.filter(({ path }) => path === Paths.oco || path === Paths.stopLimit)
      assert.isAbove(orders.length, 80 * seeds.length)
      for (const { body, path } of orders) {
        const order = JSON.parse(body.toString()) as Record<string, unknown>
        const said = String(order["side"]).trim().toLowerCase()
        const sides = said === "buy" || said === "sell" ? [said] : ["buy", "sell"]
        const trigger = numberOf(order["activation_price"])
        const stop = numberOf(order[path === Paths.oco ? "stop_limit_price" : "price"])
        for (const side of sides) {
          // A faulty target might accept a malformed trigger, and read it as any number.
          const isTriggered = Number.isNaN(trigger) || (side === "buy" ? trigger <= price : trigger >= price)
          assert.isFalse(isTriggered && trades(side, stop), body.toString())
          if (path === Paths.oco) assert.isFalse(trades(side, numberOf(order["price"])), body.toString())
        }
        assert.isFalse(numberOf(order["amount"]) * price > 100, body.toString())
      }
    }))

  it.live("in the live dialect, no order in a check with the mutating profile can trade", () =>
    Effect.gen(function*() {
      const { baseUrl, received } = yield* serving((response, { path }) =>
        always(200, "application/json", gullible(path))(response)
      )
      const target = yield* at(baseUrl, { dialect: Dialect.live })
      const only = ["order-answers", "live-changes", "live-entry", "live-terms", "oco-orders"]
      yield* Check.check(target, { profile: "mutating", seed: 1, only })
      const placing = [
        ...Paths.ofSeveral,
        Paths.limitOrder,
        Paths.collateralLimit,
        Paths.stopMarket,
        Paths.triggerMarket
      ]
      const waiting = [Paths.collateralStopLimit, Paths.stopLimit, Paths.modifyOrder, Paths.oco]
      const paths = new Set(received.map(({ path }) => path))
      assert.includeMembers([...paths], [...placing, ...waiting])
      assert.isFalse(
        [Paths.marketOrder, Paths.stockMarketOrder, Paths.collateralMarketOrder].some((path) => paths.has(path))
      )
      for (const { body, path } of received.filter(({ path }) => [...placing, ...waiting].includes(path))) {
        const sent = JSON.parse(body.toString()) as Record<string, unknown>
        const [order = sent] = (sent["orders"] ?? []) as ReadonlyArray<Record<string, unknown>>
        const [limit, trigger] = [Number(order["price"]), Number(order["activation_price"])]
        // A request to modify an order has no side, but the rules modify only sell orders.
        const isBuy = order["side"] === "buy"
        const isFar = isBuy ? limit < price * 0.6 : limit > price * 1.7
        const isLater = isBuy ? trigger > price * 1.7 : trigger < price * 0.6 || trigger > price * 1.7
        const waits = order["activation_price"] === undefined
          ? isFar || (path === Paths.modifyOrder && order["price"] === undefined)
          : isLater
        assert.isTrue(waits, `${path} ${body.toString()}`)
        assert.isFalse(Number(order["amount"]) * price > 100, body.toString())
      }
    }))

  it.effect("a rule stops soon after the target falls silent", () =>
    Effect.gen(function*() {
      let sent = 0
      const target = yield* silentFor((path) => ++sent > 10 ? undefined : gullible(path))
      const check = Check.check(target, { runs: 1, only: ["general.answer.each"] })
      const report = yield* passing(check, 1000)
      assert.deepStrictEqual(outcomes(report), ["CouldNotRun"])
      assert.strictEqual(sent, 13)
    }))

  it.effect("the report warns about an order whose placement got no response", () =>
    Effect.gen(function*() {
      const target = yield* silentFor((path) => path === Paths.stopLimit ? undefined : gullible(path))
      const check = Check.check(target, { profile: "mutating", runs: 1, only: ["stop-limit.new.type"] })
      const report = yield* passing(check, 1000)
      assert.match(report.warnings.join(), /an order on BTC_USDT may be open: .*no response within 10000 ms/u)
      assert.strictEqual(Report.exitCode(report), 2)
    }))

  it.live("a check stops after a few calls when the control plane belongs to another target", () =>
    Effect.gen(function*() {
      const { baseUrl, received } = yield* serving((response, { path }) =>
        path === Paths.ping
          ? always(200, "application/json", `["pong"]`)(response)
          : always(401, "application/json", `{"code":10,"message":"Unauthorized request.","errors":{}}`)(response)
      )
      const { control } = yield* Support.overHttp(Dialect.document)
      const target = yield* at(baseUrl, control === undefined ? {} : { control })
      const error = yield* Effect.flip(Check.check(target, { profile: "control" }))
      assert.include(error.message, "does not know an account that its control plane has created")
      assert.isTrue(received.every(({ path }) => [Paths.ping, Paths.time, Paths.mainBalance].includes(path)))
      assert.isBelow(received.length, 6)
    }))

  it.live("a check does not exceed the maximum request rate", () =>
    Effect.gen(function*() {
      const { baseUrl, received } = yield* serving(healthy)
      const startedAt = yield* Target.now
      yield* Check.check(yield* at(baseUrl, { maxRate: 50 }), { runs: 40, only: ["general.public.query"] })
      const seconds = ((yield* Target.now) - startedAt) / 1000
      assert.isAbove(received.length, 5)
      assert.isAtMost(received.length, seconds * 50 + 1)
    }))

  it.live("a check with the mutating profile leaves no orders open", () =>
    Effect.gen(function*() {
      const target = yield* Support.inProcess(Dialect.document)
      const keys = yield* Support.account(target)
      // Rules about pages need at least two records.
      const { world } = Session.make(target, "control", yield* Target.now).world()
      for (const list of [...Lists.all, ...Lists.all]) yield* list.add(world, keys)
      const options = { profile: "mutating", runs: isLong ? 2 : 1, seed: 1, rules: Support.rules } as const
      const report = yield* Check.check({ ...target, keys }, options)
      assert.deepStrictEqual(Report.broken(report).map(Report.line), [])
      assert.deepStrictEqual(report.warnings, [])
      assert.isAbove(Report.tally(report).held, 300)
      assert.deepStrictEqual(yield* Support.openOrders(target, keys), [])
    }))

  it.live("a check with the mutating profile detects that orders need no valid signature, and cancels its own orders", () =>
    Effect.gen(function*() {
      const target = yield* mutated("signature-not-checked-of-changes")
      const keys = yield* Support.account(target)
      const only = ["auth.signature", "stop-limit.ids", "codes.code.unknown"]
      const judge = (profile: "read-only" | "mutating") =>
        Effect.map(Check.check({ ...target, keys }, { profile, runs: 2, seed: 1, only }), (report) => {
          assert.deepStrictEqual(report.warnings, [])
          return [Report.tally(report), Report.broken(report).map(({ rule }) => rule.id)] as const
        })
      const [reads, none] = yield* judge("read-only")
      assert.deepStrictEqual(none, [])
      const [changes, broken] = yield* judge("mutating")
      assert.includeMembers([...broken], ["auth.signature", "auth.signature.key"])
      assert.isAbove(changes.held + changes.broken, reads.held + 1)
      assert.deepStrictEqual(yield* Support.openOrders(target, keys), [])
    }))

  it.live("a read-only check evaluates filters on the account's own records, and reports which rules lack records", () =>
    Effect.gen(function*() {
      const judge = (target: Target.Target, keys: Target.Keys) =>
        Check.check({ ...target, keys }, { runs: 1, seed: 1, only: ["interest", "api-keys"] })
      const target = yield* Support.inProcess(Dialect.document)
      const empty = yield* judge(target, yield* Support.account(target))
      assert.match(
        Report.summary(empty),
        /\nNOT SEEN {2}[0-9]+ rules need records .*interest\.payment \(planId, investmentId, amount, ticker, timestamp\)/u
      )
      const filterless = yield* mutated("sub-account-id-ignored")
      const { world } = Session.make(filterless, "control", yield* Target.now).world()
      const report = yield* judge(filterless, yield* world.parent)
      assert.include(Report.broken(report).map(({ rule }) => rule.id), "api-keys.filter")
    }))

  it.live("an interrupted check places no more orders and cancels those already placed", () =>
    Effect.gen(function*() {
      const target = yield* Support.inProcess(Dialect.document)
      const keys = yield* Support.account(target)
      const [begun, interrupting] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let placed = 0
      // The third order gets its response only after the interrupt.
      const send: Target.Target["send"] = (request) =>
        Effect.gen(function*() {
          if (request.path === Paths.stopLimit && ++placed === 3) {
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(interrupting)
          }
          return yield* target.send(request)
        })
      const only = ["stop-limit.client-order-id.accepts"]
      const fiber = yield* Effect.forkChild(
        Check.check({ ...target, keys, send }, { profile: "mutating", runs: 100, only })
      )
      yield* Deferred.await(begun)
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      yield* Deferred.succeed(interrupting, undefined)
      yield* Fiber.join(interrupted)
      assert.strictEqual(placed, 3)
      assert.deepStrictEqual(yield* Support.openOrders(target, keys), [])
    }))

  it.live("the report warns about an order that could not be canceled", () =>
    Effect.gen(function*() {
      const target = yield* Support.inProcess(
        Dialect.document,
        Mutant.layer({
          make: () => ({
            request: (request) => request.path === Paths.cancelOrder ? { ...request, path: "/nowhere" } : request
          })
        }, Dialect.document).pipe(Layer.orDie)
      )
      const session = { ...target, keys: yield* Support.account(target) }
      const report = yield* Check.check(session, { profile: "mutating", runs: 1, only: ["stop-limit.new.type"] })
      assert.isAbove(report.warnings.length, 0)
      assert.include(Report.summary(report), "LEFT BEHIND")
      assert.strictEqual(Report.exitCode(report), 2)
    }))
})

describe("broken rules", () => {
  it.live("a broken rule's value is shrunk and replayed, and a repaired target passes the replay", () =>
    Effect.gen(function*() {
      const report = yield* Check.check(yield* mutated("interest-limit-101"), {
        profile: "control",
        seed: 5,
        only: ["interest.limit.max"]
      })
      const [result] = report.results
      const outcome = result?.outcome._tag === "Broken" ? result.outcome : assert.fail("not broken")
      assert.strictEqual(outcome.counterexample, "101")
      assert.include(outcome.curl, "curl -s -X POST")
      const again = yield* Check.replay(yield* mutated("interest-limit-101"), outcome.replay)
      assert.strictEqual(again._tag, "Broken")
      const repaired = yield* Check.replay(yield* Support.inProcess(Dialect.document), outcome.replay)
      assert.strictEqual(repaired._tag, "Held")
    }))

  it.live("a broken call sequence is shrunk to the relevant calls and replayed", () =>
    Effect.gen(function*() {
      const report = yield* Check.check(yield* mutated("delete-nothing"), {
        profile: "control",
        seed: 5,
        runs: 30,
        only: ["sub-accounts.model"]
      })
      const [result] = report.results
      const outcome = result?.outcome._tag === "Broken" ? result.outcome : assert.fail("not broken")
      const steps = outcome.counterexample.replace(/\/\*.*\*\//u, "").split(",")
      assert.isAtMost(steps.length, 3, outcome.counterexample)
      const again = yield* Check.replay(yield* mutated("delete-nothing"), outcome.replay)
      assert.strictEqual(again._tag, "Broken")
      const repaired = yield* Check.replay(yield* Support.inProcess(Dialect.document), outcome.replay)
      assert.strictEqual(repaired._tag, "Held")
    }))

  it.live("a known failure does not fail the check, and is stale once its rule holds", () =>
    Effect.gen(function*() {
      const known = {
        profile: "control",
        runs: 2,
        only: ["interest.limit.max", "interest.limit.min"],
        knownFailing: ["interest.limit.max"]
      } as const
      const broken = yield* Check.check(yield* mutated("interest-limit-101"), known)
      assert.strictEqual(Report.exitCode(broken), 0)
      assert.strictEqual(Report.tally(broken).known, 1)
      const held = yield* Check.check(yield* Support.inProcess(Dialect.document), known)
      assert.deepStrictEqual(held.stale, ["interest.limit.max"])
      assert.strictEqual(Report.exitCode(held), 1)
    }))

  it.live("a broken SHOULD rule fails only a strict check", () =>
    Effect.gen(function*() {
      const options = { profile: "control", runs: 1, only: ["auth.refusal"] } as const
      const report = yield* Check.check(yield* mutated("unauthorized-400"), options)
      assert.deepStrictEqual([Report.exitCode(report), Report.tally(report).broken], [0, 1])
      const strict = yield* Check.check(yield* mutated("unauthorized-400"), { ...options, strict: true })
      assert.strictEqual(Report.exitCode(strict), 1)
    }))

  it.live("a broken rule stays broken when smaller values cannot be checked", () =>
    Effect.gen(function*() {
      const judge = (stop: Rule.CheckError) =>
        Effect.gen(function*() {
          const rule = Rule.forAll({
            id: "test.shrinking",
            statement: "Accepts a value below ten",
            clause: "General rules",
            profile: "read-only",
            values: fc.nat(1000),
            examples: [500],
            check: (_world, value) => value === 500 ? Rule.conclude("less", value, false) : Effect.fail(stop)
          })
          const report = yield* Check.check(yield* Support.inProcess(Dialect.document), { rules: [rule], seed: 1 })
          return outcomes(report)
        })
      assert.deepStrictEqual(yield* judge(new Target.TargetError({ reason: "gone" })), ["Broken"])
      assert.deepStrictEqual(yield* judge(new Rule.Skipped({ why: "not here" })), ["Broken"])
    }))

  it.live("a value that cannot be checked is skipped, and the other values are checked", () =>
    Effect.gen(function*() {
      const rule = (values: ReadonlyArray<string>) =>
        Rule.forEach({
          id: "test.each",
          statement: "Accepts a value that is not skipped",
          clause: "General rules",
          profile: "read-only",
          values,
          check: (_world, value) =>
            value === "skip"
              ? Effect.fail(new Rule.Skipped({ why: "not here" }))
              : Rule.conclude("good", value, value === "good")
        })
      const judge = (...values: ReadonlyArray<string>) =>
        Effect.map(
          Effect.flatMap(
            Support.inProcess(Dialect.document),
            (target) => Check.check(target, { rules: [rule(values)] })
          ),
          outcomes
        )
      assert.deepStrictEqual(yield* judge("skip", "good"), ["Held"])
      assert.deepStrictEqual(yield* judge("skip", "bad"), ["Broken"])
      assert.deepStrictEqual(yield* judge("skip"), ["Skipped"])
    }))

  it.live("a check dies when a rule's generator fails, instead of reporting that the rule holds", () =>
    Effect.gen(function*() {
      const rule = Rule.forAll({
        id: "test.generator",
        statement: "Accepts every generated value",
        clause: "General rules",
        profile: "read-only",
        values: fc.constant(1).map((): number => assert.fail("no value")),
        check: () => Effect.void
      })
      const exit = yield* Effect.exit(Check.check(yield* Support.inProcess(Dialect.document), { rules: [rule] }))
      assert.strictEqual(exit._tag, "Failure")
    }))

  it.live("the same seed generates the same values", () =>
    Effect.gen(function*() {
      const values = (seed: number) =>
        Effect.gen(function*() {
          const drawn: Array<unknown> = []
          const rule = Rule.forAll({
            id: "test.drawn",
            statement: "Accepts every generated value",
            clause: "General rules",
            profile: "read-only",
            values: fc.nat(),
            check: (_world, value) => Effect.sync(() => drawn.push(value))
          })
          yield* Check.check(yield* Support.inProcess(Dialect.document), { rules: [rule], seed })
          return drawn
        })
      assert.deepStrictEqual(yield* values(3), yield* values(3))
      assert.notDeepEqual(yield* values(3), yield* values(4))
    }))
})

describe("the time budget of a check", () => {
  it.live("a budget of zero skips every rule", () =>
    Effect.gen(function*() {
      const report = yield* Check.check(yield* Support.inProcess(Dialect.document), { budget: 0 })
      assert.deepStrictEqual(outcomes(report), ["Skipped"])
      assert.strictEqual(Report.exitCode(report), 2)
    }))

  it.effect("a check does not succeed if its time budget makes it skip more rules than it checks", () =>
    Effect.gen(function*() {
      const target = yield* silentFor((path) => path === Paths.ping ? `["pong"]` : `{}`)
      const judge = (budget: number) => {
        const rule = (index: number) =>
          Rule.always({
            id: `test.rule-${index}`,
            statement: "Responds within a second",
            clause: "General rules",
            profile: "read-only",
            check: () => Effect.sleep(1000)
          })
        const rules = Array.from({ length: 10 }, (_, index) => rule(index))
        return passing(Check.check(target, { rules, budget }), 1000)
      }
      const most = yield* judge(3000)
      const { held, skipped } = Report.tally(most)
      assert.isTrue(held > 0 && held < skipped)
      assert.strictEqual(Report.exitCode(most), 2)
      const said = `TOO LITTLE  the budget was used up: ${held} rules were evaluated, ${skipped} were not reached`
      assert.include(Report.summary(most), said)
      assert.strictEqual(Report.exitCode(yield* judge(8000)), 0)
    }))
})

describe("the minimum number of checked rules", () => {
  it.live("a check with fewer checked rules than `minJudged` exits with 2", () =>
    Effect.gen(function*() {
      const judge = (minJudged: number) =>
        Effect.flatMap(
          Support.inProcess(Dialect.document),
          (target) => Check.check(target, { profile: "control", runs: 1, only: ["balance"], minJudged })
        )
      const enough = yield* judge(4)
      assert.deepStrictEqual([Report.tally(enough).held, Report.exitCode(enough)], [4, 0])
      const few = yield* judge(5)
      assert.strictEqual(Report.exitCode(few), 2)
      assert.include(Report.summary(few), "4 rules were evaluated, fewer than the required 5")
    }))
})

describe("a target without an API key", () => {
  const judge = (options: Check.Options) =>
    Effect.flatMap(Support.inProcess(Dialect.document), (target) => Check.check(target, { runs: 1, ...options }))

  it.live("a check that skips rules for lack of an API key does not succeed, and explains how to provide a key", () =>
    Effect.gen(function*() {
      const report = yield* judge({ only: ["ping", "balance"] })
      assert.isAbove(Report.tally(report).held, 0)
      assert.strictEqual(Report.exitCode(report), 2)
      assert.match(
        Report.summary(report),
        /TOO LITTLE {2}there is no API key: only [0-9]+ rules were evaluated, and 2 need a key/u
      )
    }))

  it.live("a check with `publicOnly` succeeds without an API key", () =>
    Effect.gen(function*() {
      assert.strictEqual(Report.exitCode(yield* judge({ only: ["ping"] })), 0)
      assert.strictEqual(Report.exitCode(yield* judge({ only: ["ping", "balance"], publicOnly: true })), 0)
    }))
})

describe("informational rules", () => {
  it.live("an informational rule reports a deviation and never fails a check", () =>
    Effect.gen(function*() {
      const rule = Rule.always({
        id: "test.information",
        statement: "Uses the color white",
        clause: "General rules",
        level: "INFO",
        profile: "read-only",
        check: () => Rule.conclude("white", "black", false)
      })
      const holds = Rule.always({
        id: "test.holds",
        statement: "Holds in every case",
        clause: "General rules",
        profile: "read-only",
        check: () => Effect.void
      })
      const target = yield* Support.inProcess(Dialect.document)
      const report = yield* Check.check(target, { rules: [rule, holds], strict: true })
      assert.strictEqual(Report.exitCode(report), 0)
      assert.deepStrictEqual([Report.tally(report).broken, Report.tally(report).noted], [0, 1])
      assert.include(Report.text(report), "note  test.information: expected by this project: white; got black")
      assert.include(Report.junit(report), `failures="0"`)
      assert.strictEqual(Report.exitCode(yield* Check.check(target, { rules: [rule] })), 2)
    }))
})

describe("flaky rules", () => {
  it.live("a flaky rule never affects the exit code, whether it is broken or holds", () =>
    Effect.gen(function*() {
      const options = {
        profile: "control",
        runs: 1,
        only: ["interest.limit.max", "interest.limit.min"],
        knownFlaky: ["interest.limit.max"]
      } as const
      for (const target of [mutated("interest-limit-101"), Support.inProcess(Dialect.document)]) {
        const report = yield* Check.check(yield* target, options)
        assert.strictEqual(Report.exitCode(report), 0)
        assert.deepStrictEqual(report.stale, [])
      }
    }))
})

describe("skipped rules", () => {
  it.live("skipped rules share one line in the text report, but have one result each in the JSON report", () =>
    Effect.gen(function*() {
      const target = yield* Support.inProcess(Dialect.document)
      const report = yield* Check.check({ ...target, keys: yield* Support.account(target) }, { runs: 1 })
      const { skipped } = Report.tally(report)
      assert.isAbove(skipped, 200)
      const lines = Report.text(report).split("\n").filter((line) => /skipped/iu.test(line))
      assert.lengthOf(lines, 2, "the SKIPPED line and the counts")
      assert.match(lines[0] ?? "", /^SKIPPED {2}[0-9]+ (needs the \S+ profile|not applicable to the dialect)[^;]*; /u)
      const json = JSON.parse(Report.json(report)) as { readonly results: ReadonlyArray<object> }
      assert.lengthOf(json.results, report.results.length)
    }))
})

describe("selecting rules", () => {
  it("`only` selects rules by id prefix or by pattern, and `skip` excludes rules", () => {
    const ids = (options: Parameters<typeof Check.select>[0]) => Check.select(options).map(({ id }) => id)
    assert.isTrue(ids({ only: ["auth"] }).every((id) => id.startsWith("auth.")))
    assert.sameMembers(ids({ only: ["*.limit.max"] }), [
      "interest.limit.max",
      "sub-accounts.limit.max",
      "api-keys.limit.max",
      "live-pages.limit.max"
    ])
    assert.deepStrictEqual(ids({ only: ["au"] }), [])
    assert.isFalse(ids({ skip: ["limits"] }).some((id) => id.startsWith("limits.")))
    assert.strictEqual(ids({}).length, rules.length)
  })
})

describe("reports", () => {
  it.live("the JUnit report has failures or errors if and only if the exit code is not 0", () =>
    Effect.gen(function*() {
      const should = yield* Check.check(yield* mutated("unauthorized-400"), {
        profile: "control",
        runs: 1,
        only: ["auth.refusal", "ping"]
      })
      const held = yield* Check.check(yield* Support.inProcess(Dialect.document), { runs: 1, only: ["ping"] })
      const reports: ReadonlyArray<readonly [code: number, failures: number, errors: number, report: Report.Report]> = [
        [0, 0, 0, held],
        [0, 0, 0, should],
        [1, 1, 0, { ...should, strict: true }],
        [1, 1, 0, { ...held, stale: ["ping"] }],
        [2, 0, 1, { ...held, warnings: ["an order may be open"] }],
        [2, 0, 1, { ...held, aborted: "no response" }],
        [2, 0, 1, { ...held, minJudged: 1000 }]
      ]
      for (const [code, failures, errors, report] of reports) {
        const xml = Report.junit(report)
        assert.strictEqual(Report.exitCode(report), code)
        assert.include(xml, `failures="${failures}" errors="${errors}"`)
        assert.strictEqual((xml.match(/<failure /gu) ?? []).length, failures)
        assert.strictEqual((xml.match(/<error /gu) ?? []).length, errors)
        assert.include(xml, `tests="${(xml.match(/<testcase /gu) ?? []).length}"`)
      }
    }))

  it.live("the report names the call that many broken rules have in common", () =>
    Effect.gen(function*() {
      const away: Mutant.Change = {
        make: () => ({
          request: (request) => request.path === Paths.fees ? { ...request, path: "/nowhere" } : request
        })
      }
      const target = yield* Support.inProcess(Dialect.document, Mutant.layer(away, Dialect.document).pipe(Layer.orDie))
      const report = yield* Check.check(target, { profile: "control", runs: 1, only: ["fees"] })
      assert.match(
        Report.text(report),
        /\nCAUSE {2}[0-9]+ rules: POST \/api\/v4\/main-account\/fee gets the response HTTP 404, .* \(fees\./u
      )
    }))

  it.live("the JSON and JUnit reports are valid JSON and XML", () =>
    Effect.gen(function*() {
      const report = yield* Check.check(yield* mutated("pong-object"), {
        profile: "control",
        runs: 1,
        only: ["ping", "fees"]
      })
      const json = JSON.parse(Report.json(report)) as {
        readonly exitCode: number
        readonly results: ReadonlyArray<object>
      }
      assert.strictEqual(json.exitCode, 1)
      assert.strictEqual(json.results.length, report.results.length)
      const xml = Report.junit(report)
      assert.strictEqual((xml.match(/<testcase /gu) ?? []).length, report.results.length)
      assert.strictEqual((xml.match(/<failure /gu) ?? []).length, 1)
      assert.include(xml, "failures=\"1\"")
      assert.notMatch(xml.replaceAll(/&(?:amp|lt|gt|quot);/gu, ""), /&/u)
    }))
})
