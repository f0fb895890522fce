/** Faults that show only at a bound, in an odd value, after a second change, or to another account. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as AdlQuantiles from "../../../src/endpoints/AdlQuantiles.ts"
import * as BorrowHistory from "../../../src/endpoints/BorrowHistory.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as ClosedPositions from "../../../src/endpoints/ClosedPositions.ts"
import * as CodeCreation from "../../../src/endpoints/CodeCreation.ts"
import * as CollateralBalance from "../../../src/endpoints/CollateralBalance.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as CollateralLeverage from "../../../src/endpoints/CollateralLeverage.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralSummary from "../../../src/endpoints/CollateralSummary.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as FundingPayments from "../../../src/endpoints/FundingPayments.ts"
import * as HedgeMode from "../../../src/endpoints/HedgeMode.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as KillSwitchStatus from "../../../src/endpoints/KillSwitchStatus.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as Markets from "../../../src/endpoints/Markets.ts"
import * as MarketSummary from "../../../src/endpoints/MarketSummary.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as OrderDeals from "../../../src/endpoints/OrderDeals.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as PositionHistory from "../../../src/endpoints/PositionHistory.ts"
import * as ServerTime from "../../../src/endpoints/ServerTime.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as Tickers from "../../../src/endpoints/Tickers.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
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
  jsonOf,
  type Mutant,
  mutant,
  type Place,
  withBody,
  without
} from "./Mutant.ts"

const summary = CollateralSummary.endpoint.path
const funding = FundingPayments.endpoint.path
const history = PositionHistory.endpoint.path
const closed = ClosedPositions.endpoint.path
const oco = CollateralOcoOrders.endpoint.path
const stopLimit = StopLimitOrders.endpoint.path
const balance = TradeBalance.endpoint.path
const deals = OrderDeals.endpoint.path

/** Repeats each account's first response. With `isShared`, all accounts get the first response that has records. */
const cached = (path: string, isShared = false): Change => ({
  make: () => {
    const first = new Map<string, string>()
    return {
      answer: (answer, request) => {
        if (request.path !== path || answer.status !== 200) return answer
        const key = isShared ? "" : String(request.headers[Signature.headers.apiKey])
        const body = first.get(key) ?? answer.body
        // A list without records is not repeated to other accounts.
        if (!isShared || body.includes("[{")) first.set(key, body)
        return { ...answer, body }
      }
    }
  }
})

/** Shows all accounts the value that was shown first. */
const global = (path: string, place: Place): Change => ({
  make: () => {
    let first: unknown
    return {
      answer: (answer, request) =>
        request.path === path && answer.status === 200
          ? withBody(answer, changedAt(jsonOf(answer), place, (value) => first ??= value))
          : answer
    }
  }
})

/** Shows all accounts the latest value of a field that any account has set. */
const lastSet = (setting: string, path: string, key: string): Change => ({
  make: () => {
    let last: unknown
    return {
      answer: (answer, request) => {
        const json = jsonOf(answer)
        if (answer.status !== 200 || !Json.isObject(json)) return answer
        if (request.path === setting) last = json[key]
        return request.path === path && last !== undefined ? withBody(answer, { ...json, [key]: last }) : answer
      }
    }
  }
})

/** Changes the fields in calls to a path for which `when` is true. */
const askingWhen = (path: string, when: (fields: Fields) => boolean, change: (fields: Fields) => Fields): Change =>
  asking(path, (fields) => when(fields) ? change(fields) : fields)

const rounded = (value: unknown): string => String(Math.round(Number(value)))

/** Replaces one refusal code with another. */
const coded = (path: string, from: number, to: number): Change =>
  answering(path, "refusal", (json) => Json.isObject(json) && json["code"] === from ? { ...json, code: to } : json)

const positionLists = [OpenPositions, AdlQuantiles, PositionHistory, ClosedPositions]

