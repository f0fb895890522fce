/** Faults that only a comparison reveals: between records, between two lists, or between a response and its request. */
import * as Assets from "../../../src/endpoints/Assets.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as Candles from "../../../src/endpoints/Candles.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as Fees from "../../../src/endpoints/Fees.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as FuturesMarkets from "../../../src/endpoints/FuturesMarkets.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as Markets from "../../../src/endpoints/Markets.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as OrderDeals from "../../../src/endpoints/OrderDeals.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as PublicFees from "../../../src/endpoints/PublicFees.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as TradeHistory from "../../../src/endpoints/TradeHistory.ts"
import * as TradingFees from "../../../src/endpoints/TradingFees.ts"
import * as Transfers from "../../../src/endpoints/Transfers.ts"
import * as Json from "../../../src/protocol/Json.ts"
import * as Signature from "../../../src/protocol/Signature.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
  changing,
  type Fields,
  fieldsOf,
  jsonOf,
  type Mutant,
  mutant,
  type Place,
  signed,
  withBody,
  withFields,
  without
} from "./Mutant.ts"

const isTrades = (path: string): boolean => path.startsWith("/api/v4/public/trades/")

const times = (factor: number) => (value: unknown): unknown => String(Number(value) * factor)

/** Swaps the values of two keys. */
const swapped = (one: string, two: string) => (value: unknown): unknown => {
  const { [one]: first, [two]: second, ...rest } = value as Fields
  return { ...rest, [one]: second, [two]: first }
}

const negated = (value: unknown): unknown => value !== true

/** Repeats for each API key the first value that the key got at this place, whatever has changed since then. */
const first = (path: string, place: Place): Change => ({
  make: () => {
    const known = new Map<string, unknown>()
    return {
      answer: (answer, request) => {
        if (request.path !== path || answer.status >= 300) return answer
        const key = String(request.headers[Signature.headers.apiKey])
        return withBody(
          answer,
          changedAt(jsonOf(answer), place, (value) => {
            if (!known.has(key)) known.set(key, value)
            return known.get(key)
          })
        )
      }
    }
  }
})

/** Changes the query of requests to a path. */
const asked = (path: string, change: (query: URLSearchParams) => void): Change => ({
  make: () => ({
    request: (request) => {
      if (request.path !== path) return request
      const query = new URLSearchParams(request.query)
      change(query)
      return { ...request, query: query.toString() }
    }
  })
})

/** Accepts any signature in calls to a path. */
const unsigned = (path: string): Change => ({
  make: () => ({ request: (request, venue) => request.path === path ? signed(venue, request) : request })
})

const fees = Fees.endpoint.path
const [keys, subAccounts] = [SubAccountApiKeys.endpoint.path, SubAccounts.endpoint.path]
const apply = Codes.endpoint.path

