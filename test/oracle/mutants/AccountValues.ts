/**
 * Faults in the values of balances, positions and fees, and of newly created codes, sub-accounts and keys. Only the
 * live exchange documents these values.
 */
import * as ClosedPositions from "../../../src/endpoints/ClosedPositions.ts"
import * as CodeCreation from "../../../src/endpoints/CodeCreation.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralBalance from "../../../src/endpoints/CollateralBalance.ts"
import * as CollateralSummary from "../../../src/endpoints/CollateralSummary.ts"
import * as FundingPayments from "../../../src/endpoints/FundingPayments.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as PositionHistory from "../../../src/endpoints/PositionHistory.ts"
import * as SubAccountApiKeyCreation from "../../../src/endpoints/SubAccountApiKeyCreation.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccountCreation from "../../../src/endpoints/SubAccountCreation.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
import * as TradingFees from "../../../src/endpoints/TradingFees.ts"
import * as Transfers from "../../../src/endpoints/Transfers.ts"
import * as WebSocketToken from "../../../src/endpoints/WebSocketToken.ts"
import { rules } from "../../../src/oracle/Rules.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  changing,
  type Fields,
  jsonOf,
  type Mutant,
  mutant,
  type Place,
  withBody,
  withFields,
  without
} from "./Mutant.ts"

const [trade, collateral, main] = [
  TradeBalance.endpoint.path,
  CollateralBalance.endpoint.path,
  MainBalance.endpoint.path
]
const transfer = Transfers.endpoint.path
const positions = OpenPositions.endpoint.path
const fees = TradingFees.endpoint.path
const [createCode, applyCode] = [CodeCreation.endpoint.path, Codes.endpoint.path]
const [createSub, listSubs] = [SubAccountCreation.endpoint.path, SubAccounts.endpoint.path]
const [createKey, listKeys] = [SubAccountApiKeyCreation.endpoint.path, SubAccountApiKeys.endpoint.path]

/** Adds this amount to a decimal. */
const plus = (amount: number) => (value: unknown): unknown => String(Number(value) + amount)

const times = (factor: number) => (value: unknown): unknown => String(Number(value) * factor)

/** Changes each entry in a trade balance, whether or not the call names an asset. */
const entries = (change: (entry: Fields) => Fields): Change =>
  answering(trade, "success", (json) => {
    if (!Json.isObject(json)) return json
    if ("available" in json) return change(json)
    return Object.fromEntries(Object.entries(json).map(([key, entry]) => [key, change(entry as Fields)]))
  })

const frozen = (change: (freeze: number) => number): Change =>
  entries((entry) => {
    const freeze = change(Number(entry["freeze"]))
    return {
      ...entry,
      freeze: String(freeze),
      available: String(Number(entry["available"]) + Number(entry["freeze"]) - freeze)
    }
  })

/** Repeats for each API key the first response that the key got, whatever has changed since then. */
const cached = (path: string): Change => ({
  make: () => {
    const first = new Map<string, string>()
    return {
      answer: (answer, request) => {
        if (request.path !== path || answer.status !== 200) return answer
        const key = String(request.headers["x-txc-apikey"])
        const body = first.get(key) ?? answer.body
        first.set(key, body)
        return { ...answer, body }
      }
    }
  }
})

/** Turns refusals of calls to a path into successes with this status and body. */
const accepting = (path: string, status: number, body: unknown): Change => ({
  make: () => ({
    answer: (answer, request) =>
      request.path === path && answer.status >= 400 ? withBody({ ...answer, status }, body) : answer
  })
})

/** Removes the asset from a call's fields. */
const unnamed = (path: string): Change => asking(path, (fields) => without(fields, "ticker"))