const marginMutants: ReadonlyArray<Mutant> = [
  mutant("edges-summary-cached", "the summary of a collateral account never changes", {
    breaks: ["margin.leverage"],
    ...cached(summary)
  }),
  mutant("edges-leverage-shared", "a change of the leverage changes that of all accounts", {
    breaks: ["margin.leverage"],
    ...lastSet(CollateralLeverage.endpoint.path, summary, "leverage")
  }),
  ...[2, 3, 20, 50, 100].map((leverage) =>
    mutant(`edges-leverage-${leverage}`, `a leverage of ${leverage} is refused`, {
      breaks: ["margin.leverage"],
      ...askingWhen(
        CollateralLeverage.endpoint.path,
        (fields) => fields["leverage"] === leverage,
        (fields) => ({ ...fields, leverage: 4 })
      )
    })
  ),
  ...[CollateralMarketOrders, CollateralStopLimitOrders, CollateralTriggerMarketOrders].map(({ endpoint: { path } }) =>
    mutant(`edges-side${path}`, "an order without a side trades the long position in hedge mode", {
      breaks: ["margin.side-required"],
      ...askingWhen(
        path,
        ({ positionSide }) => positionSide === undefined,
        (fields) => ({ ...fields, positionSide: "LONG" })
      )
    })
  ),
  mutant("edges-side-market", "the response to a market order shows the short side for the long one", {
    breaks: ["margin.sides"],
    ...changing(CollateralMarketOrders.endpoint.path, ["positionSide"], () => "SHORT")
  }),
  mutant("edges-hedge-shared", "all accounts are in the mode of the account that was read last", {
    breaks: ["margin.hedge"],
    ...global(HedgeMode.endpoint.path, ["hedgeMode"])
  }),
  ...[...positionLists, FundingPayments, BorrowHistory].map(({ endpoint: { path } }) =>
    mutant(`edges-shared${path}`, "all accounts see the records of one account", {
      breaks: ["margin.isolation"],
      ...cached(path, true)
    })
  ),
  ...[Fills, TradeBalance, ActiveOrders, OrderHistory, OpenPositions, PositionHistory, ClosedPositions].map((
    { endpoint: { path } }
  ) =>
    mutant(`edges-cached${path}`, "an account always sees the same list", {
      breaks: ["lists.fresh"],
      ...cached(path)
    })
  ),
  mutant("edges-rates-cached", "the list of funding rates never changes", {
    breaks: ["funding-rates.window"],
    ...cached("/api/v4/public/funding-history/BTC_PERP")
  }),
  mutant("edges-funding-cached", "an account always sees the same funding payments", {
    breaks: ["margin.funding.pages"],
    ...cached(funding)
  }),
  ...["market", "startDate", "endDate"].map((key) =>
    mutant(`edges-history-${key}`, `the history of positions ignores ${key}`, {
      breaks: ["margin.history.selected"],
      ...asking(history, (fields) => without(fields, key))
    })
  ),
  ...["startDate", "endDate"].map((key) =>
    mutant(`edges-closed-${key}`, `the list of closed positions ignores ${key}`, {
      breaks: ["margin.closed.dates"],
      ...asking(closed, (fields) => without(fields, key))
    })
  ),
  ...["limit", "offset"].map((key) =>
    mutant(`edges-funding-${key}`, `the list of funding payments ignores ${key}`, {
      breaks: ["margin.funding.pages"],
      ...asking(funding, (fields) => without(fields, key))
    })
  ),
  mutant("edges-history-order", "the history of positions shows other order ids", {
    breaks: ["margin.history"],
    ...changing(history, ["*", "orderDetail", "id"], (id) => Number(id) + 1)
  }),
  mutant("edges-closed-gross", "the gross profit does not deduct the fees", {
    breaks: ["margin.closed.terms"],
    ...changing(closed, ["*"], (record) =>
      Json.isObject(record)
        ? { ...record, grossPnl: String(Number(record["grossPnl"]) + Number(record["totalTradeFee"])) }
        : record)
  }),
  mutant("edges-funding-unpaid", "funding does not change the collateral balance", {
    breaks: ["margin.funding"],
    ...cached(CollateralBalance.endpoint.path)
  })
]

const switchMutants: ReadonlyArray<Mutant> = [
  mutant("edges-switch-cached", "the kill switches of an account never change once they have been read", {
    breaks: ["kill-switch.status"],
    ...cached(KillSwitchStatus.endpoint.path)
  }),
  ...["5", "600"].map((timeout) =>
    mutant(`edges-switch-${timeout}`, `a timeout of ${timeout} seconds is refused`, {
      breaks: ["kill-switch.timer"],
      ...askingWhen(
        KillSwitch.endpoint.path,
        (fields) => fields["timeout"] === timeout,
        (fields) => ({ ...fields, timeout: "601" })
      )
    })
  ),
  mutant("edges-switch-funds", "the funds of orders that the kill switch cancels are lost", {
    breaks: ["kill-switch.funds"],
    make: () => {
      let isArmed = false
      return {
        answer: (answer, { path }) => {
          isArmed ||= path === KillSwitch.endpoint.path
          return path === balance && isArmed
            ? withBody(answer, changedAt(jsonOf(answer), ["USDT", "available"], (units) => String(Number(units) - 200)))
            : answer
        }
      }
    }
  })
]