/** Mutants of both dialects. */
const documentMutants: ReadonlyArray<Mutant> = [
  ...["deposit", "withdraw"].flatMap((direction) =>
    ["minFlex", "maxFlex", "percentFlex", "fixed", "minAmount", "maxAmount"].map((key) =>
      mutant(`fees-${direction}-${key}-doubled`, `${key} of a ${direction} is doubled`, {
        breaks: ["fees.values"],
        ...changing(fees, ["*", direction, key], times(2))
      })
    )
  ),
  mutant("fees-directions-swapped", "fees of deposits and withdrawals are swapped", {
    breaks: ["fees.values"],
    ...changing(fees, ["*"], swapped("deposit", "withdraw"))
  }),
  mutant("fees-bounds-swapped", "minAmount and maxAmount are swapped", {
    breaks: ["fees.values"],
    ...changing(fees, ["*", "withdraw"], swapped("minAmount", "maxAmount"))
  }),
  mutant("fees-bounds-swapped-for-one", "minAmount and maxAmount of BTC withdrawals are swapped", {
    breaks: ["fees.every"],
    ...answering(
      fees,
      "success",
      (json) =>
        (json as ReadonlyArray<Fields>).map((entry) =>
          entry["ticker"] === "BTC" ? changedAt(entry, ["withdraw"], swapped("minAmount", "maxAmount")) : entry
        )
    )
  }),
  mutant("fees-flags-swapped", "can_deposit and can_withdraw are swapped", {
    breaks: ["fees.values"],
    ...changing(fees, ["*"], swapped("can_deposit", "can_withdraw"))
  }),
  mutant("fees-of-one", "every currency has the fees of the first one", {
    breaks: ["fees.values"],
    ...answering(fees, "success", (json) => {
      const all = json as ReadonlyArray<Fields>
      return all.map(({ ticker }) => ({ ...all[0], ticker }))
    })
  }),
  mutant("balance-plus-trade", "the main balance includes the trade balance", {
    breaks: ["balance.wallets"],
    ...answering(MainBalance.endpoint.path, "success", (json) => {
      // The amounts with which the rule funds the trade wallet.
      const trade: Readonly<Record<string, number>> = { USDT: 20, BTC: 0.5, ETH: 7 }
      const all = Object.entries(json as Fields).map(([ticker, entry]) => {
        const { main_balance } = entry as Fields
        return [ticker, { main_balance: String(Number(main_balance) + (trade[ticker] ?? 0)) }]
      })
      return Object.fromEntries(all)
    })
  }),
  mutant("balance-of-one-asset", "every asset has the balance of the first one", {
    breaks: ["balance.wallets"],
    ...answering(MainBalance.endpoint.path, "success", (json) => {
      const [one] = Object.values(json as Fields)
      return Object.fromEntries(Object.keys(json as Fields).map((ticker) => [ticker, one]))
    })
  }),
  ...["id", "apiKey"].map((key) =>
    mutant(`keys-same-${key}`, `all keys have the same ${key}`, {
      breaks: ["api-keys.ids"],
      ...changing(keys, ["data", "*", key], () => "the-same")
    })
  ),
  ...([
    ["title", () => "the same"],
    ["isEnabled", negated],
    ["restrictAccess", negated],
    ["accessEndpoints", () => []],
    ["subAccountId", () => "the-same"]
  ] as const).map(([key, change]) =>
    mutant(`keys-fields-${key}`, `keys are listed with a wrong ${key}`, {
      breaks: ["api-keys.fields"],
      ...changing(keys, ["data", "*", key], change)
    })
  ),
  mutant("keys-first-endpoint", "a key lists only the first of its endpoints", {
    breaks: ["api-keys.fields"],
    ...changing(keys, ["data", "*", "accessEndpoints"], (all) => (all as ReadonlyArray<unknown>).slice(0, 1))
  }),
  ...([
    ["id", () => "the-same"],
    ["alias", () => "the same"],
    ["email", () => "a***@b***c"],
    ["color", () => "#FF0000"],
    ["permissions", swapped("spotEnabled", "collateralEnabled")]
  ] as const).map(([key, change]) =>
    mutant(`sub-accounts-fields-${key}`, `sub-accounts are listed with a wrong ${key}`, {
      breaks: ["sub-accounts.fields"],
      ...changing(subAccounts, ["data", "*", key], change)
    })
  ),
  ...([
    ["interest", InterestPaymentHistory.endpoint.path, "records"],
    ["sub-accounts", subAccounts, "data"],
    ["api-keys", keys, "data"]
  ] as const).map(([id, path, records]) =>
    mutant(`${id}-pages-overlap`, "every page begins one record too early", {
      breaks: [`${id}.pages.disjoint`],
      make: () => ({
        request: (request, venue) =>
          request.path === path
            ? withFields(venue, request, (fields) =>
              typeof fields["offset"] === "number" && fields["offset"] > 0
                ? { ...fields, offset: fields["offset"] - 1 }
                : fields)
            : request,
        answer: (answer, request) => {
          const { offset } = fieldsOf(request) ?? {}
          return request.path === path && answer.status === 200 && offset !== undefined
            ? withBody(answer, { ...jsonOf(answer) as Fields, [records]: (jsonOf(answer) as Fields)[records], offset })
            : answer
        }
      })
    })
  ),
  mutant("codes-amount-first", "the response shows the amount of the account's first code", {
    breaks: ["codes.several"],
    ...first(apply, ["amount"])
  }),
  mutant("codes-same-id", "every applied code has the same transaction id", {
    breaks: ["codes.several"],
    ...changing(apply, ["external_id"], () => "00000000-0000-4000-8000-000000000000")
  }),
  mutant("stop-limit-price-first", "the response shows the price of the account's first order", {
    breaks: ["stop-limit.total.exact"],
    ...first(StopLimitOrders.endpoint.path, ["price"])
  })
]