const balanceMutants: ReadonlyArray<Mutant> = [
  mutant("balances-freeze-zero", "the trade balance shows no locked funds", {
    breaks: ["balances.order", "balances.fill"],
    ...frozen(() => 0)
  }),
  mutant("balances-available-whole", "the available balance includes locked funds", {
    breaks: ["balances.order", "balances.fill"],
    ...entries((entry) => ({ ...entry, available: String(Number(entry["available"]) + Number(entry["freeze"])) }))
  }),
  mutant("balances-swapped", "available and freeze are swapped", {
    breaks: ["balances.order", "balances.assets"],
    ...entries((entry) => ({ ...entry, available: entry["freeze"], freeze: entry["available"] }))
  }),
  mutant("balances-freeze-doubled", "an order locks twice its cost", {
    breaks: ["balances.order", "balances.fill"],
    ...frozen((freeze) => freeze * 2)
  }),
  mutant("balances-freeze-for-ever", "locked funds are never released", {
    breaks: ["balances.order"],
    make: () => {
      const most = new Map<string, number>()
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          if (request.path !== trade || answer.status !== 200 || !Json.isObject(json)) return answer
          return withBody(
            answer,
            Object.fromEntries(
              Object.entries(json).map(([ticker, entry]) => {
                if (!Json.isObject(entry)) return [ticker, entry]
                const key = `${String(request.headers["x-txc-apikey"])} ${ticker}`
                const freeze = Math.max(Number(entry["freeze"]), most.get(key) ?? 0)
                most.set(key, freeze)
                const available = Number(entry["available"]) + Number(entry["freeze"]) - freeze
                return [ticker, { available: String(available), freeze: String(freeze) }]
              })
            )
          )
        }
      }
    }
  }),
  mutant("balances-cached", "the trade balance never changes", {
    breaks: ["balances.order", "balances.fill", "transfers.moves"],
    ...cached(trade)
  }),
  mutant("balances-main-cached", "the main balance never changes", {
    breaks: ["transfers.moves", "code-creation.moves", "balances.interest"],
    ...cached(main)
  }),
  mutant("balances-collateral-cached", "the collateral balance never changes", {
    breaks: ["balances.collateral", "transfers.moves"],
    ...cached(collateral)
  }),
  mutant("balances-fee-elsewhere", "an order shows twice the charged fee", {
    breaks: ["balances.fill", "balances.collateral", "trading-fees.charged"],
    ...answering(() => true, "success", (json) => doubledFee(json))
  }),
  mutant("balances-collateral-doubled", "the collateral balance is doubled", {
    breaks: ["balances.assets", "balances.collateral"],
    ...changing(collateral, ["*"], times(2))
  }),
  mutant("balances-collateral-trade", "the collateral balance shows the trade balance", {
    breaks: ["balances.assets"],
    make: () => ({
      request: (request, venue) =>
        request.path === collateral
          ? withFields(venue, { ...request, path: trade }, (fields) => ({ ...fields, request: trade }))
          : request,
      answer: (answer, request) => {
        const json = jsonOf(answer)
        if (request.path !== collateral || answer.status !== 200 || !Json.isObject(json)) return answer
        return withBody(
          answer,
          Object.fromEntries(
            Object.entries(json).map(([key, entry]) => [key, Json.isObject(entry) ? entry["available"] : entry])
          )
        )
      }
    })
  }),
  ...[main, trade, collateral].map((path) =>
    mutant(`balances-ticker-ignored${path}`, "the asset that the call names is ignored", {
      breaks: ["balances.assets", ...(path === main ? ["balances.unknown"] : ["balances.refusal"])],
      ...unnamed(path)
    })
  )
]

/** Doubles every `dealFee` in a JSON value. */
const doubledFee = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(doubledFee)
  if (!Json.isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, key === "dealFee" ? times(2)(value) : doubledFee(value)])
  )
}

