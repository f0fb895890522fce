/** Faults in a single case of a call: one side, another market, a later item, or different letter case. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as CancelConditionalOrder from "../../../src/endpoints/CancelConditionalOrder.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as CancelOtoOrder from "../../../src/endpoints/CancelOtoOrder.ts"
import * as CodeCreation from "../../../src/endpoints/CodeCreation.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as PublicFees from "../../../src/endpoints/PublicFees.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import * as SubAccountApiKeyCreation from "../../../src/endpoints/SubAccountApiKeyCreation.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as TradingFees from "../../../src/endpoints/TradingFees.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  type Fields,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  withFields,
  without
} from "./Mutant.ts"

const limit = LimitOrders.endpoint.path
const collateralLimit = CollateralLimitOrders.endpoint.path
const collateralMarket = CollateralMarketOrders.endpoint.path
const cancelBulk = CancelBulkOrders.endpoint.path
const funding = "/api/v4/public/funding-history/"

/** Changes the fields in calls to a path for which `when` is true. */
const askingWhen = (path: string, when: (fields: Fields) => boolean, change: (fields: Fields) => Fields): Change =>
  asking(path, (fields) => when(fields) ? change(fields) : fields)

const isSell = ({ side }: Fields): boolean => side === "sell"

const isElsewhere = ({ market }: Fields): boolean => market !== "BTC_USDT"

/** Replaces the request's market with the market on which the rules place their orders. */
const onTheOrdersMarket = (fields: Fields): Fields => ({ ...fields, market: "BTC_USDT" })

/** Shows records from earlier responses again after they have left the list at `key`. */
const remembering = (path: string, key: string): Change => ({
  make: () => {
    const seen = new Map<string, unknown>()
    return {
      answer: (answer, request) => {
        const json = jsonOf(answer)
        if (request.path !== path || answer.status !== 200 || !Json.isObject(json)) return answer
        const records: ReadonlyArray<unknown> = Array.isArray(json[key]) ? json[key] : []
        for (const record of records) if (Json.isObject(record)) seen.set(String(record["id"]), record)
        return withBody(answer, { ...json, [key]: [...seen.values()] })
      }
    }
  }
})

/** Drops the client order id of an order on one side if an earlier order had the same id. */
const idTwice = (path: string, side: string): Change => ({
  make: () => {
    const seen = new Set<unknown>()
    return askingWhen(path, ({ clientOrderId }) => clientOrderId !== undefined, (fields) => {
      const isSeen = seen.has(fields["clientOrderId"])
      seen.add(fields["clientOrderId"])
      return isSeen && fields["side"] === side ? without(fields, "clientOrderId") : fields
    }).make?.() ?? {}
  }
})

