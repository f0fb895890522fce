/**
 * Rules about borrows, positions and collateral balances over a WebSocket: every field of them after several changes,
 * and the events of margin calls and liquidations. The messages must agree with the HTTP calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import { basePrice, priceText } from "../world/Markets.ts"
import { number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import type * as Sockets from "../world/Sockets.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const borrows = Streams.documented("Borrows")
const positions = Streams.documented("Positions")
const positionEvents = Streams.documented("Margin positions events, Borrows events")
const margin = Streams.documented("Balance margin")

/** The numbers of the events of positions and borrows. */
const events = { marginCall: 1, liquidation: 2 } as const

/** The tolerance for times, in seconds. */
const slack = 60

const recordsOf = (params: unknown): ReadonlyArray<Body> =>
  Streams.listOf(Streams.objectOf(params)["records"]).map(Streams.objectOf)

/** Returns the records of the latest message that are not of zero. A closed record may still be shown, with zero. */
const latest = (listening: Streams.Listening) => {
  const whole = Streams.objectOf(Streams.pushed(listening).at(-1))
  const all = recordsOf(whole)
  return { whole, all, open: all.filter(({ amount }) => Number(amount) !== 0) }
}

/** Opens connections of an account and of a stranger, and subscribes both to a channel. */
const listen = Effect.fnUntraced(function*(world: World, account: Account, channel: string) {
  const listening = yield* Streams.subscribe(yield* Streams.authorized(world, account), channel)
  const stranger = yield* Streams.subscribe(yield* Streams.authorized(world, yield* world.open()), channel)
  return { listening, stranger }
})

// -----------------------------------------------------------------------------
// Borrows
// -----------------------------------------------------------------------------

const borrowKinds = {
  asset: Kinds.ticker,
  ctime: Kinds.time,
  mtime: Kinds.time,
  amount: Kinds.decimal
} as const

/** Returns an account's active borrows, as the HTTP call shows them. */
const active = (world: World, account: Account) =>
  Effect.map(
    LiveCalls.records(world, account, Paths.borrowHistory, {}),
    ({ records }) => records.filter(({ status }) => status === "active")
  )

const sum = (records: ReadonlyArray<Body>, asset: unknown, key: string): number =>
  records.filter((record) => record["asset"] === asset).reduce((sum, record) => sum + number(record, key), 0)

/** Whether the pushed amounts of an asset are what the call shows: its principal, with or without its interest. */
const isBorrowed = (pushed: ReadonlyArray<Body>, called: ReadonlyArray<Body>) => (asset: unknown): boolean => {
  const amount = sum(pushed, asset, "amount")
  return ["principal", "amount"].some((key) => Math.abs(amount + sum(called, asset, key)) < 1e-6)
}

/** Waits until the pushed borrows are those of the call. */
const agree = (world: World, account: Account, listening: Streams.Listening) =>
  Streams.settles(
    listening.connection,
    "the active borrows of the HTTP call, with negative amounts and their times, and their number as total",
    Effect.gen(function*() {
      const called = yield* active(world, account)
      const { all, open, whole } = latest(listening)
      const isSame = isBorrowed(open, called)
      const holds = (Streams.pushed(listening).length === 0 || whole["total"] === all.length) &&
        (open.length === 0) === (called.length === 0) &&
        [...open, ...called].every(({ asset }) => isSame(asset)) &&
        open.every((one) =>
          number(one, "mtime") >= number(one, "ctime") &&
          called.some((borrow) =>
            borrow["asset"] === one["asset"] && Math.abs(number(borrow, "timestamp") - number(one, "ctime")) < 2
          )
        )
      return { holds, got: { pushed: whole, call: called } }
    })
  )

const borrowRules: ReadonlyArray<Rule.Rule> = [
  borrows.forEach("streams.borrows", {
    statement:
      "Pushes all open borrows of the account with their assets, negative amounts and times, as the call for borrows "
      + "shows them",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.open()
      const { listening, stranger } = yield* listen(world, account, "borrowsMargin")
      // An account without borrows may get an empty list.
      yield* Streams.pass(world)
      yield* agree(world, account, listening)
      for (const amount of ["0.02", "0.01"]) {
        yield* Trading.openPosition(world, account, side, amount)
        yield* Streams.pass(world)
        yield* agree(world, account, listening)
        for (const one of latest(listening).all) yield* Streams.hasKinds("a borrow", one, borrowKinds)
        yield* world.advance(3_600_000)
      }
      yield* Trading.openPosition(world, account, Orders.opposite(side), "0.03")
      yield* Streams.pass(world)
      yield* agree(world, account, listening)
      yield* Streams.hasNone(stranger, "with another account's borrow", (params) => recordsOf(params).length > 0)
    })
  })
]

