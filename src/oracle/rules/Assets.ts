/**
 * Rules about assets and markets: their fields, and the agreement of lists that show the same data. Only the live
 * exchange's documentation describes most of these lists.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import type { Body, World } from "../world/World.ts"

const { always } = LiveCalls.section

/** Returns the value in an object at this path of keys. */
const at = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce((inner, key) => Json.isObject(inner) ? inner[key] : undefined, value)

const assets = (world: World) => LivePublicCalls.object(world, Paths.assets)

/**
 * The fields in which assets, the account's fees and public fees show each setting of a currency. A setting that is
 * off is zero or missing.
 */
const shown = {
  canDeposit: [["can_deposit"], ["can_deposit"], ["is_depositable"]],
  canWithdraw: [["can_withdraw"], ["can_withdraw"], ["is_withdrawal"]],
  minDeposit: [["min_deposit"], ["deposit", "minAmount"], ["deposit", "min_amount"]],
  maxDeposit: [["max_deposit"], ["deposit", "maxAmount"], ["deposit", "max_amount"]],
  minWithdraw: [["min_withdraw"], ["withdraw", "minAmount"], ["withdraw", "min_amount"]],
  maxWithdraw: [["max_withdraw"], ["withdraw", "maxAmount"], ["withdraw", "max_amount"]],
  fixedDeposit: [undefined, ["deposit", "fixed"], ["deposit", "fixed"]],
  fixedWithdraw: [undefined, ["withdraw", "fixed"], ["withdraw", "fixed"]],
  percentDeposit: [undefined, ["deposit", "percentFlex"], ["deposit", "flex", "percent"]],
  percentWithdraw: [undefined, ["withdraw", "percentFlex"], ["withdraw", "flex", "percent"]],
  minFlexDeposit: [undefined, ["deposit", "minFlex"], ["deposit", "flex", "min_fee"]],
  minFlexWithdraw: [undefined, ["withdraw", "minFlex"], ["withdraw", "flex", "min_fee"]],
  maxFlexDeposit: [undefined, ["deposit", "maxFlex"], ["deposit", "flex", "max_fee"]],
  maxFlexWithdraw: [undefined, ["withdraw", "maxFlex"], ["withdraw", "flex", "max_fee"]]
} as const

/** Settings of a currency. All texts and numbers differ, so that a response that mixes them up is noticed. */
const settings = {
  canDeposit: true,
  canWithdraw: false,
  minDeposit: "0.011",
  maxDeposit: "1001",
  minWithdraw: "0.022",
  maxWithdraw: "2002",
  fixedDeposit: "0.0003",
  fixedWithdraw: "0.0004",
  percentDeposit: "0.5",
  percentWithdraw: "0.6",
  minFlexDeposit: "0.007",
  minFlexWithdraw: "0.008",
  maxFlexDeposit: "9",
  maxFlexWithdraw: "10"
} as const

const termsOf = (direction: "Deposit" | "Withdraw") => ({
  minAmount: settings[`min${direction}`],
  maxAmount: settings[`max${direction}`],
  fixed: settings[`fixed${direction}`],
  percentFlex: settings[`percent${direction}`],
  minFlex: settings[`minFlex${direction}`],
  maxFlex: settings[`maxFlex${direction}`]
})

/** Applies these settings to a currency of a sandbox. */
const set = (world: World, ticker: string) =>
  world.control("SetCurrency", {
    ticker,
    canDeposit: settings.canDeposit,
    canWithdraw: settings.canWithdraw,
    deposit: termsOf("Deposit"),
    withdraw: termsOf("Withdraw")
  })

/** Returns the currency's entry in the account's fees. */
const entryIn = (json: unknown) =>
  Array.isArray(json) ? json.find((entry) => Json.isObject(entry) && entry["ticker"] === ticker) : undefined