const [positions, candles, history] = [
  OpenPositions.endpoint.path,
  Candles.endpoint.path,
  TradeHistory.endpoint.path
]
const [assets, publicFees, futures] = [Assets.endpoint.path, PublicFees.endpoint.path, FuturesMarkets.endpoint.path]

const marketDataMutants: ReadonlyArray<Mutant> = [
  mutant("trades-values-type", "a past trade shows the maker's side", {
    breaks: ["trades.values"],
    ...answering(
      isTrades,
      "success",
      (json) => changedAt(json, ["*", "type"], (type) => type === "buy" ? "sell" : "buy")
    )
  }),
  mutant("trades-values-volumes", "the volumes of a past trade are swapped", {
    breaks: ["trades.values"],
    ...answering(isTrades, "success", (json) => changedAt(json, ["*"], swapped("quote_volume", "base_volume")))
  }),
  mutant("trades-values-same-id", "all past trades have the same id", {
    breaks: ["trades.values"],
    ...changing(history, ["result", "*", "id"], () => 7)
  }),
  mutant("trade-history-any-limit", "the limit of past trades is ignored", {
    breaks: ["trade-history.after"],
    ...asked(history, (query) => query.delete("limit"))
  }),
  mutant("trade-history-from-the-first", "past trades are listed from the first one", {
    breaks: ["trade-history.after"],
    ...asked(history, (query) => query.set("lastId", "0"))
  }),
  mutant("candles-inverted", "low and high of candles are swapped", {
    breaks: ["candles.bounds"],
    ...changing(
      candles,
      ["result", "*"],
      (row) => (row as ReadonlyArray<unknown>).map((part, index) => index === 3 ? "1" : index === 4 ? "9" : part)
    )
  }),
  mutant("candles-millis", "candles show their time in milliseconds", {
    breaks: ["candles.bounds"],
    ...changing(candles, ["result", "*"], (row) => {
      const [at, ...rest] = row as ReadonlyArray<unknown>
      return [Number(at) * 1000, ...rest]
    })
  }),
  mutant("assets-settings-limits", "an asset shows its maximum as its minimum", {
    breaks: ["assets.settings"],
    ...changing(assets, ["*"], swapped("min_withdraw", "max_withdraw"))
  }),
  mutant("public-fees-directions", "public fees of deposits and withdrawals are swapped", {
    breaks: ["assets.settings"],
    ...changing(publicFees, ["*"], swapped("deposit", "withdraw"))
  }),
  mutant("assets-without-money", "currencies that are only quote currencies are missing from the assets", {
    breaks: ["assets.traded"],
    ...answering(assets, "success", (json) => without(json as Fields, "USDT"))
  }),
  mutant("public-fees-tickers", "all public fees show the same ticker", {
    breaks: ["assets.traded"],
    ...changing(publicFees, ["*", "ticker"], () => "BTC")
  }),
  mutant("assets-memo-negated", "an asset's is_memo is inverted", {
    breaks: ["assets.memo"],
    ...changing(assets, ["*", "is_memo"], negated)
  }),
  mutant("assets-off", "an asset with networks cannot be deposited", {
    breaks: ["assets.available"],
    ...changing(assets, ["*", "can_deposit"], () => false)
  }),
  mutant("futures-funding-bounds", "the floor of the funding rate is above the cap", {
    breaks: ["futures.funding"],
    ...changing(futures, ["result", "*"], (future) => ({ ...future as Fields, funding_floor: "0.5" }))
  })
]