const transferMutants: ReadonlyArray<Mutant> = [
  mutant("transfers-status", "a transfer returns HTTP 200", {
    breaks: ["transfers.moves"],
    make: () => ({
      answer: (answer, { path }) => path === transfer && answer.status === 201 ? { ...answer, status: 200 } : answer
    })
  }),
  mutant("transfers-object", "a transfer returns an object", {
    breaks: ["transfers.moves"],
    ...answering(transfer, "success", () => ({}))
  }),
  mutant("transfers-doubled", "a transfer moves twice its amount", {
    breaks: ["transfers.moves"],
    ...asking(transfer, (fields) => ({ ...fields, amount: times(2)(fields["amount"]) }))
  }),
  mutant("transfers-nothing", "a transfer moves nothing", {
    breaks: ["transfers.moves"],
    make: () => ({
      request: (request, venue) =>
        request.path === transfer ? withFields(venue, request, (fields) => ({ ...fields, amount: "0" })) : request,
      answer: (answer, { path }) => path === transfer ? withBody({ ...answer, status: 201 }, []) : answer
    })
  }),
  mutant("transfers-backwards", "a transfer moves in the opposite direction", {
    breaks: ["transfers.moves"],
    ...asking(
      transfer,
      (fields) => fields["from"] === undefined ? fields : { ...fields, from: fields["to"], to: fields["from"] }
    )
  }),
  mutant("transfers-to-main", "a transfer from spot to collateral stays in main", {
    breaks: ["transfers.moves"],
    ...asking(
      transfer,
      (fields) => fields["from"] === "spot" && fields["to"] === "collateral" ? { ...fields, to: "main" } : fields
    )
  }),
  mutant("transfers-method", "the older form of a transfer always deposits", {
    breaks: ["transfers.moves"],
    ...asking(transfer, (fields) => fields["method"] === undefined ? fields : { ...fields, method: "deposit" })
  }),
  mutant("transfers-other-asset", "a transfer moves the wrong asset", {
    breaks: ["transfers.moves", "transfers.refusal"],
    ...asking(transfer, (fields) => ({ ...fields, ticker: "BTC" }))
  }),
  mutant("transfers-locked", "a transfer of locked funds is reported as done", {
    breaks: ["transfers.locked", "transfers.refusal"],
    ...accepting(transfer, 201, [])
  })
]

const position = (key: string, change: (value: unknown) => unknown): Change => changing(positions, ["*", key], change)

/** Faults in one field of a position: the wrong value, and the rules that detect it. */
const positionFaults: ReadonlyArray<
  readonly [key: string, fault: string, change: (value: unknown) => unknown, breaks: ReadonlyArray<string>]
> = [
  ["market", "is another market", () => "ETH_USDT", ["positions.opened", "positions.market"]],
  ["amount", "is doubled", times(2), ["positions.opened", "positions.increased", "positions.reduced"]],
  ["amount", "has no sign", (amount) => String(Math.abs(Number(amount))), ["positions.margin", "positions.profit"]],
  ["basePrice", "is the last price", () => "40400", ["positions.opened", "positions.increased", "positions.reduced"]],
  ["openDate", "is an hour late", (at) => Number(at) + 3600, ["positions.opened", "times.listed"]],
  ["openDate", "is in whole seconds", (at) => Math.floor(Number(at)), ["times.listed"]],
  ["modifyDate", "is in whole seconds", (at) => Math.floor(Number(at)), ["times.listed"]],
  ["modifyDate", "is an hour late", (at) => Number(at) + 3600, ["positions.opened", "positions.increased"]],
  ["pnl", "is always zero", () => "0", ["positions.realized"]],
  ["pnl", "has the opposite sign", times(-1), ["positions.realized"]],
  ["pnlPercent", "is a ratio", times(0.01), ["positions.profit"]],
  ["unrealizedPnl", "has the opposite sign", times(-1), ["positions.profit", "positions.realized"]],
  ["unrealizedPnl", "is always zero", () => "0", ["positions.profit"]],
  ["unrealizedPnl", "is never zero", plus(1), ["positions.profit"]],
  ["margin", "is seven times as large", times(7), ["positions.margin"]],
  ["freeMargin", "includes the margin", plus(80), ["positions.margin"]],
  ["funding", "is not zero", () => "3", ["positions.opened"]],
  ["positionSide", "is LONG", () => "LONG", ["positions.opened"]],
  ["liquidationState", "is always liquidation", () => "liquidation", ["positions.opened"]],
  ["positionId", "is the same for all positions", () => 7, ["positions.market"]],
  ["tpsl", "is missing", () => null, ["positions.tpsl"]],
  ["tpsl", "is never missing", (tpsl) => tpsl ?? { takeProfit: "1" }, ["positions.opened"]],
  ["positionId", "changes with every response", nextId(), ["positions.increased", "positions.reduced"]]
]

/** Creates a counter for ids that never repeat. */
function nextId(): () => number {
  let last = 1_000_000
  return () => ++last
}