// -----------------------------------------------------------------------------
// Events
// -----------------------------------------------------------------------------

/**
 * Opens a position of an account with little collateral, and lowers the price step by step, until the position is
 * liquidated. `seen` gets the position that the call shows after each step, or `undefined` once it is gone.
 */
const fall = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  seen: (position: Body | undefined) => Effect.Effect<unknown, Verdict.CheckError>
) {
  yield* world.control("Fund", { account: account.id, wallet: "collateral", ticker: "USDT", amount: "300" })
  const market = yield* Trading.openPosition(world, account, "buy", "0.02")
  const read = Effect.map(LiveCalls.openPositions(world, account), ({ positions }) => positions[0])
  const position = yield* read
  const bound = Number(position?.["liquidationPrice"])
  if (!(bound > 0 && bound < basePrice)) return yield* Verdict.skip("needs a position with a liquidation price")
  yield* seen(position)
  for (const factor of [1.2, 1.08, 1.03, 1.005, 0.97]) {
    yield* world.control("MovePrice", { market: market.name, price: priceText(market, bound * factor) })
    yield* Streams.pass(world)
    yield* seen(yield* read)
  }
})

/** Returns the events of a kind, with their records. */
const eventsOf = (listening: Streams.Listening, kind: number): ReadonlyArray<Body> =>
  Streams.pushed(listening).map(Streams.listOf).filter(([event]) => event === kind)
    .map(([, record]) => Streams.objectOf(record))

/**
 * Follows the events of an account while the price falls: one margin call for each record once the call for open
 * positions shows the state `margin_call`, and liquidations once it lists the position no more.
 */
const follow = Effect.fnUntraced(function*(
  world: World,
  channel: string,
  isOf: (record: Body, position: Body) => boolean
) {
  const account = yield* world.open({ isFunded: false })
  const { listening, stranger } = yield* listen(world, account, channel)
  let last: Body = {}
  let called = 0
  let isGone = false
  const seen = Effect.fnUntraced(function*(position: Body | undefined) {
    const state = position?.["liquidationState"]
    isGone ||= position === undefined
    if (position !== undefined && Number(position["amount"]) < Number(last["amount"]))
      return yield* Verdict.skip("needs a liquidation that closes the whole position at once")
    if (position !== undefined) last = position
    // Only the first step in the state shows the position as the event does: later prices differ.
    const isFirst = state === "margin_call" && called === 0
    if (isFirst) called = 1
    if (called > 0) {
      const record = yield* Streams.sees(
        listening,
        "a margin call, event 1",
        () => eventsOf(listening, events.marginCall)[0]
      )
      if (isFirst) {
        yield* Verdict.conclude("the record of the margin call", record, isOf(record, last))
      }
    }
    // The response arrives after the events before it; the events are checked again after the last step.
    yield* Streams.ask(listening.connection, "ping")
    const calls = eventsOf(listening, events.marginCall)
    // If the price falls past both bounds at once, the exchange may call before it liquidates.
    yield* Verdict.conclude(`${called} margin calls`, calls, isGone || calls.length === called)
    const ends = eventsOf(listening, events.liquidation)
    yield* Verdict.conclude(
      "no liquidation while the position is open",
      ends,
      ends.length === 0 || isGone || state === "liquidation"
    )
  })
  yield* fall(world, account, seen)
  if (!isGone) return yield* Verdict.skip("needs a price at which the position is liquidated")
  const end = yield* Streams.sees(
    listening,
    "a liquidation, event 2",
    () => eventsOf(listening, events.liquidation).at(-1)
  )
  yield* Streams.linger(listening.connection)
  const numbers = Streams.pushed(listening).map((params) => Streams.listOf(params)[0])
  yield* Verdict.conclude(
    "only margin calls (1), and after them liquidations (2)",
    numbers,
    numbers.every((one, at) => [1, 2].some((event) => event === one) && Number(one) >= Number(numbers[at - 1] ?? 0))
  )
  yield* Streams.hasNone(stranger, "about another account", () => true)
  return { end, last }
})