const orderMutants: ReadonlyArray<Mutant> = [
  ...[limit, collateralLimit].map((path) =>
    mutant(`narrow-post-only-sell${path}`, "postOnly of a sell is ignored", {
      breaks: ["live-terms.post-only"],
      ...askingWhen(path, isSell, (fields) => without(fields, "postOnly"))
    })
  ),
  ...[limit, collateralLimit].map((path) =>
    mutant(`narrow-id-twice${path}`, "a sell can have the client order id of an open buy", {
      breaks: ["live-entry.client-order-id.unique"],
      ...idTwice(path, "sell")
    })
  ),
  ...[StopMarketOrders, CollateralStopLimitOrders, CollateralTriggerMarketOrders].map(({ endpoint: { path } }) =>
    mutant(`narrow-stop-id-twice${path}`, "a buy stop order can have the client order id of an open sell stop order", {
      breaks: ["live-terms.client-order-id"],
      ...idTwice(path, "buy")
    })
  ),
  mutant("narrow-margin-market", "a market without collateral trading is refused with the code for invalid fields", {
    breaks: ["live-terms.margin-market", "live-terms.values"],
    ...answering(collateralLimit, "refusal", (json) => {
      const { code, ...rest } = json as Fields
      return { ...rest, code: code === 31 ? 30 : code }
    })
  }),
  mutant("narrow-funds", "an order that the balance does not cover is placed with a smaller amount", {
    breaks: ["order-answers.no-funds"],
    ...askingWhen(limit, ({ amount }) => amount === "0.030007", (fields) => ({ ...fields, amount: "0.001" }))
  }),
  mutant("narrow-cancel-market", "an order is canceled, whichever market the call names", {
    breaks: ["order-answers.cancel.unknown"],
    ...askingWhen(CancelOrder.endpoint.path, isElsewhere, onTheOrdersMarket)
  }),
  mutant("narrow-modify-market", "an order is changed, whichever market the call names", {
    breaks: ["live-changes.unknown"],
    ...askingWhen(ModifyOrder.endpoint.path, isElsewhere, onTheOrdersMarket)
  }),
  mutant("narrow-bulk-cancel-market", "a list of orders is canceled, whichever markets the call names", {
    breaks: ["live-bulk.not-there"],
    ...asking(cancelBulk, (fields) =>
      Array.isArray(fields["orders"]) && fields["orders"].every(Json.isObject)
        ? { ...fields, orders: fields["orders"].map(onTheOrdersMarket) }
        : fields)
  }),
  mutant("narrow-bulk-cancel-stops", "the last of three orders in a bulk cancellation is not canceled", {
    breaks: ["live-bulk.not-there"],
    ...asking(cancelBulk, (fields) =>
      Array.isArray(fields["orders"]) && fields["orders"].length === 3
        ? { ...fields, orders: [fields["orders"][0], fields["orders"][1], fields["orders"][1]] }
        : fields)
  }),
  mutant("narrow-activation-kept", "a change of the activation price is ignored if the price changes too", {
    breaks: ["live-changes.activation"],
    ...askingWhen(
      ModifyOrder.endpoint.path,
      ({ price }) => price !== undefined,
      (fields) => without(fields, "activationPrice")
    )
  }),
  mutant("narrow-not-clipped", "a reduce-only market order reverses the position", {
    breaks: ["market-orders.reduce-only.clipped", "market-orders.reduce-only"],
    ...asking(collateralMarket, (fields) => without(fields, "reduceOnly"))
  }),
  mutant("narrow-disarm-all", "disarming one market's kill switch disarms another market's kill switch instead", {
    breaks: ["kill-switch.markets"],
    ...askingWhen(
      KillSwitch.endpoint.path,
      (fields) => fields["timeout"] === null && isElsewhere(fields),
      onTheOrdersMarket
    )
  }),
  mutant("narrow-conditional-remembered", "a canceled conditional order is still listed", {
    breaks: ["conditional.cancel", "oto.cancel"],
    ...remembering(ConditionalOrders.endpoint.path, "records")
  }),
  ...[CancelOtoOrder, CancelConditionalOrder].map(({ endpoint: { path } }) =>
    mutant(`narrow-conditional-market${path}`, "a conditional order is canceled, whichever market the call names", {
      breaks: ["conditional.market"],
      ...askingWhen(path, isElsewhere, onTheOrdersMarket)
    })
  ),
  mutant("narrow-canceled-listed", "an order that was listed is still listed after its cancellation", {
    breaks: ["order-answers.canceled"],
    make: () => {
      const seen = new Map<unknown, unknown>()
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (path !== ActiveOrders.endpoint.path || !Array.isArray(json)) return answer
          for (const order of json) if (Json.isObject(order)) seen.set(order["orderId"], order)
          return withBody(answer, [...seen.values()])
        }
      }
    }
  }),
  mutant("narrow-open-offset", "lists of open orders refuse an offset above 10000", {
    breaks: ["live-pages.offset.accepts"],
    ...askingWhen(
      ActiveOrders.endpoint.path,
      ({ offset }) => Number(offset) > 10_000,
      (fields) => ({ ...fields, offset: -1 })
    )
  })
]