const positionMutants: ReadonlyArray<Mutant> = [
  ...positionFaults.map(([key, fault, change, breaks], index) =>
    mutant(`positions-${key}-${index}`, `${key} of a position ${fault}`, { breaks, ...position(key, change) })
  ),
  mutant("positions-tpsl-ids", "a position's take-profit and stop-loss show ids that belong to no order", {
    breaks: ["positions.tpsl"],
    ...changing(positions, ["*", "tpsl", "takeProfitId"], (id) => Number(id) + 1_000_000)
  }),
  mutant("positions-tpsl-swapped", "take-profit and stop-loss of a position are swapped", {
    breaks: ["positions.exits"],
    ...position(
      "tpsl",
      (tpsl) => Json.isObject(tpsl) ? { ...tpsl, takeProfit: tpsl["stopLoss"], stopLoss: tpsl["takeProfit"] } : tpsl
    )
  }),
  mutant("positions-opened-now", "a position's openDate is the time of its last change", {
    breaks: ["positions.increased", "times.listed"],
    ...answering(
      positions,
      "success",
      (json) => (json as ReadonlyArray<Fields>).map((position) => ({ ...position, openDate: position["modifyDate"] }))
    )
  }),
  mutant("positions-never-modified", "a position's modifyDate is its openDate", {
    breaks: ["positions.increased", "times.listed"],
    ...answering(
      positions,
      "success",
      (json) => (json as ReadonlyArray<Fields>).map((position) => ({ ...position, modifyDate: position["openDate"] }))
    )
  }),
  mutant("positions-none", "no position is listed", {
    breaks: ["positions.opened", "positions.market"],
    ...answering(positions, "success", () => [])
  }),
  mutant("positions-closed", "a closed position is still listed with its last amount", {
    breaks: ["positions.reduced"],
    make: () => {
      const last = new Map<string, unknown>()
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          if (request.path !== positions || answer.status !== 200 || !Array.isArray(json)) return answer
          const key = String(request.headers["x-txc-apikey"])
          if (json.length > 0) last.set(key, json)
          return withBody(answer, last.get(key) ?? json)
        }
      }
    }
  }),
  mutant("positions-all-markets", "the market of a call for positions is ignored", {
    breaks: ["positions.market", "positions.refusal"],
    ...asking(positions, (fields) => without(fields, "market"))
  })
]

const feeMutants: ReadonlyArray<Mutant> = [
  mutant("trading-fees-ratio", "trading fees are ratios", {
    breaks: ["trading-fees.charged", "trading-fees.listed"],
    ...answering(fees, "success", (json) => ratios(json))
  }),
  mutant("trading-fees-swapped", "maker and taker fees are swapped", {
    breaks: ["trading-fees.charged", "trading-fees.listed"],
    ...changing(fees, ["custom_fee", "*"], (fee) => {
      const { maker, taker } = fee as Fields
      return { maker: taker, taker: maker }
    })
  }),
  mutant("trading-fees-futures", "a futures market has the fees of spot markets", {
    breaks: ["trading-fees.charged", "trading-fees.listed"],
    ...changing(fees, ["custom_fee", "BTC_PERP"], () => ({ maker: "0.1", taker: "0.1" }))
  }),
  mutant("trading-fees-missing", "the trading fees are null", {
    breaks: ["trading-fees.maker", "trading-fees.taker", "trading-fees.futures_maker", "trading-fees.futures_taker"],
    ...answering(fees, "success", (json) => ({
      ...json as Fields,
      maker: null,
      taker: null,
      futures_maker: null,
      futures_taker: null
    }))
  }),
  mutant("trading-fees-list", "the fees of markets are a list, and other fields are strings", {
    breaks: [
      "trading-fees.custom_fee",
      "trading-fees.error",
      "trading-fees.rpi_maker_fee_premium",
      "trading-fees.futures_rpi_maker_fee_premium"
    ],
    ...answering(fees, "success", (json) => ({
      ...json as Fields,
      custom_fee: [],
      error: "none",
      rpi_maker_fee_premium: "none",
      futures_rpi_maker_fee_premium: "none"
    }))
  })
]

const ratios = (json: unknown): unknown =>
  Json.isObject(json)
    ? Object.fromEntries(Object.entries(json).map(([key, value]) => [key, ratios(value)]))
    : typeof json === "string"
    ? times(0.01)(json)
    : json