/** The fields that every message shows. Messages may lack the others. */
const required: ReadonlyArray<string> = ["id", "market", "amount", "base_price"]

const agreed = [
  ["id", "positionId"],
  ["market", "market"],
  ["amount", "amount"],
  ["base_price", "basePrice"],
  ["position_side", "positionSide"],
  ["unrealized_funding", "unrealizedFunding"],
  ["funding", "funding"],
  ["margin", "margin"],
  ["free_margin", "freeMargin"]
] as const

/** Fields that change all the time, because the funding of a margin position accrues. */
const accruing: ReadonlyArray<string> = ["unrealized_funding", "free_margin"]

const isNearly = (one: unknown, other: unknown): boolean =>
  Streams.isEqual(one, other) || Math.abs(Number(one) - Number(other)) < 0.01

/** Returns the fields of a pushed position that differ from the position of the call. */
const differing = (record: Body, position: Body): ReadonlyArray<string> => [
  ...agreed.filter(([key, called]) =>
    position[called] !== undefined && (required.includes(key) || record[key] !== undefined) &&
    !(accruing.includes(key) ? isNearly : Streams.isEqual)(record[key], position[called])
  ).map(([key]) => key),
  // The call's own `pnl` is another amount; not every response has this one.
  ...position["unrealizedPnl"] === undefined || Streams.isEqual(record["pnl"], position["unrealizedPnl"])
    ? []
    : ["pnl"],
  // The call may show null where the stream has a price.
  ...(position["liquidationPrice"] ?? null) === null || isNearly(record["liq_price"], position["liquidationPrice"])
    ? []
    : ["liq_price"],
  ...(record["liq_stage"] ?? null) === (position["liquidationState"] ?? null) ? [] : ["liq_stage"],
  ...Math.abs(number(record, "ctime") - number(position, "openDate")) < 2 ? [] : ["ctime"]
]

/** Expects a liquidation's last record: the position that was open, or a borrow of this asset. */
const isLiquidated = (end: Body, last: Body, asset: string | undefined) =>
  asset === undefined
    ? Verdict.conclude(
      `the position ${String(last["positionId"])} on ${String(last["market"])}, in the stage liquidation`,
      end,
      end["id"] === last["positionId"] && end["market"] === last["market"] && end["liq_stage"] === "liquidation" &&
        number(end, "mtime") >= number(end, "ctime") && Number(end["amount"]) <= Number(last["amount"])
    )
    : Verdict.conclude(
      `a borrow of ${asset}`,
      end,
      end["asset"] === asset && number(end, "amount") <= 0 && number(end, "mtime") >= number(end, "ctime")
    )

const eventRules: ReadonlyArray<Rule.Rule> = [
  positionEvents.forEach("streams.margin.events", {
    statement:
      "Pushes event 1 once when a position or borrow enters its margin call, and event 2 when it is liquidated, with "
      + "its fields",
    values: ["positionsAccountMargin", "borrowsAccountMargin"],
    check: Effect.fnUntraced(function*(world, channel) {
      const asset = channel === "borrowsAccountMargin" ? (yield* world.market).money : undefined
      const { end, last } = yield* follow(world, channel, (record, position) =>
        asset === undefined
          ? differing(record, position).length === 0
          : record["asset"] === asset && number(record, "amount") < 0)
      yield* isLiquidated(end, last, asset)
    })
  })
]

// -----------------------------------------------------------------------------
// Positions and balances
// -----------------------------------------------------------------------------

/** Waits until the pushed positions have the values of the call. */
const arePositions = (world: World, account: Account, listening: Streams.Listening, count: number) =>
  Streams.settles(
    listening.connection,
    `${count} positions with the values of the HTTP call`,
    Effect.gen(function*() {
      const called = (yield* LiveCalls.openPositions(world, account)).positions
      const { open } = latest(listening)
      const wrong = open.flatMap((record) => {
        const position = called.find(({ positionId }) => positionId === record["id"])
        return position === undefined ? ["id"] : differing(record, position)
      })
      const holds = open.length === count && called.length === count && wrong.length === 0 &&
        new Set(open.map(({ id }) => id)).size === count
      return { holds, got: { different: wrong, pushed: open, call: called } }
    })
  )

const positionOn = (listening: Streams.Listening, market: string): Body =>
  latest(listening).open.find((one) => one["market"] === market) ?? {}