const orderMutants: ReadonlyArray<Mutant> = [
  ...[StopMarketOrders, CollateralStopLimitOrders, CollateralTriggerMarketOrders].map(({ endpoint: { path } }) =>
    mutant(`edges-trigger-rounded${path}`, "activation prices are rounded to whole numbers", {
      breaks: ["live-stops.waits", "order-answers.placed"],
      ...changing(path, ["activation_price"], rounded)
    })
  ),
  ...[LimitOrders, CollateralLimitOrders].map(({ endpoint: { path } }) =>
    mutant(`edges-amount-rounded${path}`, "amounts are shown with two decimal places", {
      breaks: ["order-answers.placed"],
      ...changing(path, ["amount"], (amount) => Number(amount).toFixed(2))
    })
  ),
  mutant("edges-oco-maker-code", "a take-profit that would match is refused with the code of post-only orders", {
    breaks: ["oco.take-profit.maker"],
    ...coded(oco, 150, 13)
  }),
  mutant("edges-oco-maker", "a take-profit that would match is moved away from the market", {
    breaks: ["oco.take-profit.maker"],
    ...asking(oco, (fields) => ({ ...fields, price: fields["side"] === "buy" ? "20000" : "72000" }))
  }),
  mutant("edges-oco-side-code", "a stop-loss on the wrong side is refused with the code for invalid fields", {
    breaks: ["oco.stop-loss.side"],
    ...coded(oco, 151, 30)
  }),
  mutant("edges-oco-side", "a stop-loss on the wrong side is moved to the other one", {
    breaks: ["oco.stop-loss.side"],
    ...asking(oco, (fields) => ({ ...fields, activation_price: fields["side"] === "buy" ? "72000" : "20000" }))
  }),
  ...[[BulkLimitOrders, 20], [CollateralBulkLimitOrders, 20], [CancelBulkOrders, 100]].map(([call, most]) => {
    const { path } = (call as typeof BulkLimitOrders).endpoint
    return mutant(`edges-bulk-most${path}`, `a call with ${String(most)} orders is refused`, {
      breaks: ["live-bulk.most"],
      ...asking(path, (fields) => {
        const orders = Array.isArray(fields["orders"]) ? fields["orders"] : []
        return orders.length === most ? { ...fields, orders: [...orders, orders[0]] } : fields
      })
    })
  }),
  ...[LimitOrders, CollateralLimitOrders].map(({ endpoint: { path } }) =>
    mutant(`edges-id-case${path}`, "client order ids are compared in lower case", {
      breaks: ["live-entry.client-order-id.case"],
      ...askingWhen(
        path,
        ({ clientOrderId }) => typeof clientOrderId === "string",
        (fields) => ({ ...fields, clientOrderId: String(fields["clientOrderId"]).toLowerCase() })
      )
    })
  ),
  mutant("edges-lock-kept", "a changed order locks the amount from before the change", {
    breaks: ["live-changes.keeps"],
    make: () => {
      let before: string | undefined
      let isChanged = false
      return {
        answer: (answer, { path }) => {
          isChanged ||= path === ModifyOrder.endpoint.path
          if (path === LimitOrders.endpoint.path && before === undefined) {
            before = String((jsonOf(answer) as Fields)["amount"])
          }
          return path === balance && isChanged
            ? withBody(answer, changedAt(jsonOf(answer), ["BTC", "freeze"], () => before))
            : answer
        }
      }
    }
  }),
  mutant("edges-stop-lock-kept", "a triggered stop order keeps funds locked", {
    breaks: ["live-stops.market.spends"],
    ...changing(balance, ["USDT", "freeze"], (units) => String(Number(units) + 1))
  }),
  mutant("edges-deals-beyond", "a page past the last deal is the last page", {
    breaks: ["deals.pages"],
    ...asking(deals, (fields) => fields["offset"] === 2 ? { ...fields, offset: 1 } : fields)
  })
]