/** Swaps the maker and taker fees in a list's records. */
const otherRole = (records: unknown): unknown =>
  (records as ReadonlyArray<Fields>).map(({ fee, role, ...record }) => ({
    ...record,
    role,
    fee: times(role === 1 ? 5.5 : 1 / 5.5)(fee)
  }))

const feeMutants: ReadonlyArray<Mutant> = [
  mutant("deals-fee-of-other-role", "a deal shows the fee of the other role", {
    breaks: ["trading-fees.fills"],
    ...changing(OrderDeals.endpoint.path, ["records"], otherRole)
  }),
  mutant("fills-fee-of-other-role", "a fill shows the fee of the other role", {
    breaks: ["trading-fees.fills"],
    ...answering(Fills.endpoint.path, "success", (json) => Array.isArray(json) ? otherRole(json) : json)
  }),
  mutant("history-fee-of-other-role", "order history shows the fee of the other role", {
    breaks: ["trading-fees.fills"],
    ...changing(OrderHistory.endpoint.path, ["*", "*", "dealFee"], times(5.5))
  }),
  mutant("markets-fees-swapped", "the list of markets swaps maker and taker fee", {
    breaks: ["trading-fees.default"],
    ...changing(Markets.endpoint.path, ["*"], swapped("makerFee", "takerFee"))
  }),
  mutant("trading-fees-futures-swapped", "the trading fees of futures are swapped", {
    breaks: ["trading-fees.default"],
    ...changing(TradingFees.endpoint.path, ["custom_fee", "*"], swapped("maker", "taker"))
  })
]

const positionMutants: ReadonlyArray<Mutant> = [
  ...([
    ["unrealizedPnl", times(-1)],
    ["unrealizedPnl", times(2)],
    ["unrealizedPnl", () => "0"],
    ["pnlPercent", times(-1)]
  ] as const).map(([key, change], index) =>
    mutant(`positions-unrealized-${key}-${index}`, `${key} of a position is wrong`, {
      breaks: ["positions.unrealized"],
      ...changing(positions, ["*", key], change)
    })
  ),
  mutant("positions-pnl-open", "pnl includes the profit of the open part", {
    breaks: ["positions.pnl"],
    ...changing(positions, ["*"], (position) => {
      const { pnl, unrealizedPnl, ...rest } = position as Fields
      return { ...rest, unrealizedPnl, pnl: String(Number(pnl) + Number(unrealizedPnl)) }
    })
  }),
  mutant("positions-free-whole", "freeMargin is the whole collateral", {
    breaks: ["positions.collateral"],
    ...changing(positions, ["*"], (position) => {
      const { freeMargin, margin, ...rest } = position as Fields
      return { ...rest, margin, freeMargin: String(Number(freeMargin) + 100 * Number(margin)) }
    })
  }),
  mutant("positions-no-margin", "a position needs no margin", {
    breaks: ["positions.collateral"],
    ...changing(positions, ["*", "margin"], () => "0")
  }),
  mutant("positions-exits-swapped", "the prices of take-profit and stop-loss are swapped", {
    breaks: ["positions.exits"],
    ...changing(
      positions,
      ["*", "tpsl"],
      (tpsl) => Json.isObject(tpsl) ? swapped("takeProfit", "stopLoss")(tpsl) : tpsl
    )
  }),
  mutant("positions-exits-same-id", "take-profit and stop-loss have the same order id", {
    breaks: ["positions.exits"],
    ...changing(
      positions,
      ["*", "tpsl"],
      (tpsl) => Json.isObject(tpsl) ? { ...tpsl, stopLossId: tpsl["takeProfitId"] } : tpsl
    )
  })
]