const positionRules: ReadonlyArray<Rule.Rule> = [
  positions.always("streams.positions.fields", {
    statement: "Pushes every field of each position, on several markets and after changes of price and amount",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      const { market, other } = yield* StreamMarkets.pair(world)
      const { listening, stranger } = yield* listen(world, account, "positionsMargin")
      yield* Trading.openPosition(world, account, "buy", "0.02")
      const short = { market: other.name, side: "sell", amount: "0.05", price: String(basePrice) } as const
      yield* Trading.onMargin(world, account, short)
      yield* world.control("MovePrice", { market: market.name, price: "41000" })
      yield* Streams.pass(world)
      yield* arePositions(world, account, listening, 2)
      const opened = positionOn(listening, market.name)
      yield* world.advance(3_600_000)
      // Closes half of the position with a profit of 10.
      const half = { market: market.name, side: "sell", amount: "0.01", price: "41000" } as const
      yield* Trading.onMargin(world, account, half)
      const now = (yield* world.now) / 1000
      yield* Streams.pass(world)
      yield* arePositions(world, account, listening, 2)
      const left = positionOn(listening, market.name)
      yield* Verdict.conclude(
        `the same ctime, an mtime of about ${now}, a realized_pnl 10 higher apart from fees and funding, and an `
          + "amount_in_money of about 405",
        { before: opened, after: left },
        left["ctime"] === opened["ctime"] && Math.abs(number(left, "mtime") - now) < slack &&
          Math.abs(number(left, "realized_pnl") - number(opened, "realized_pnl") - 10) < 2 &&
          Math.abs(number(left, "amount_in_money") - 405) < 8
      )
      const still = positionOn(listening, other.name)
      yield* Verdict.conclude(
        "an amount_in_money of about 2000 for the other position",
        still,
        Math.abs(Math.abs(number(still, "amount_in_money")) - 2000) < 20
      )
      yield* Streams.hasNone(stranger, "with another account's position", (params) => recordsOf(params).length > 0)
    })
  })
]

const tickersOf = (listening: Streams.Listening): ReadonlyArray<unknown> =>
  Streams.pushed(listening).flatMap(Streams.listOf).map((one) => Streams.objectOf(one)["a"])

const hasTicker = (listening: Streams.Listening, ticker: string) =>
  Streams.sees(
    listening,
    `a balance of ${ticker}`,
    () => tickersOf(listening).includes(ticker) ? true : undefined
  )

const fund = (world: World, account: Account, ticker: string, amount: string) =>
  world.control("Fund", { account: account.id, wallet: "collateral", ticker, amount })

const balanceRules: ReadonlyArray<Rule.Rule> = [
  margin.always("streams.margin.assets", {
    statement: "Pushes and returns collateral balances of exactly the assets that the latest request names",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      const { listening: all, stranger } = yield* listen(world, account, "balanceMargin")
      const connection: Sockets.Connection = yield* Streams.authorized(world, account)
      yield* Streams.subscribe(connection, "balanceMargin", "USDT")
      const listening = yield* Streams.subscribe(connection, "balanceMargin", "BTC")
      yield* fund(world, account, "USDT", "321")
      yield* Streams.pass(world)
      yield* hasTicker(all, "USDT")
      yield* fund(world, account, "BTC", "1")
      yield* Streams.pass(world)
      yield* hasTicker(all, "BTC")
      yield* hasTicker(listening, "BTC")
      yield* Streams.linger(connection)
      const others = tickersOf(listening).filter((ticker) => ticker !== "BTC")
      yield* Verdict.conclude("no balances of assets other than BTC", others, others.length === 0)
      yield* Streams.hasNone(stranger, "about another account", () => true)
      const asked = ["BTC", "USDT"]
      yield* Streams.settles(
        connection,
        "the collateral balances of BTC and USDT alone",
        Effect.gen(function*() {
          const { result } = yield* Streams.ask(connection, "balanceMargin_request", ...asked)
          const { json } = yield* LiveCalls.object(world, account, Paths.collateralBalance, {})
          const shown = Streams.objectOf(result)
          const holds = Object.keys(shown).length === asked.length &&
            asked.every((ticker) =>
              Streams.isEqual(Streams.objectOf(shown[ticker])["balance"], String(json[ticker] ?? "0"))
            )
          return { holds, got: { streams: shown, call: json } }
        })
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...borrowRules, ...eventRules, ...positionRules, ...balanceRules]