const codeMutants: ReadonlyArray<Mutant> = [
  mutant("code-creation-status", "a code is created with HTTP 200", {
    breaks: ["code-creation.moves"],
    make: () => ({
      answer: (answer, { path }) => path === createCode && answer.status === 201 ? { ...answer, status: 200 } : answer
    })
  }),
  mutant("code-creation-amount", "a created code has the wrong amount", {
    breaks: ["code-creation.moves"],
    ...asking(
      createCode,
      (fields) => Number(fields["amount"]) > 1 ? { ...fields, amount: times(0.5)(fields["amount"]) } : fields
    )
  }),
  mutant("code-creation-asset", "a created code is always for ETH", {
    breaks: ["code-creation.moves", "code-creation.refusal"],
    ...asking(createCode, (fields) => ({ ...fields, ticker: "ETH" }))
  }),
  mutant("code-creation-free", "the creation of a code debits nothing", {
    breaks: ["code-creation.moves"],
    ...changing(main, ["ETH", "main_balance"], () => "5")
  }),
  mutant("code-creation-open", "a created code needs no passphrase", {
    breaks: ["code-creation.passphrase", "code-creation.refusal"],
    ...asking(createCode, (fields) => without(fields, "passphrase"))
  }),
  mutant("code-creation-same-id", "every created code has the same transaction id", {
    breaks: ["code-creation.unique"],
    ...changing(createCode, ["external_id"], () => "00000000-0000-4000-8000-000000000000")
  }),
  mutant("code-creation-other-code", "the creation shows a code that does not exist", {
    breaks: ["code-creation.moves", "code-creation.passphrase"],
    ...changing(createCode, ["code"], (code) => `${String(code)}X`)
  }),
  mutant("code-creation-applied-asset", "applying a code shows the wrong asset", {
    breaks: ["code-creation.moves"],
    ...changing(applyCode, ["ticker"], () => "BTC")
  }),
  mutant("code-creation-always", "every code is reported as created", {
    breaks: ["code-creation.refusal"],
    ...accepting(createCode, 201, { code: "WB1", message: "", external_id: "1" })
  })
]

const subAccountMutants: ReadonlyArray<Mutant> = [
  mutant("sub-account-creation-status", "a sub-account is created with HTTP 200", {
    breaks: ["sub-account-creation.listed"],
    make: () => ({
      answer: (answer, { path }) => path === createSub && answer.status === 201 ? { ...answer, status: 200 } : answer
    })
  }),
  ...([
    ["alias", (alias: unknown) => `${String(alias)}.`],
    ["userId", (id: unknown) => `${String(id)}0`],
    ["id", (id: unknown) => `${String(id)}0`],
    ["color", () => "#00FF00"],
    ["email", () => "mail@example.com"]
  ] as const).map(([key, change]) =>
    mutant(`sub-account-creation-${key}`, `the creation of a sub-account and the list show a different ${key}`, {
      breaks: ["sub-account-creation.listed"],
      ...changing(createSub, [key], change)
    })
  ),
  mutant("sub-account-creation-alias-list", "the list shows a different alias from the requested one", {
    breaks: ["sub-account-creation.listed"],
    ...changing(listSubs, ["data", "*", "alias"], () => "desk")
  }),
  mutant("sub-account-creation-spot", "every sub-account is created with spot trading", {
    breaks: ["sub-account-creation.listed", "api-key-creation.permissions"],
    ...asking(createSub, (fields) =>
      Json.isObject(fields["permissions"])
        ? { ...fields, permissions: { ...fields["permissions"], spotEnabled: true } }
        : fields)
  }),
  mutant("sub-account-creation-kyc", "every sub-account is created with its own verification", {
    breaks: ["sub-account-creation.listed"],
    ...changing(createSub, ["kyc", "shareKyc"], () => false)
  }),
  mutant("sub-account-creation-status-list", "the list and the creation show different statuses", {
    breaks: ["sub-account-creation.status"],
    ...changing(listSubs, ["data", "*", "status"], () => "pending")
  }),
  mutant("sub-account-creation-twice", "a name can be used twice", {
    breaks: ["sub-account-creation.unique"],
    make: () => {
      let count = 0
      return {
        request: (request, venue) =>
          request.path === createSub
            ? withFields(venue, request, (fields) =>
              typeof fields["alias"] === "string" ? { ...fields, alias: `${fields["alias"]} ${++count}` } : fields)
            : request
      }
    }
  }),
  mutant("sub-account-creation-always", "every sub-account is reported as created", {
    breaks: ["sub-account-creation.refusal", "sub-account-creation.unique"],
    ...accepting(createSub, 201, { id: "1", userId: "2" })
  })
]