/** Returns the entries of the currency in assets, the account's fees and public fees, with the responses. */
const entries = Effect.fnUntraced(function*(world: World) {
  const answers = [
    yield* world.get(Paths.assets),
    yield* world.call(yield* world.reader, Paths.fees),
    yield* world.get(Paths.publicFees)
  ]
  return answers.map((answer, index) => ({
    answer,
    index,
    entry: index === 1 ? entryIn(answer.json) : at(answer.json, ticker)
  }))
})

/** Gives the currency the settings above until the rule ends. Returns its previous entries. */
const withSettings = Effect.fnUntraced(function*(world: World) {
  const before = yield* entries(world)
  yield* set(world, ticker)
  yield* world.onEnd(restore(world, before[1]?.entry))
  return before
})

/** Ten times the documented refresh interval of the public lists, in milliseconds. */
const refreshed = 600_000

/**
 * Gives the currency the settings above, and expects that all three lists show these settings, and the same name, after
 * `millis` milliseconds. With `mayBeCached`, the public lists may still show their old entries.
 */
const agree = Effect.fnUntraced(function*(world: World, mayBeCached: boolean, millis = 0) {
  const before = yield* withSettings(world)
  if (millis > 0) yield* world.advance(millis)
  const found = yield* entries(world)
  const isOld = (index: number) => Json.stringify(found[index]?.entry) === Json.stringify(before[index]?.entry)
  for (const { answer, entry, index } of found) {
    if (mayBeCached && index !== 1 && isOld(index)) continue
    const wrong = Object.entries(settings).filter(([key, value]) => {
      const place = shown[key as keyof typeof shown][index]
      return place !== undefined && !isEqual(at(entry, ...place), value)
    })
    yield* Verdict.conclude(
      `${ticker} with ${Json.stringify(settings)}`,
      `different values of ${wrong.map(([key]) => key).join(", ")}: ${Json.stringify(entry)}`,
      wrong.length === 0,
      answer
    )
  }
  const names = found.map(({ entry }) => at(entry, "name"))
  yield* Verdict.conclude("the same name", names, Kinds.someText.holds(names[0]) && new Set(names).size === 1)
  return found
})

/** Restores a currency's settings from its entry in the account's fees. */
const restore = (world: World, entry: unknown) => {
  if (!Json.isObject(entry)) return Effect.void
  const { can_deposit: canDeposit, can_withdraw: canWithdraw, deposit, ticker, withdraw } = entry
  return world.control("SetCurrency", { ticker, canDeposit, canWithdraw, deposit, withdraw })
}

const isEqual = (value: unknown, expected: string | boolean): boolean =>
  typeof expected === "boolean" ? value === expected : Number(value) === Number(expected) && typeof value === "string"

const nameOf = (value: Body): string => `${String(value["stock"])}_${String(value["money"])}`

const secondsOrNull: Kinds.Kind = {
  name: "an integer in Unix seconds, or null",
  holds: (value) => value === null || Kinds.seconds.holds(value)
}

const stepOrNone: Kinds.Kind = {
  name: "a decimal above zero in a string, or an empty string",
  holds: (value) => value === "" || Kinds.positiveDecimal.holds(value)
}

const digits: Kinds.Kind = {
  name: "a number of digits in a string",
  holds: (value) => typeof value === "string" && /^[0-9]{1,2}$/u.test(value)
}

/** Every leverage that the live exchange documents. */
const leverages = [1, 2, 3, 5, 10, 20, 50, 100]

/** The only currency whose settings these rules change. */
const ticker = "ETH"

