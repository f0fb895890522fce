/** Rules about the kill switch, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

/** Arms the kill switch, by default on `world.market`. */
const arm = Effect.fnUntraced(function*(world: World, account: Account, fields: Body) {
  const { name: market } = yield* world.market
  return yield* LiveCalls.object(world, account, Paths.killSwitch, { market, timeout: "10", ...fields })
})

/** Returns the kill switches that an account has armed. */
const timers = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, items } = yield* LiveCalls.list(world, account, Paths.killSwitchStatus, fields)
  return { answer, timers: items.filter(Json.isObject) }
})

/** The market of orders of this kind. */
const marketOf = (world: World, kind: "spot" | "margin" | "futures") =>
  Effect.map(world.market, (market) => kind === "futures" ? Orders.asPerpetual(market) : market)

/** Places an order of this kind that rests far from the market. */
const rest = Effect.fnUntraced(function*(world: World, account: Account, kind: "spot" | "margin" | "futures") {
  const market = yield* marketOf(world, kind)
  const fields = { market: market.name, side: "buy", amount: "0.01", price: Orders.lowPrice(market) }
  const path = kind === "spot" ? Paths.limitOrder : Paths.collateralLimit
  const { orderId } = yield* Trading.placeOther(world, account, fields, path)
  return String(orderId)
})

const openIds = Effect.fnUntraced(function*(world: World, account: Account) {
  return [...(yield* Orders.list(world, account, Paths.activeOrders)).keys()]
})

/** Expects that exactly these orders are open. */
const leaves = Effect.fnUntraced(function*(world: World, account: Account, ids: ReadonlyArray<string>, why: string) {
  const left = yield* openIds(world, account)
  yield* Verdict.conclude(
    `${why}: ${ids.length} open orders, ${ids.join(", ")}`,
    left,
    left.length === ids.length && ids.every((id) => left.includes(id))
  )
})

/** Invalid fields for arming a kill switch. */
const wrong: ReadonlyArray<readonly [key: string, value: unknown, codes?: ReadonlyArray<number>]> = [
  ["timeout", undefined],
  ["timeout", 60],
  ["timeout", "4"],
  ["timeout", "601"],
  ["timeout", "ten"],
  ["timeout", ""],
  ["types", "spot"],
  ["types", []],
  ["types", ["options"]],
  ["types", ["spot", "margin", "futures", "spot"]],
  ["market", undefined],
  ["market", "NO_SUCH", [31]],
  ["market", "", [30, 31]],
  ["market", 5, [30, 31]]
]

const isNow = (world: World, seconds: unknown) =>
  Effect.map(world.now, (now) => typeof seconds === "number" && Math.abs(seconds - now / 1000) < 30)

type Kind = "spot" | "margin" | "futures"

/** The calls that place stop orders of each kind. */
const stops: { readonly [K in Kind]: ReadonlyArray<string> } = {
  spot: [Paths.stopLimit, Paths.stopMarket],
  margin: [Paths.collateralStopLimit, Paths.triggerMarket, Paths.oco],
  futures: [Paths.collateralStopLimit, Paths.triggerMarket]
}

/** Places a limit order and stop orders of this kind. Returns the ids of all of them. */
const restAll = Effect.fnUntraced(function*(world: World, account: Account, kind: Kind) {
  const market = yield* marketOf(world, kind)
  const ids = [yield* rest(world, account, kind)]
  for (const path of stops[kind]) {
    const draft = path === Paths.oco ? Orders.oco(market, "sell") : Orders.stopLimit(market, "sell")
    const fields: Body = { ...draft, amount: "0.01" }
    const { price: _price, ...unpriced } = fields
    const isMarket = path === Paths.stopMarket || path === Paths.triggerMarket
    const order = yield* Trading.placeOther(world, account, isMarket ? unpriced : fields, path)
    ids.push(...Orders.idsOf(world, order))
  }
  return ids
})

const kinds: ReadonlyArray<Kind> = ["spot", "margin", "futures"]

/** Markets and types of a kill switch, with the kinds of orders that it cancels. */
const scopes: ReadonlyArray<
  { readonly of: "spot" | "perpetual"; readonly types?: ReadonlyArray<Kind>; readonly cancels: ReadonlyArray<Kind> }
> = [
  { of: "spot", cancels: ["spot", "margin"] },
  { of: "perpetual", cancels: ["futures"] },
  { of: "spot", types: ["spot"], cancels: ["spot"] },
  { of: "spot", types: ["margin"], cancels: ["margin"] },
  { of: "spot", types: ["futures"], cancels: [] },
  { of: "perpetual", types: ["futures"], cancels: ["futures"] },
  { of: "perpetual", types: ["spot", "margin"], cancels: [] },
  { of: "spot", types: ["spot", "margin", "futures"], cancels: ["spot", "margin"] }
]