/** Multiplies the listed minimum amounts. */
const minimum = (factor: number): Change =>
  changing(Markets.endpoint.path, ["*", "minAmount"], (amount) => (Number(amount) * factor).toFixed(6))

const amountRules = ["stop-limit.request.amount.least", "oco.request.amount.least", "live-terms.min-amount"]

const moneyMutants: ReadonlyArray<Mutant> = [
  mutant("edges-transfer-all", "a transfer of everything is refused", {
    breaks: ["transfers.moves"],
    ...askingWhen(
      Transfers.endpoint.path,
      ({ amount }) => Number(amount) > 50,
      (fields) => ({ ...fields, amount: "1000000" })
    )
  }),
  mutant("edges-transfer-cut", "an amount of a transfer with nine decimal places is cut to eight", {
    breaks: ["transfers.refusal"],
    ...askingWhen(
      Transfers.endpoint.path,
      ({ amount }) => /\.[0-9]{9}$/u.test(String(amount)),
      (fields) => ({ ...fields, amount: String(fields["amount"]).slice(0, -1) })
    )
  }),
  mutant("edges-code-all", "a code over everything is refused", {
    breaks: ["code-creation.moves"],
    ...askingWhen(
      CodeCreation.endpoint.path,
      ({ amount }) => amount === "5",
      (fields) => ({ ...fields, amount: "6" })
    )
  }),
  mutant("edges-passphrase-25", "a new code's passphrase may have at most 24 characters", {
    breaks: ["code-creation.passphrase"],
    ...askingWhen(
      CodeCreation.endpoint.path,
      ({ passphrase }) => String(passphrase).length === 25,
      (fields) => ({ ...fields, passphrase: `${String(fields["passphrase"])}x` })
    )
  }),
  mutant("edges-rates-swapped", "the history shows the fee of makers as that of takers, and vice versa", {
    breaks: ["fills.rates"],
    ...changing(
      OrderHistory.endpoint.path,
      ["*", "*"],
      (record) =>
        Json.isObject(record) ? { ...record, makerFee: record["takerFee"], takerFee: record["makerFee"] } : record
    )
  }),
  mutant("edges-time-stands", "the server time stands still", {
    breaks: ["time.runs"],
    ...cached(ServerTime.endpoint.path)
  }),
  mutant("edges-keys-cached", "the list of API keys never changes", {
    breaks: ["api-key-creation.listed"],
    ...cached(SubAccountApiKeys.endpoint.path)
  }),
  mutant("edges-summary-volume", "the market summary counts no trades", {
    breaks: ["summary.day"],
    ...changing(MarketSummary.endpoint.path, ["result", "volume"], () => "0")
  }),
  mutant("edges-tickers-volume", "the tickers count trades for ever", {
    breaks: ["summary.day"],
    ...changing(Tickers.endpoint.path, ["*", "base_volume"], (volume) => String(Number(volume) + 1))
  })
]

export const mutants: ReadonlyArray<Mutant> = [
  ...[...marginMutants, ...switchMutants, ...orderMutants, ...moneyMutants].map((mutant): Mutant => ({
    ...mutant,
    dialects: ["live"]
  })),
  mutant("edges-keys-cached-all", "the list of API keys never changes after it was read", {
    breaks: ["api-keys.fields"],
    ...cached(SubAccountApiKeys.endpoint.path)
  }),
  mutant("edges-minimum-higher", "amounts below the listed minimum are accepted", {
    breaks: amountRules,
    ...minimum(2)
  }),
  mutant("edges-minimum-lower", "amounts above the listed minimum are refused", {
    breaks: amountRules,
    ...minimum(0.5)
  }),
  mutant("edges-stop-trigger-rounded", "the activation price of a stop-limit order is rounded to a whole number", {
    breaks: ["stop-limit.activation-price.exact", "stop-limit.total.exact"],
    ...changing(stopLimit, ["activation_price"], rounded)
  }),
  mutant("edges-oco-rounded", "the prices of an OCO order are rounded to whole numbers", {
    breaks: ["oco.total.exact"],
    ...answering(
      oco,
      "success",
      (json) =>
        ["stop_loss", "take_profit"].reduce<unknown>((pair, leg) => changedAt(pair, [leg, "price"], rounded), json)
    )
  })
]