const keyMutants: ReadonlyArray<Mutant> = [
  ...([
    ["subAccountId", () => "another"],
    ["title", () => "another"],
    ["isEnabled", () => false],
    ["type", () => 3],
    ["id", (id: unknown) => `${String(id)}0`],
    ["apiKey", (key: unknown) => `${String(key)}0`],
    ["lastActivity", (at: unknown) => Number(at) * 1000]
  ] as const).map(([key, change]) =>
    mutant(`api-key-creation-${key}`, `the creation of a key shows the wrong ${key}`, {
      breaks: ["api-key-creation.listed"],
      ...changing(createKey, [key], change)
    })
  ),
  ...([["title", () => "another"], ["apiSecret", () => "secret"], ["isEnabled", () => false]] as const).map((
    [key, change]
  ) =>
    mutant(`api-key-listed-${key}`, `the list of keys and the creation show a different ${key}`, {
      breaks: ["api-key-creation.listed"],
      ...changing(listKeys, ["data", "*", key], change)
    })
  ),
  mutant("api-key-creation-restricted", "a new key is shown as restricted", {
    breaks: ["api-key-creation.unrestricted"],
    ...changing(createKey, ["restrictAccess"], () => true)
  }),
  mutant("api-key-listed-type", "all keys are listed with the same type", {
    breaks: ["api-key-creation.types"],
    ...changing(listKeys, ["data", "*", "type"], () => "1")
  }),
  mutant("api-key-creation-secret", "the creation shows a secret other than the one that signs", {
    breaks: ["api-key-creation.signs"],
    ...changing(createKey, ["apiSecret"], (secret) => `${String(secret)}0`)
  }),
  mutant("api-key-creation-shared-secret", "a sub-account shows another sub-account's balance", {
    breaks: ["api-key-creation.signs"],
    ...changing(main, ["ETH", "main_balance"], () => "5")
  }),
  mutant("api-key-creation-no-spot", "a sub-account with permission cannot trade spot", {
    breaks: ["api-key-creation.permissions"],
    make: () => ({
      answer: (answer, { path }) =>
        path === LimitOrders.endpoint.path
          ? withBody({ ...answer, status: 401 }, { code: 4, message: "", errors: {} })
          : answer
    })
  }),
  mutant("api-key-creation-always", "every key is reported as created", {
    breaks: ["api-key-creation.refusal", "api-key-creation.own"],
    ...accepting(createKey, 201, { id: "1" })
  })
]

const tokenMutants: ReadonlyArray<Mutant> = [
  mutant("stream-token-empty", "the token for a WebSocket connection is empty", {
    breaks: ["streams.token"],
    ...changing(WebSocketToken.endpoint.path, ["websocket_token"], () => "")
  }),
  mutant("stream-token-key", "the response shows the WebSocket token under a different key", {
    breaks: ["streams.token"],
    ...answering(WebSocketToken.endpoint.path, "success", (json) => ({ token: (json as Fields)["websocket_token"] }))
  })
]

/** The places in responses where rules expect their fields, each with the rules' id prefix and the call's path. */
const tables: ReadonlyArray<readonly [rules: string, path: string, place: Place]> = [
  ["positions.entry.", positions, ["*"]],
  ["margin.summary.", CollateralSummary.endpoint.path, []],
  ["margin.history.entry.", PositionHistory.endpoint.path, ["*"]],
  ["margin.closed.entry.", ClosedPositions.endpoint.path, ["*"]],
  ["margin.funding.entry.", FundingPayments.endpoint.path, ["records", "*"]],
  ["code-creation.result.", createCode, []]
]

/** Mutants in whose responses every field is an empty list. */
const shapeMutants: ReadonlyArray<Mutant> = tables.map(([prefix, path, place]) =>
  mutant(`${prefix}kind`, "all fields are empty lists", {
    breaks: rules.map(({ id }) => id).filter((id) => id.startsWith(prefix)),
    ...changing(path, place, (object) => Object.fromEntries(Object.keys(object as Fields).map((key) => [key, []])))
  })
)

export const mutants: ReadonlyArray<Mutant> = [
  ...balanceMutants,
  ...transferMutants,
  ...positionMutants,
  ...feeMutants,
  ...codeMutants,
  ...subAccountMutants,
  ...keyMutants,
  ...tokenMutants,
  ...shapeMutants
].map((mutant) => ({ ...mutant, dialects: ["live"] }))