const conditional = ConditionalOrders.endpoint.path

const orderMutants: ReadonlyArray<Mutant> = [
  mutant("cancel-all-object", "cancel-all returns an object", {
    breaks: ["cancel-all.body"],
    ...answering(CancelAllOrders.endpoint.path, "success", () => ({}))
  }),
  mutant("cancel-all-orders", "cancel-all returns the number of canceled orders in a list", {
    breaks: ["cancel-all.body"],
    ...answering(CancelAllOrders.endpoint.path, "success", () => [{ canceled: 3 }])
  }),
  mutant("cancel-all-both-sides", "cancel-all ignores the position side", {
    breaks: ["cancel-all.position-side"],
    ...asking(CancelAllOrders.endpoint.path, (fields) => without(fields, "positionSide"))
  }),
  ...[BulkLimitOrders, CollateralBulkLimitOrders].flatMap(({ endpoint: { path } }) => [
    mutant(`bulk-reversed${path}`, "the results of a bulk call are in reverse order", {
      breaks: ["live-bulk.results"],
      ...answering(path, "success", (json) => (json as ReadonlyArray<unknown>).toReversed())
    }),
    mutant(`bulk-same-side${path}`, "all orders of a bulk call have the side of the first one", {
      breaks: ["live-bulk.results"],
      ...answering(
        path,
        "success",
        (json) => changedAt(json, ["*", "result", "side"], () => "sell")
      )
    })
  ]),
  mutant("steps-rounded", "the activation price of a stop-market order is rounded to its market's step", {
    breaks: ["live-steps.refuses"],
    ...asking(
      StopMarketOrders.endpoint.path,
      (fields) => ({ ...fields, activation_price: Number(fields["activation_price"]).toFixed(2) })
    )
  }),
  mutant("steps-listed-finer", "the market list shows one more decimal place of a price than an order may have", {
    breaks: ["live-steps.accepts"],
    ...changing(
      Markets.endpoint.path,
      ["*"],
      (market) =>
        Json.isObject(market) ? { ...market, moneyPrec: String(Number(market["moneyPrec"]) + 1), tickSize: "" } : market
    )
  }),
  mutant("conditional-default-10", "a page of conditional orders has 10 records by default", {
    breaks: ["conditional.pages"],
    ...asking(conditional, (fields) => ({ limit: 10, ...fields }))
  }),
  mutant("conditional-offset-ignored", "every page of conditional orders is the first one", {
    breaks: ["conditional.pages"],
    make: () => ({
      request: (request, venue) =>
        request.path === conditional ? withFields(venue, request, (fields) => without(fields, "offset")) : request,
      answer: (answer, request) =>
        request.path === conditional && answer.status === 200
          ? withBody(answer, { ...jsonOf(answer) as Fields, offset: fieldsOf(request)?.["offset"] ?? 0 })
          : answer
    })
  }),
  mutant("conditional-types-swapped", "OCO orders are listed as OTO orders, and the other way round", {
    breaks: ["conditional.pages"],
    ...changing(conditional, ["records", "*", "type"], (type) => type === "oco" ? "oto" : "oco")
  }),
  ...[LimitOrders, KillSwitch, Transfers].map(({ endpoint: { path } }) =>
    mutant(`unsigned${path}`, "calls with any signature are accepted", {
      breaks: ["auth.signature", "auth.signature.key", "auth.payload.is-body"],
      ...unsigned(path)
    })
  ),
  mutant("unauthorized-403", "a wrong signature or key is refused with HTTP 403", {
    breaks: ["auth.unauthorized.status"],
    make: () => ({ answer: (answer) => answer.status === 401 ? { ...answer, status: 403 } : answer })
  })
]

const live = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<Mutant> =>
  mutants.map((mutant) => ({ ...mutant, dialects: ["live"] }))

export const mutants: ReadonlyArray<Mutant> = [
  ...documentMutants,
  ...live([...marketDataMutants, ...feeMutants, ...positionMutants, ...orderMutants])
]
