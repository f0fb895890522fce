/**
 * Rules about the summary and the lists of a collateral account: their fields, filters, pages and owners. Only the
 * live exchange's documentation describes them.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as MarginPositions from "../world/MarginPositions.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import { number } from "../world/Numbers.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

const day = 86_400_000

const side = Kinds.oneOf("BOTH", "LONG", "SHORT")

const secondsText: Kinds.Kind = {
  name: "Unix seconds in a string",
  holds: (value) => typeof value === "string" && /^[1-9][0-9]{9}$/u.test(value)
}

/** The history may show a closed position without an entry price. */
const decimalOrEmpty: Kinds.Kind = {
  name: `${Kinds.decimal.name}, or an empty string`,
  holds: (value) => value === "" || Kinds.decimal.holds(value)
}

const decimals = (...fields: ReadonlyArray<readonly [key: string, meaning: string]>): ReadonlyArray<FieldRules.Row> =>
  fields.map(([key, meaning]) => ({ key, kind: Kinds.decimal, meaning }))

const listOf = (world: World, account: Account, path: string, fields: Body = {}) =>
  LiveCalls.records(world, account, path, path === Paths.fundingHistory ? { market: perpetual, ...fields } : fields)

/** Returns an account that has paid or received funding for a position, and has closed the position. */
const busy = Effect.fnUntraced(function*(world: World) {
  const account = yield* MarginPositions.withPosition(world, "buy")
  // Every market settles funding at least once a day.
  yield* world.advance(day)
  yield* MarginPositions.closed(world, account, "buy")
  return account
})

/** Returns a function that reads this list with a {@link busy} account. */
const sampleOf = (path: string) =>
  Effect.fnUntraced(function*(world: World) {
    const { answer, records } = yield* listOf(world, yield* busy(world), path)
    return { answer, objects: yield* FieldRules.atLeastOne(world, answer, records, "record") }
  })

const fieldRules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "margin.summary",
    within: "the summary of the collateral account",
    sample: (world) =>
      Effect.map(
        Effect.flatMap(world.reader, (reader) => LiveCalls.object(world, reader, Paths.collateralSummary, {})),
        ({ answer, json }) => ({ answer, objects: [json] })
      ),
    rows: [
      ...decimals(
        ["equity", "the collateral"],
        ["margin", "the collateral that backs positions and orders"],
        ["freeMargin", "the rest of the collateral"],
        ["unrealizedFunding", "the funding that is not yet settled"],
        ["pnl", "the profit or loss of all positions"],
        ["marginFraction", "the collateral as a fraction of all positions"]
      ),
      { key: "leverage", kind: Kinds.integer, meaning: "the leverage" }
    ]
  }),
  ...LivePublicCalls.fields({
    id: "margin.history.entry",
    within: "a position's change",
    profile: "control",
    sample: sampleOf(Paths.positionHistory),
    rows: [
      { key: "positionId", kind: Kinds.integer, meaning: "the position's id" },
      { key: "market", kind: Kinds.exactly(perpetual), meaning: "its market" },
      { key: "openDate", kind: Kinds.time, meaning: "the time it was opened" },
      { key: "modifyDate", kind: Kinds.time, meaning: "the time of the change" },
      { key: "amount", kind: Kinds.decimal, meaning: "its size after the change" },
      { key: "basePrice", kind: decimalOrEmpty, meaning: "its average entry price" },
      { key: "realizedFunding", kind: Kinds.decimal, meaning: "its funding so far" },
      { key: "orderDetail", kind: Kinds.object, meaning: "the order that changed it" },
      { key: "side", kind: side, meaning: "its side in hedge mode", isOptional: true },
      { key: "isHedge", kind: Kinds.boolean, meaning: "whether it was opened in hedge mode", isOptional: true }
    ]
  }),
  ...LivePublicCalls.fields({
    id: "margin.closed.entry",
    within: "a closed position",
    profile: "control",
    sample: sampleOf(Paths.closedPositions),
    rows: [
      { key: "positionId", kind: Kinds.integer, meaning: "its id" },
      { key: "market", kind: Kinds.exactly(perpetual), meaning: "its market" },
      ...decimals(
        ["grossPnl", "its profit or loss after trading fees"],
        ["netPnl", "its profit or loss after fees and funding"],
        ["totalTradeFee", "its trading fees"],
        ["totalFunding", "its funding"],
        ["avgEntryPrice", "its average entry price"],
        ["avgExitPrice", "its average exit price"],
        ["closedSize", "its size"]
      ),
      { key: "side", kind: side, meaning: "its side in hedge mode" },
      { key: "isHedge", kind: Kinds.boolean, meaning: "whether it was opened in hedge mode" },
      { key: "openDate", kind: Kinds.seconds, meaning: "the time it was opened" },
      { key: "closeDate", kind: Kinds.seconds, meaning: "the time it was closed" }
    ]
  }),
  ...LivePublicCalls.fields({
    id: "margin.funding.entry",
    within: "a funding payment",
    profile: "control",
    sample: sampleOf(Paths.fundingHistory),
    rows: [
      { key: "market", kind: Kinds.exactly(perpetual), meaning: "its market" },
      { key: "fundingTime", kind: secondsText, meaning: "its time" },
      ...decimals(
        ["fundingRate", "its rate"],
        ["fundingAmount", "the payment"],
        ["positionAmount", "the size of the position"],
        ["settlementPrice", "the price at its time"]
      ),
      { key: "rateCalculatedTime", kind: secondsText, meaning: "the time of its rate" }
    ]
  })
]