/** Runs a check on a sandbox whose clock is frozen. */
const timed = (check: (world: World) => Effect.Effect<unknown, Verdict.CheckError>) => (world: World) =>
  world.whileFrozen(check(world))

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("kill-switch.timer", {
    statement: "Returns market, types, start time and cancellation time in seconds when the kill switch is armed",
    // The shortest timeout, the longest one, and one between them.
    values: ["5", "60", "600"],
    check: (world, timeout) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* world.trader
        const { name } = yield* world.market
        const { answer, json } = yield* arm(world, account, { timeout, types: ["spot", "margin"] })
        const { cancellationTime, market, startTime, types } = json
        yield* Verdict.expect(
          answer,
          `market ${name}, types spot and margin, startTime now, and cancellationTime ${timeout} seconds later`,
          market === name && Json.stringify(types) === `["spot","margin"]` && (yield* isNow(world, startTime)) &&
            Number(cancellationTime) - Number(startTime) === Number(timeout)
        )
        const status = yield* timers(world, account)
        yield* Verdict.expect(
          status.answer,
          "exactly the timer that arming the kill switch returned",
          status.timers.length === 1 && Json.stringify(status.timers[0]) === Json.stringify(json)
        )
      }))
  }),
  LiveCalls.section.always("kill-switch.cancels", {
    statement: "Cancels the market's orders when the timeout ends, and not earlier; then removes the timer",
    check: timed((world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const [spot, margin] = [yield* rest(world, account, "spot"), yield* rest(world, account, "margin")]
        const future = yield* rest(world, account, "futures")
        yield* arm(world, account, {})
        const later = yield* rest(world, account, "spot")
        yield* world.advance(9000)
        yield* leaves(world, account, [spot, margin, future, later], "one second before the timeout")
        const before = yield* timers(world, account)
        yield* Verdict.expect(before.answer, "one timer", before.timers.length === 1)
        yield* world.advance(2000)
        yield* leaves(world, account, [future], "after the timeout")
        const { answer, timers: left } = yield* timers(world, account)
        yield* Verdict.expect(answer, "no timers", left.length === 0)
      })
    )
  }),
  LiveCalls.section.always("kill-switch.again", {
    statement: "Restarts the timeout when the kill switch is armed again, and cancels nothing",
    check: timed((world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const id = yield* rest(world, account, "spot")
        yield* arm(world, account, {})
        yield* world.advance(8000)
        const again = yield* arm(world, account, {})
        yield* Verdict.expect(
          again.answer,
          "startTime now, and cancellationTime 10 seconds later",
          (yield* isNow(world, again.json["startTime"])) &&
            Number(again.json["cancellationTime"]) - Number(again.json["startTime"]) === 10
        )
        yield* world.advance(8000)
        yield* leaves(world, account, [id], "armed again two seconds before the timeout")
        const { answer, timers: left } = yield* timers(world, account)
        yield* Verdict.expect(answer, "one timer", left.length === 1)
        yield* world.advance(3000)
        yield* leaves(world, account, [], "not armed again")
      })
    )
  }),
  LiveCalls.section.always("kill-switch.disarm", {
    statement: "Disarms the kill switch if timeout is null, returns an empty list, and cancels nothing",
    check: timed((world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const id = yield* rest(world, account, "spot")
        const { name: market } = yield* world.market
        yield* arm(world, account, {})
        const armed = yield* timers(world, account)
        yield* Verdict.expect(armed.answer, "one timer", armed.timers.length === 1)
        const disarmed = yield* LiveCalls.list(world, account, Paths.killSwitch, { market, timeout: null })
        yield* Verdict.expect(disarmed.answer, "an empty list", disarmed.items.length === 0)
        yield* world.advance(11_000)
        yield* leaves(world, account, [id], "disarmed")
        const { answer, timers: left } = yield* timers(world, account)
        yield* Verdict.expect(answer, "no timers", left.length === 0)
      })
    )
  }),
  LiveCalls.section.forEach("kill-switch.types", {
    statement: "Cancels only orders of the given types",
    values: ["spot", "margin"] as const,
    check: (world, type) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* world.trader
        const ids = { spot: yield* rest(world, account, "spot"), margin: yield* rest(world, account, "margin") }
        yield* arm(world, account, { types: [type] })
        yield* world.advance(11_000)
        yield* leaves(world, account, [ids[type === "spot" ? "margin" : "spot"]], `armed for ${type} orders`)
      }))
  }),
  LiveCalls.section.forEach("kill-switch.scope", {
    statement:
      "Cancels exactly the orders of a timer's market and types, stop and OCO orders included, and shows them as canceled",
    values: scopes,
    check: (world, { cancels, of, types }) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* LiveOrders.customer(world)
        const { name } = yield* world.market
        const ids = new Map<Kind, ReadonlyArray<string>>()
        for (const kind of kinds) ids.set(kind, yield* restAll(world, account, kind))
        yield* arm(world, account, {
          market: of === "spot" ? name : perpetual,
          ...(types === undefined ? {} : { types })
        })
        yield* world.advance(11_000)
        const kept = kinds.filter((kind) => !cancels.includes(kind)).flatMap((kind) => ids.get(kind) ?? [])
        yield* leaves(world, account, kept, `armed on ${of === "spot" ? name : perpetual}`)
        const { answer, records } = yield* LiveOrders.ended(world, account)
        const expected = cancels.flatMap((kind) => ids.get(kind) ?? [])
        yield* Verdict.expect(
          answer,
          `orders ${expected.join(", ")}, with status CANCELED`,
          records.length === expected.length &&
            records.every(({ orderId, status }) => expected.includes(String(orderId)) && status === "CANCELED")
        )
      }))
  }),
  LiveCalls.section.always("kill-switch.funds", {
    statement: "Releases the funds of orders that the kill switch cancels",
    check: timed((world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const { money } = yield* world.market
        const before = (yield* LiveOrders.funds(world, account)).of(money)
        yield* rest(world, account, "spot")
        yield* arm(world, account, {})
        yield* world.advance(11_000)
        const { answer, of } = yield* LiveOrders.funds(world, account)
        yield* Verdict.expect(
          answer,
          `${before.available} ${money} available, and nothing in freeze`,
          of(money).freeze === 0 && of(money).available === before.available
        )
      })
    )
  }),
  LiveCalls.section.forEach("kill-switch.status", {
    statement: "Shows a timer unchanged until it ends or is armed again, with null for types if none were given",
    values: [undefined, ["spot"], ["margin", "futures"], ["spot", "margin", "futures"]] as const,
    check: (world, types) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* world.trader
        const fields = types === undefined ? {} : { types }
        yield* arm(world, account, { timeout: "600", types: ["spot"] })
        yield* world.advance(7000)
        // Reads the timers once, so a target that caches them shows stale timers below.
        const first = yield* timers(world, account)
        yield* Verdict.expect(first.answer, "one timer", first.timers.length === 1)
        const { json } = yield* arm(world, account, { timeout: "300", ...fields })
        yield* world.advance(200_000)
        const { answer, timers: left } = yield* timers(world, account)
        const [{ cancellationTime, startTime, types: shown, ...timer } = {}] = left
        const now = (yield* world.now) / 1000
        yield* Verdict.expect(
          answer,
          `only the timer that started 200 s ago and ends in 100 s, with types ${Json.stringify(types ?? null)}`,
          left.length === 1 && timer["market"] === json["market"] &&
            Math.abs(now - 200 - Number(startTime)) < 2 && Number(cancellationTime) - Number(startTime) === 300 &&
            Json.stringify(shown ?? null) === Json.stringify(types ?? null)
        )
      }))
  }),
  LiveCalls.section.always("kill-switch.markets", {
    statement: "Has one timer per market, lists all timers or one market's timer, and disarms only one market's timer",
    check: timed((world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const { name } = yield* world.market
        yield* arm(world, account, { timeout: "600" })
        yield* arm(world, account, { market: perpetual, timeout: "300" })
        const all = yield* timers(world, account)
        const markets = all.timers.map(({ market }) => String(market)).toSorted()
        yield* Verdict.expect(
          all.answer,
          `a timer for each of ${name} and ${perpetual}`,
          markets.join() === [name, perpetual].toSorted().join()
        )
        const one = yield* timers(world, account, { market: perpetual })
        yield* Verdict.expect(
          one.answer,
          `only the timer of ${perpetual}, as in the list of all timers`,
          RecordLists.sameText(one.timers, all.timers.filter(({ market }) => market === perpetual))
        )
        yield* LiveCalls.call(world, account, Paths.killSwitch, { market: perpetual, timeout: null })
        const left = yield* timers(world, account)
        yield* Verdict.expect(
          left.answer,
          `only the timer of ${name}, because that of ${perpetual} is disarmed`,
          left.timers.length === 1 && left.timers[0]?.["market"] === name
        )
        const none = yield* timers(world, account, { market: perpetual })
        yield* Verdict.expect(none.answer, `no timer of ${perpetual}`, none.timers.length === 0)
      })
    )
  }),
  LiveCalls.section.always("kill-switch.once", {
    statement:
      "Cancels orders that were placed after the kill switch was armed, and none that are placed once it has ended",
    check: timed((world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        yield* arm(world, account, {})
        yield* world.advance(5000)
        const during = yield* rest(world, account, "spot")
        yield* leaves(world, account, [during], "before the timeout")
        yield* world.advance(6000)
        yield* leaves(world, account, [], "after the timeout")
        const after = yield* rest(world, account, "margin")
        yield* world.advance(30_000)
        yield* leaves(world, account, [after], "placed after the timeout")
      })
    )
  }),
  LiveCalls.section.always("kill-switch.independent", {
    statement:
      "Ends the timer of each market at its own time, and arming one market's timer leaves the others unchanged",
    check: timed((world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const [spot, future] = [yield* rest(world, account, "spot"), yield* rest(world, account, "futures")]
        yield* arm(world, account, { timeout: "20" })
        yield* world.advance(5000)
        yield* arm(world, account, { market: perpetual, timeout: "8" })
        yield* world.advance(9000)
        yield* leaves(world, account, [spot], `after the timeout on ${perpetual} only`)
        const { answer, timers: left } = yield* timers(world, account)
        yield* Verdict.expect(
          answer,
          "only the other timer, with its first times",
          left.length === 1 && left[0]?.["market"] !== perpetual &&
            Number(left[0]?.["cancellationTime"]) - Number(left[0]?.["startTime"]) === 20
        )
        const again = yield* rest(world, account, "futures")
        yield* world.advance(7000)
        yield* leaves(world, account, [again], "after both timeouts")
        yield* Verdict.conclude("another order", { future, again }, future !== again)
      })
    )
  }),
  LiveCalls.section.forEach("kill-switch.rearmed", {
    statement: "Cancels orders of the types that were given last, after the timeout that was given last, when the kill "
      + "switch is armed again",
    values: [["margin"], undefined] as const,
    check: (world, types) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* world.trader
        const [spot] = [yield* rest(world, account, "spot"), yield* rest(world, account, "margin")]
        yield* arm(world, account, { types: ["spot"], timeout: "60" })
        yield* world.advance(5000)
        yield* arm(world, account, types === undefined ? {} : { types })
        yield* world.advance(11_000)
        yield* leaves(
          world,
          account,
          types === undefined ? [] : [spot],
          `armed again for ${types?.join() ?? "all"} orders`
        )
      }))
  }),
  LiveCalls.section.forEach("kill-switch.status.refusal", {
    statement: "Refuses to show the kill switch of an unknown market: HTTP 422, code 31, and errors that name market",
    profile: "read-only",
    values: ["NO_SUCH"],
    check: (world, market) =>
      Effect.flatMap(
        world.reader,
        (reader) => LiveCalls.refuses(world, reader, Paths.killSwitchStatus, { market }, { codes: [31], key: "market" })
      )
  }),
  LiveCalls.section.always("kill-switch.isolation", {
    statement: "Keeps a kill switch private to its account: other accounts do not see it, and their orders stay open",
    check: timed((world) =>
      Effect.gen(function*() {
        const [account, other] = [yield* world.trader, yield* world.open()]
        const id = yield* rest(world, other, "spot")
        yield* arm(world, account, {})
        const { answer, timers: seen } = yield* timers(world, other)
        yield* Verdict.expect(answer, "no timers", seen.length === 0)
        yield* world.advance(11_000)
        yield* leaves(world, other, [id], "armed by another account")
      })
    )
  }),
  LiveCalls.section.forEach("kill-switch.refusal", {
    statement: "Refuses an invalid field with HTTP 422; timeout is required, and is null or a string from 5 to 600",
    values: wrong,
    check: Effect.fnUntraced(function*(world, [key, value, codes = [30]]) {
      const account = yield* world.open({ isFunded: false })
      const { name: market } = yield* world.market
      const fields = { market, timeout: "60", [key]: value }
      yield* LiveCalls.refuses(world, account, Paths.killSwitch, fields, { key, codes })
      const { answer, timers: left } = yield* timers(world, account)
      yield* Verdict.expect(answer, "no timers", left.length === 0)
    })
  })
]