const accountMutants: ReadonlyArray<Mutant> = [
  mutant("narrow-key-title", "the title of a new key is stored in lower case", {
    breaks: ["api-key-creation.listed"],
    ...askingWhen(
      SubAccountApiKeyCreation.endpoint.path,
      ({ title }) => typeof title === "string",
      (fields) => ({ ...fields, title: String(fields["title"]).toLowerCase() })
    )
  }),
  mutant("narrow-passphrase-spaces", "spaces in the passphrase of a new code are removed", {
    breaks: ["code-creation.passphrase.spaces"],
    ...askingWhen(
      CodeCreation.endpoint.path,
      ({ passphrase }) => typeof passphrase === "string",
      (fields) => ({ ...fields, passphrase: String(fields["passphrase"]).replaceAll(" ", "") })
    )
  }),
  mutant("narrow-fees-of-market", "the trading fees show only the named market", {
    breaks: ["trading-fees.market"],
    ...answering(TradingFees.endpoint.path, "success", (json, { body }) => {
      const { custom_fee: fees, ...rest } = json as Fields
      const isNamed = new TextDecoder().decode(body).includes("\"market\":\"BTC_USDT\"")
      return isNamed ? { ...rest, custom_fee: { BTC_USDT: (fees as Fields)["BTC_USDT"] } } : json
    })
  }),
  mutant("narrow-fees-for-ever", "public fees are always those of the first response", {
    breaks: ["assets.refreshed"],
    make: () => {
      let first: unknown
      return {
        answer: (answer, { path }) => {
          if (path !== PublicFees.endpoint.path || answer.status !== 200) return answer
          first ??= jsonOf(answer)
          return withBody(answer, first)
        }
      }
    }
  }),
  mutant("narrow-funding-limit", "the limit of funding rates is ignored", {
    breaks: ["funding-rates.pages"],
    make: () => ({
      answer: (answer, { path }) =>
        path.startsWith(funding) && answer.status === 200
          ? withBody(
            answer,
            [3, 2, 1].map((day) => ({
              market: "BTC_PERP",
              fundingRate: "0.0001",
              settlementPrice: "40000",
              fundingTime: String(1_752_537_600 + day * 28_800),
              rateCalculatedTime: String(1_752_508_800 + day * 28_800)
            }))
          )
          : answer
    })
  })
]

export const mutants: ReadonlyArray<Mutant> = [
  ...[...orderMutants, ...accountMutants].map((mutant): Mutant => ({ ...mutant, dialects: ["live"] })),
  mutant("narrow-passphrase-case", "a passphrase is compared without regard to case", {
    breaks: ["codes.passphrase.required"],
    make: () => ({
      request: (request, venue) =>
        request.path === Codes.endpoint.path
          ? withFields(venue, request, (fields) => {
            const own = venue.state.codes.get(String(fields["code"]) as never)?.passphrase
            const isSame = own !== undefined && String(fields["passphrase"]).toLowerCase() === String(own).toLowerCase()
            return isSame ? { ...fields, passphrase: own } : fields
          })
          : request
    })
  }),
  mutant("narrow-deleted-listed", "a deleted sub-account is still listed", {
    breaks: ["delete.effect"],
    ...remembering(SubAccounts.endpoint.path, "data")
  }),
  mutant("narrow-leg-listed", "the orders that were open before a leg of an OCO order closed are still listed", {
    breaks: ["oco.one-cancels-other.take-profit", "oco.one-cancels-other.stop-loss"],
    make: () => {
      const legs: Array<Fields> = []
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (answer.status !== 200) return answer
          if (Json.isObject(json)) {
            legs.push(...[json["stop_loss"], json["take_profit"]].filter(Json.isObject))
            return answer
          }
          return path === ActiveOrders.endpoint.path && Array.isArray(json)
            ? withBody(answer, [...legs, ...json])
            : answer
        }
      }
    }
  })
]