export const rules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "assets.entry",
    within: "an asset",
    sample: (world) => Effect.map(assets(world), ({ answer, value }) => ({ answer, objects: Object.values(value) })),
    rows: [
      { key: "name", kind: Kinds.someText, meaning: "its full name" },
      { key: "unified_cryptoasset_id", kind: Kinds.integer, meaning: "its id at CoinMarketCap", isOptional: true },
      { key: "can_withdraw", kind: Kinds.boolean, meaning: "whether it can be withdrawn" },
      { key: "can_deposit", kind: Kinds.boolean, meaning: "whether it can be deposited" },
      { key: "min_withdraw", kind: Kinds.decimal, meaning: "the minimum withdrawal" },
      { key: "max_withdraw", kind: Kinds.decimal, meaning: "the maximum withdrawal" },
      { key: "maker_fee", kind: Kinds.decimal, meaning: "the maker fee in percent" },
      { key: "taker_fee", kind: Kinds.decimal, meaning: "the taker fee in percent" },
      { key: "min_deposit", kind: Kinds.decimal, meaning: "the minimum deposit" },
      { key: "max_deposit", kind: Kinds.decimal, meaning: "the maximum deposit" },
      { key: "currency_precision", kind: Kinds.integer, meaning: "its decimal places", isOptional: true },
      { key: "is_memo", kind: Kinds.boolean, meaning: "whether an address needs a memo", isOptional: true },
      { key: "memo", kind: Kinds.object, meaning: "which addresses need a memo", isOptional: true },
      { key: "networks", kind: Kinds.object, meaning: "its networks", isOptional: true },
      { key: "limits", kind: Kinds.object, meaning: "its limits by network", isOptional: true },
      { key: "confirmations", kind: Kinds.object, meaning: "the confirmations of a deposit", isOptional: true }
    ]
  }),
  always("assets.agree", {
    statement:
      "Shows the same deposit and withdrawal settings of a currency in assets, public fees and the account's fees",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const [, , publicFee] = yield* agree(world, false)
      const keys = [at(publicFee?.entry, "ticker"), at(publicFee?.entry, "is_api_withdrawal")]
      yield* Verdict.conclude(
        `ticker ${ticker}, and is_api_withdrawal false`,
        keys,
        keys[0] === ticker && keys[1] === false
      )
    })
  }),
  always("assets.settings", {
    statement: "Shows new settings of a currency in assets and public fees, or the old ones while they are cached",
    check: (world) => agree(world, true)
  }),
  always("assets.refreshed", {
    statement: "Shows new settings of a currency in assets and public fees after ten minutes",
    check: (world) => agree(world, false, refreshed)
  }),
  always("assets.traded", {
    statement: "Lists every market's currencies in assets and in public fees, each under its own ticker",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const listed = yield* world.get(Paths.markets)
      const traded = (Array.isArray(listed.json) ? listed.json.filter(Json.isObject) : [])
        .flatMap(({ money, stock }) => [String(stock), String(money)])
      for (const path of [Paths.assets, Paths.publicFees]) {
        const { answer, value } = yield* LivePublicCalls.object(world, path)
        const names = Object.values(value).map((entry) => at(entry, "name"))
        yield* Verdict.expect(
          answer,
          `the currencies ${[...new Set(traded)].join(", ")}, with different names`,
          traded.every((one) => Object.hasOwn(value, one)) && new Set(names).size === names.length
        )
      }
      const { answer, value: fees } = yield* LivePublicCalls.object(world, Paths.publicFees)
      yield* Verdict.expect(
        answer,
        "each entry with its key as ticker",
        Object.entries(fees).every(([key, entry]) => at(entry, "ticker") === key)
      )
    })
  }),
  always("assets.memo", {
    statement: "Shows that an asset needs a memo if and only if its deposits or withdrawals need a memo",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, value } = yield* assets(world)
      yield* Verdict.expect(
        answer,
        "is_memo true for exactly the assets whose memo has a true value",
        Object.values(value).every((asset) =>
          at(asset, "memo") === undefined ||
          at(asset, "is_memo") === (at(asset, "memo", "deposit") === true || at(asset, "memo", "withdraw") === true)
        )
      )
    })
  }),
  always("assets.forms", {
    statement:
      "Shows an asset's memos as booleans, its networks as texts, its limits as decimals, and its confirmations "
      + "as integers",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, value } = yield* assets(world)
      const all = (list: unknown, kind: Kinds.Kind): boolean =>
        list === undefined || Object.values(Object(list)).every((one) => kind.holds(one))
      for (const asset of Object.values(value)) {
        const directions = ["deposit", "withdraw"].map((direction) => ({
          networks: at(asset, "networks", `${direction}s`),
          bounds: Object.values(Object(at(asset, "limits", direction)))
        }))
        const holds = all(at(asset, "memo"), Kinds.boolean) && all(at(asset, "confirmations"), Kinds.integer) &&
          directions.every(({ bounds, networks }) =>
            (networks === undefined || (Array.isArray(networks) && all(networks, Kinds.someText))) &&
            bounds.every((bound) => all(bound, Kinds.decimal))
          )
        yield* Verdict.conclude("memos, networks, limits and confirmations of these forms", asset, holds, answer)
      }
    })
  }),
  always("assets.available", {
    statement: "Shows networks for deposits only if an asset can be deposited, and likewise for withdrawals",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, value } = yield* assets(world)
      const isFor = (asset: unknown, direction: "deposit" | "withdraw") => {
        const networks = at(asset, "networks", `${direction}s`)
        return !(Array.isArray(networks) && networks.length > 0) || at(asset, `can_${direction}`) === true
      }
      yield* Verdict.expect(
        answer,
        "no networks for a direction that is off",
        Object.values(value).every((asset) => isFor(asset, "deposit") && isFor(asset, "withdraw"))
      )
    })
  }),
  always("assets.networks", {
    statement: "Shows the same limits, confirmations and deposit status for an asset as for its default network",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      yield* withSettings(world)
      const { answer, value } = yield* assets(world)
      for (const asset of Object.values(value).filter(Json.isObject)) {
        const network = String(at(asset, "networks", "default"))
        const isFor = (direction: "deposit" | "withdraw") => {
          const networks = at(asset, "networks", `${direction}s`)
          return Array.isArray(networks) && networks.includes(network) === asset[`can_${direction}`] &&
            networks.every((name) => at(asset, "limits", direction, String(name)) !== undefined) &&
            (["min", "max"] as const).every((bound) =>
              Number(at(asset, "limits", direction, network, bound) ?? 0) === Number(asset[`${bound}_${direction}`])
            )
        }
        const [memo, confirmations] = [at(asset, "memo"), at(asset, "confirmations", network)]
        yield* Verdict.expect(
          answer,
          `networks, limits, memo and confirmations of ${String(asset["name"])} that agree with its other fields`,
          isFor("deposit") && isFor("withdraw") && Kinds.integer.holds(confirmations) && Number(confirmations) > 0 &&
            asset["is_memo"] === (at(memo, "deposit") === true || at(memo, "withdraw") === true) &&
            Kinds.boolean.holds(at(memo, "deposit")) && Kinds.boolean.holds(at(memo, "withdraw"))
        )
      }
    })
  }),
  always("assets.complete", {
    statement:
      "Lists in assets and in public fees exactly the currencies of the account's fees, including every market's currencies",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const { json } = yield* world.call(yield* world.reader, Paths.fees)
      const tickers = (Array.isArray(json) ? json.filter(Json.isObject) : []).map(({ ticker }) => String(ticker))
        .toSorted()
      for (const path of [Paths.assets, Paths.publicFees]) {
        const { answer, value } = yield* LivePublicCalls.object(world, path)
        yield* Verdict.expect(
          answer,
          `the currencies ${tickers.join(", ")}`,
          tickers.length > 0 && Object.keys(value).toSorted().join() === tickers.join()
        )
      }
      const listed = yield* world.get(Paths.markets)
      const traded = (Array.isArray(listed.json) ? listed.json.filter(Json.isObject) : [])
        .flatMap(({ money, stock }) => [String(stock), String(money)])
      yield* Verdict.expect(listed, "only markets of these currencies", traded.every((one) => tickers.includes(one)))
    })
  }),
  ...LivePublicCalls.fields({
    id: "markets.live",
    within: "a market",
    sample: (world) =>
      Effect.map(
        LivePublicCalls.get(world, Paths.markets),
        (answer) => ({ answer, objects: Array.isArray(answer.json) ? answer.json : [] })
      ),
    rows: [
      { key: "stock", kind: Kinds.ticker, meaning: "the base currency" },
      { key: "money", kind: Kinds.ticker, meaning: "the quote currency" },
      { key: "tickSize", kind: stepOrNone, meaning: "the step of prices", isOptional: true },
      { key: "stepSize", kind: stepOrNone, meaning: "the step of amounts", isOptional: true },
      { key: "feePrec", kind: digits, meaning: "the precision of fees" },
      { key: "makerFee", kind: Kinds.decimal, meaning: "the maker fee in percent" },
      { key: "takerFee", kind: Kinds.decimal, meaning: "the taker fee in percent" },
      { key: "tradesEnabled", kind: Kinds.boolean, meaning: "whether orders can be placed" },
      { key: "isCollateral", kind: Kinds.boolean, meaning: "whether margin trading is possible" },
      { key: "type", kind: Kinds.oneOf("spot", "futures", "tradfiFutures"), meaning: "its type" },
      { key: "delistedAt", kind: secondsOrNull, meaning: "the time of its delisting", isOptional: true },
      { key: "isTradFiFutures", kind: Kinds.boolean, meaning: "whether it is a TradFi future", isOptional: true }
    ]
  }),
  always("futures.terms", {
    statement: "Shows a funding rate within its bounds, settlements at multiples of the interval, a known leverage, "
      + "and an index and a mark price near the last price",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const { answer, value } = yield* LivePublicCalls.results(world, Paths.futures)
      for (const future of value.filter(Json.isObject)) {
        const number = (key: string) => Number(future[key] ?? Number.NaN)
        const interval = number("funding_interval_minutes") * 60_000
        const prices = ["index_price", ...(future["mark_price"] === undefined ? [] : ["mark_price"])].map(number)
        yield* Verdict.expect(
          answer,
          `terms of ${String(future["ticker_id"])} that agree with each other`,
          number("funding_floor") <= number("funding_rate") && number("funding_rate") <= number("funding_cap") &&
            number("next_funding_rate_timestamp") % interval === 0 && leverages.includes(number("max_leverage")) &&
            [future["stock_currency"], future["money_currency"]].includes(future["index_currency"]) &&
            (number("last_price") === 0 ||
              prices.every((price) => price > number("last_price") / 2 && price < number("last_price") * 2))
        )
      }
    })
  }),
  always("markets.values", {
    statement: "Lists each market once: spot markets named after their currencies, and futures as in the futures list",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* LivePublicCalls.get(world, Paths.markets)
      const markets = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
      const names = markets.map(({ name }) => String(name))
      yield* Verdict.expect(
        answer,
        "isTradFiFutures for exactly the markets of type tradfiFutures",
        markets.every(({ isTradFiFutures = false, type }) => isTradFiFutures === (type === "tradfiFutures"))
      )
      yield* Verdict.expect(answer, "each market once", new Set(names).size === names.length && names.length > 0)
      const spots = markets.filter(({ type }) => type === "spot")
      yield* Verdict.expect(
        answer,
        "spot markets named after their currencies",
        spots.length > 0 && spots.every((market) => market["name"] === nameOf(market))
      )
      const { value } = yield* LivePublicCalls.results(world, Paths.futures)
      const futures = value.filter(Json.isObject)
      const listed = markets.filter(({ type }) => type === "futures").map(({ name }) => String(name)).toSorted()
      yield* Verdict.expect(
        answer,
        `exactly these markets of type futures: ${futures.map((future) => future["ticker_id"]).join(", ")}`,
        futures.map((future) => String(future["ticker_id"])).toSorted().join() === listed.join()
      )
      for (const future of futures) {
        const market = markets.find(({ name }) => name === future["ticker_id"])
        yield* Verdict.expect(
          answer,
          `the currencies of ${String(future["ticker_id"])}`,
          market?.["stock"] === future["stock_currency"] && market?.["money"] === future["money_currency"]
        )
      }
    })
  })
]
