/** The handlers for balances, positions, transfers, codes, sub-accounts and their API keys. */
import * as Redacted from "effect/Redacted"
import * as Decimal from "../../domain/Decimal.ts"
import { PositionId, SubAccountId, type Ticker } from "../../domain/Identifiers.ts"
import * as MarginUnits from "../../domain/MarginUnits.ts"
import * as Time from "../../domain/Time.ts"
import type * as OpenPositions from "../../endpoints/OpenPositions.ts"
import type * as SubAccounts from "../../endpoints/SubAccounts.ts"
import type * as TradeBalance from "../../endpoints/TradeBalance.ts"
import type * as Transfers from "../../endpoints/Transfers.ts"
import * as AccountIndex from "../engine/AccountIndex.ts"
import * as Accounts from "../engine/Accounts.ts"
import * as Ledger from "../engine/Ledger.ts"
import * as Margins from "../engine/Margins.ts"
import type { Position } from "../engine/Position.ts"
import type { Violations } from "../engine/Reply.ts"
import type { Key, SubAccount } from "../engine/State.ts"
import * as Units from "../engine/Units.ts"
import { type Context, group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"
import * as MarketFigures from "./MarketFigures.ts"
import * as Page from "./Page.ts"
import * as StreamToken from "./StreamToken.ts"

/** A wallet's free and locked balances, keyed by asset. */
export const balancesOf = (
  { account, state }: Context,
  wallet: Ledger.Wallet
): ReadonlyMap<Ticker, Held> => {
  const free = Ledger.balances(state.ledger, Ledger.free(account, wallet))
  const locked = Ledger.balances(state.ledger, Ledger.locked(account, wallet))
  return new Map(
    [...new Set([...free.keys(), ...locked.keys()])].map((ticker) => [
      ticker,
      { free: free.get(ticker) ?? 0n, locked: locked.get(ticker) ?? 0n }
    ])
  )
}

/** An asset's free and locked amounts in a wallet. */
export interface Held {
  readonly free: Units.Units
  readonly locked: Units.Units
}

/** A balance of the trade wallet, in the form used by responses. */
export const tradeBalance = ({ free, locked }: Held): TradeBalance.Balance => ({
  available: Units.toDecimal(free),
  freeze: Units.toDecimal(locked)
})

/** Checks that the asset named in a request is listed, if the request names an asset. */
const isListed = ({ ticker }: { readonly ticker?: Ticker }, { state }: Context): Violations =>
  ticker === undefined || state.currencies.some((currency) => currency.ticker === ticker)
    ? []
    : [["ticker", { kind: "known" }]]

/**
 * A position's latest exit, that is, its take-profit and stop-loss; `null` if there is none. The legs close the amount
 * that the entry order has opened.
 */
const tpslOf = ({ account, amount, market }: Position, { state }: Context): OpenPositions.Tpsl | null => {
  const closing = amount > 0n ? "sell" : "buy"
  // In hedge mode, exits on the other side belong to the market's other position.
  const exit = state.exits.latest(account, market).find(({ stopLoss, takeProfit }) =>
    (takeProfit ?? stopLoss)?.side === closing
  )
  if (exit === undefined) return null
  const { stopLoss, takeProfit } = exit
  return {
    ...(takeProfit === undefined ? {} : { takeProfitId: takeProfit.id, takeProfit: takeProfit.stop.price }),
    ...(stopLoss === undefined ? {} : { stopLossId: stopLoss.id, stopLoss: stopLoss.stop.price })
  }
}

/** A position, in the form used by responses. */
export const positionAnswer = (position: Position, context: Context): OpenPositions.Position => {
  const { account, state } = context
  const { amount, cost, market: name } = position
  const size = amount < 0n ? -amount : amount
  const market = state.markets.get(name)
  const gain = Margins.pnlOf(state, position)
  const step = Units.stepOf(market?.moneyPrecision ?? Units.scale)
  const roundedUp = (units: Units.Units) => Units.toDecimal(MarginUnits.ceilOver(units, step) * step)
  const liquidation = Margins.liquidationPrice(state, position)
  return {
    positionId: PositionId.make(position.id.toString()),
    market: name,
    openDate: Time.fromMicros(position.openedAt),
    modifyDate: Time.fromMicros(position.changedAt),
    amount: Units.toDecimal(amount),
    basePrice: Units.toDecimal(Units.over(cost, size)),
    liquidationPrice: liquidation === undefined ? null : MarketFigures.priceOf(market, liquidation),
    liquidationState: state.calls.get(account) ?? null,
    pnl: Units.toDecimal(position.realised),
    pnlPercent: MarketFigures.percentOf(gain, cost),
    unrealizedPnl: Units.toDecimal(gain),
    margin: roundedUp(Margins.marginOf(state, position)),
    freeMargin: Units.toDecimal(Margins.freeMargin(state, account)),
    // A futures position's funding is paid from the balance, so only a margin position's interest is shown.
    funding: market?.type === "futures" ? Decimal.zero : Units.toDecimal(position.funding),
    unrealizedFunding: Decimal.zero,
    positionSide: position.side,
    tpsl: tpslOf(position, context)
  }
}

const subAccountAnswer = (subAccount: SubAccount): SubAccounts.SubAccount => ({
  id: subAccount.id,
  alias: subAccount.alias,
  userId: subAccount.userId,
  ...(subAccount.email === "" ? {} : { email: subAccount.email }),
  status: "active",
  color: subAccount.color,
  kyc: { shareKyc: subAccount.shareKyc, kycStatus: subAccount.kycStatus },
  permissions: { spotEnabled: subAccount.spotEnabled, collateralEnabled: subAccount.collateralEnabled }
})

/** A key without its secret. */
const apiKeyAnswer = (key: Key, owner: SubAccountId) => ({
  subAccountId: owner,
  id: key.id,
  title: key.title,
  isEnabled: key.enabled,
  apiKey: key.apiKey,
  type: key.type,
  lastActivity: key.lastActivity,
  restrictAccess: key.endpoints !== undefined,
  accessEndpoints: key.endpoints ?? []
})

/** The wallets, keyed by the names that transfers use. */
const wallets = { main: "main", spot: "trade", collateral: "collateral" } as const

/** The source and target wallets for each `method` in the older form of a transfer. */
const methods = {
  deposit: { from: "main", to: "spot" },
  withdraw: { from: "spot", to: "main" },
  "collateral-deposit": { from: "main", to: "collateral" },
  "collateral-withdraw": { from: "collateral", to: "main" }
} as const

/** The source and target wallets of a transfer. */
interface Balances {
  readonly from?: Transfers.Balance
  readonly to?: Transfers.Balance
}

/** The source and target wallets of a transfer. If a request names both wallets and a method, the method is ignored. */
const balancesOfTransfer = (
  { method, ...balances }: Balances & { readonly method?: keyof typeof methods }
): Balances =>
  method === undefined || (balances.from !== undefined && balances.to !== undefined) ? balances : methods[method]

const funds = group({
  MainBalance: {
    answer: ({ ticker: only }, { account, state }) => {
      const balances = Ledger.balances(state.ledger, Ledger.free(account, "main"))
      return only === undefined
        ? new Map([...balances].map(([ticker, units]) => [ticker, Units.toDecimal(units)]))
        // For an asset that does not exist, the exchange returns a balance of zero.
        : Units.toDecimal(balances.get(only) ?? 0n)
    }
  },
  TradeBalance: {
    check: isListed,
    answer: ({ ticker: only }, context) => {
      const balances = balancesOf(context, "trade")
      return only === undefined
        ? new Map([...balances].map(([ticker, balance]) => [ticker, tradeBalance(balance)]))
        : tradeBalance(balances.get(only) ?? { free: 0n, locked: 0n })
    }
  },
  CollateralBalance: {
    check: isListed,
    answer: ({ ticker: only }, context) => {
      const balances = balancesOf(context, "collateral")
      const { free, locked } = (only === undefined ? undefined : balances.get(only)) ?? { free: 0n, locked: 0n }
      return new Map(
        only === undefined
          ? [...balances].map(([ticker, { free, locked }]) => [ticker, Units.toDecimal(free + locked)])
          : [[only, Units.toDecimal(free + locked)]]
      )
    }
  },
  OpenPositions: {
    check: KnownMarket.check,
    answer: ({ market }, context) =>
      [...context.state.positionsOf.get(context.account) ?? []]
        .filter((position) => market === undefined || position.market === market)
        .map((position) => positionAnswer(position, context))
  },
  Transfers: {
    operation: ({ amount, ticker, ...request }) => {
      const { from, to } = balancesOfTransfer(request)
      // A request that names neither wallets nor a method has already been refused.
      return from === undefined || to === undefined
        ? { _tag: "Nothing" }
        : { _tag: "Transfer", amount, ticker, from: wallets[from], to: wallets[to] }
    },
    reply: "Done",
    answer: () => undefined,
    refusals: { notEnoughBalance: "notEnoughToTransfer" },
    explain: (reasons, request, { account, state }) => {
      const { amount, ticker } = request
      const { from } = balancesOfTransfer(request)
      if (from === undefined) return reasons
      const available = Units.toDecimal(Accounts.transferable(state, account, wallets[from], ticker))
      return reasons.map(([field, constraint]) =>
        constraint.kind === "balance" ? [field, { kind: "balance", available, amount }] : [field, constraint]
      )
    }
  },
  CodeCreation: {
    operation: (request) => ({ _tag: "CreateCode", ...request }),
    reply: "CodeCreated",
    answer: ({ created }) => ({ message: "Code was successfully created", ...created }),
    refusals: { notEnoughBalance: "notEnoughForCode" }
  },
  Codes: {
    operation: (request) => ({ _tag: "ApplyCode", ...request }),
    reply: "CodeApplied",
    answer: ({ applied }) => ({ message: "Code was successfully applied", ...applied })
  }
})

const subAccounts = group({
  SubAccounts: {
    answer: ({ search = "", ...page }, { account, state }) =>
      Page.make(
        page,
        30,
        Iterator.from(AccountIndex.of(state.accountIndex, account)?.subAccounts ?? []).filter((subAccount) =>
          search === "" ||
          [subAccount.alias, subAccount.id].some((text) => text.toLowerCase().includes(search.toLowerCase()))
        ),
        subAccountAnswer
      )
  },
  SubAccountCreation: {
    operation: ({ permissions, shareKyc = false, ...request }) => ({
      _tag: "CreateSubAccount",
      ...request,
      ...permissions,
      shareKyc
    }),
    reply: "SubAccountCreated",
    answer: ({ subAccount }) => subAccountAnswer(subAccount)
  },
  DeleteSubAccount: {
    operation: (request) => ({ _tag: "DeleteSubAccount", ...request }),
    reply: "Done",
    answer: () => undefined
  },
  SubAccountApiKeys: {
    check: ({ subAccountId }, { account, state }) =>
      subAccountId === undefined || state.subAccounts.get(subAccountId)?.parent === account
        ? []
        : [["subAccountId", { kind: "known" }]],
    answer: ({ subAccountId, ...page }, { account, state }) =>
      Page.make(
        page,
        30,
        // The newest key is listed first.
        [
          ...(subAccountId === undefined
            ? AccountIndex.of(state.accountIndex, account)?.subAccountKeys
            : AccountIndex.of(state.accountIndex, subAccountId)?.keys) ?? []
        ].toReversed(),
        (key) => ({ ...apiKeyAnswer(key, SubAccountId.make(key.account)), apiSecret: "" })
      )
  },
  SubAccountApiKeyCreation: {
    operation: ({ type, ...request }) => ({ _tag: "CreateSubAccountKey", ...request, type: type.toString() }),
    reply: "KeyCreated",
    answer: ({ key }) => ({
      ...apiKeyAnswer(key, SubAccountId.make(key.account)),
      apiSecret: Redacted.make(key.apiSecret)
    })
  },
  WebSocketToken: {
    // A private call is always signed, so the token is never empty.
    answer: (_request, { serverTime, signed }) => ({
      token: Redacted.make(signed === undefined ? "" : StreamToken.create(signed.key, signed.nonce ?? 0n, serverTime))
    })
  }
})

/** The handlers for accounts and their balances. */
export const account: typeof funds & typeof subAccounts = { ...funds, ...subAccounts }