/**
 * Opens a short position for an account on a margin market, and lists the account's borrows. The list may be empty,
 * because not every exchange records a borrow for a position.
 */
const borrowsOf = Effect.fnUntraced(function*(world: World, account: Account) {
  yield* Trading.openPosition(world, account, "sell", "0.01")
  return yield* listOf(world, account, Paths.borrowHistory)
})

const selectionRules: ReadonlyArray<Rule.Rule> = [
  forEach("margin.isolation", {
    statement: "Lists no positions, changes, closed positions, payments, borrows or ADL grades of other accounts",
    values: [
      Paths.openPositions,
      Paths.adlQuantile,
      Paths.positionHistory,
      Paths.closedPositions,
      Paths.fundingHistory,
      Paths.borrowHistory
    ],
    check: Effect.fnUntraced(function*(world, path) {
      const isOpen = path === Paths.openPositions || path === Paths.adlQuantile
      const owner = yield* isOpen ? MarginPositions.withPosition(world, "buy") : busy(world)
      const own = yield* path === Paths.borrowHistory ? borrowsOf(world, owner) : listOf(world, owner, path)
      yield* Verdict.expect(own.answer, "at least one record", path === Paths.borrowHistory || own.records.length > 0)
      const stranger = yield* world.open()
      const { answer, records } = yield* listOf(world, stranger, path)
      yield* Verdict.expect(answer, "no records", records.length === 0)
      if (path !== Paths.positionHistory) return
      const { positionId } = own.records[0] ?? {}
      const named = yield* LiveCalls.call(world, stranger, path, { positionId })
      const isNone = Refusals.isRefused(named) || !named.text.includes(String(positionId))
      yield* Verdict.expect(named, "no records of another account's position, or a refusal", isNone)
    })
  }),
  forEach("margin.close.refusal", {
    statement:
      "Refuses to close a position of another account or on another market, or without its id, and closes nothing",
    values: ["another's", "elsewhere", "no id"] as const,
    check: Effect.fnUntraced(function*(world, wrong) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      const { positions: [position = {}] } = yield* LiveCalls.openPositions(world, account)
      const { name } = yield* world.market
      const rest = { market: perpetual, side: "buy", amount: "0.02", price: String(basePrice) }
      yield* Trading.placeOther(world, yield* world.open(), rest, Paths.collateralLimit)
      const caller = wrong === "another's" ? yield* world.open() : account
      const answer = yield* MarginPositions.closing(world, caller, {
        market: wrong === "elsewhere" ? name : perpetual,
        ...(wrong === "no id" ? {} : { positionId: position["positionId"] })
      })
      yield* wrong === "no id"
        ? Refusals.coded(answer, { status: 422, codes: [30] }, "because it has no positionId")
        : Refusals.coded(answer, { status: 422, codes: [31, 104] }, "because the account has no such position there")
      const { answer: list, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(
        list,
        "the position of 0.02",
        positions.length === 1 && Math.abs(number(positions[0] ?? {}, "amount")) === 0.02
      )
    })
  }),
  always("margin.history.selected", {
    statement: "Lists only the changes of positions on the given market, or between startDate and endDate",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      yield* world.advance(60_000)
      const between = Math.floor((yield* world.now) / 1000) - 30
      const { name } = yield* Trading.openPosition(world, account, "buy", "0.01")
      const markets = Effect.fnUntraced(function*(fields: Body) {
        const { answer, records } = yield* LiveCalls.records(world, account, Paths.positionHistory, fields)
        return { answer, found: records.map(({ market }) => String(market)).toSorted().join() }
      })
      for (
        const [fields, expected] of [
          [{}, [perpetual, name].toSorted().join()],
          [{ market: perpetual }, perpetual],
          [{ market: name }, name],
          [{ startDate: between }, name],
          [{ endDate: between }, perpetual]
        ] as const
      ) {
        const { answer, found } = yield* markets(fields)
        yield* Verdict.expect(answer, `changes on ${expected} for ${Json.stringify(fields)}`, found === expected)
      }
    })
  }),
  always("margin.closed.dates", {
    statement: "Lists only the positions that were closed between startDate and endDate",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      const one = yield* MarginPositions.closed(world, account, "buy")
      yield* world.advance(60_000)
      const between = Math.floor((yield* world.now) / 1000) - 30
      yield* MarginPositions.open(world, account, "buy")
      const two = yield* MarginPositions.closed(world, account, "buy")
      for (const [fields, { positionId }] of [[{ endDate: between }, one], [{ startDate: between }, two]] as const) {
        const { answer, records } = yield* listOf(world, account, Paths.closedPositions, fields)
        yield* Verdict.expect(
          answer,
          `only the position ${String(positionId)} for ${Json.stringify(fields)}`,
          records.length === 1 && records[0]?.["positionId"] === positionId
        )
      }
    })
  }),
  always("margin.leverage.applies", {
    statement: "Lets an account open an order of more than its collateral only with a leverage above 1",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.open(world, [["collateral", "USDT", "500"]])
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const order = { market: perpetual, side: "buy", amount: "0.02", price: String(basePrice * 0.9) }
      for (const [leverage, isCovered] of [[1, false], [5, true]] as const) {
        yield* LiveCalls.object(world, account, Paths.leverage, { leverage })
        const answer = yield* LiveCalls.call(world, account, Paths.collateralLimit, order)
        yield* isCovered
          ? Verdict.expect(answer, `success with a leverage of ${leverage}`, Refusals.isSuccess(answer))
          : Refusals.any(answer, "because the collateral of 500 USDT does not cover an order of 720 USDT")
      }
    })
  }),
  always("margin.funding.pages", {
    statement: "Pages funding payments by limit and offset, which the page shows",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      const none = yield* listOf(world, account, Paths.fundingHistory)
      yield* Verdict.expect(none.answer, "no payments so far", none.records.length === 0)
      yield* world.advance(2 * day)
      const all = yield* listOf(world, account, Paths.fundingHistory)
      yield* Verdict.expect(all.answer, "at least two payments", all.records.length > 1)
      for (const offset of [0, 1, all.records.length, 1000]) {
        const { answer, records } = yield* listOf(world, account, Paths.fundingHistory, { limit: 1, offset })
        const page = Json.isObject(answer.json) ? answer.json : {}
        yield* Verdict.expect(
          answer,
          `the payment with index ${offset} of ${all.records.length}, limit 1 and offset ${offset}`,
          RecordLists.sameText(records, all.records.slice(offset, offset + 1)) && number(page, "limit") === 1 &&
            number(page, "offset") === offset
        )
      }
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...fieldRules, ...selectionRules]
