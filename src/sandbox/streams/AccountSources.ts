/** Pushes an account's balances and positions. */
import * as Result from "effect/Result"
import * as MarginBalanceChannel from "../../channels/MarginBalanceChannel.ts"
import * as PositionsChannel from "../../channels/PositionsChannel.ts"
import * as SpotBalanceChannel from "../../channels/SpotBalanceChannel.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Ticker } from "../../domain/Identifiers.ts"
import type * as TradeBalance from "../../endpoints/TradeBalance.ts"
import type { Pushes } from "../../protocol/Channel.ts"
import * as Ledger from "../engine/Ledger.ts"
import type { Position } from "../engine/Position.ts"
import * as Units from "../engine/Units.ts"
import * as Account from "../handlers/Account.ts"
import * as Margin from "../handlers/Margin.ts"
import * as Changes from "./Changes.ts"
import * as Pace from "./Pace.ts"
import { type Command, type Context, group, invalidArgument, type Outlet, type Subscription } from "./Source.ts"

const heldOf = ({ account, state }: Context, wallet: Ledger.Wallet, ticker: Ticker): Account.Held => ({
  free: Ledger.balance(state.ledger, Ledger.free(account, wallet), ticker),
  locked: Ledger.balance(state.ledger, Ledger.locked(account, wallet), ticker)
})

const spotBalance = (context: Context, ticker: Ticker): TradeBalance.Balance =>
  Account.tradeBalance(heldOf(context, "trade", ticker))

const marginBalance = (context: Context, ticker: Ticker): MarginBalanceChannel.MarginBalance => {
  const [found] = Margin.balancesOf(context, ticker)
  return {
    balance: found?.balance ?? Decimal.zero,
    borrow: found?.borrow ?? Decimal.zero,
    availableWithoutBorrow: found?.availableWithoutBorrow ?? Decimal.zero,
    availableWithBorrow: found?.availableWithBorrow ?? Decimal.zero
  }
}

const tickersOf = ({ state }: Context): ReadonlyArray<Ticker> => state.currencies.map(({ ticker }) => ticker)

const changesBalances = (wallet: Ledger.Wallet) => ({ events }: Command, _: unknown, { account }: Context): boolean =>
  events.some((event) =>
    event._tag === "BalanceChanged" && event.balance.account === account && event.balance.wallet === wallet
  )

/**
 * Whether a command may have changed a margin balance. A moved mark price can change the balance, because its available
 * amounts depend on the positions' margins and profits.
 */
const changesMargin = (command: Command, keys: unknown, context: Context): boolean =>
  changesBalances("collateral")(command, keys, context) ||
  command.events.some((event) =>
    event._tag === "MarkMoved" || ("account" in event && event.account === context.account)
  )

const pushBalances = <Balance>(
  outlet: Outlet<ReadonlyMap<Ticker, Balance>>,
  pushes: Pushes,
  isChangedBy: (command: Command, keys: unknown, context: Context) => boolean,
  balanceOf: (context: Context, ticker: Ticker) => Balance
): Subscription<{ readonly ticker?: Ticker }> =>
  Changes.make(outlet, {
    pushes,
    keysOf: (topics, context) =>
      new Set(topics.flatMap(({ ticker }) => ticker === undefined ? tickersOf(context) : [ticker])),
    valueOf: (ticker, context) => balanceOf(context, ticker),
    isChangedBy,
    push: outlet.push
  })

const isListed = ({ ticker }: { readonly ticker?: Ticker }, context: Context) =>
  ticker === undefined || tickersOf(context).includes(ticker) ? undefined : invalidArgument

/** The balances of the assets that a query names, or of all assets if the query names no assets. */
const asked =
  <Balance>(balanceOf: (context: Context, ticker: Ticker) => Balance) =>
  (tickers: ReadonlyArray<Ticker>, context: Context) => {
    const listed = tickersOf(context)
    return tickers.every((ticker) => listed.includes(ticker))
      ? Result.succeed(
        new Map((tickers.length === 0 ? listed : tickers).map((ticker) => [ticker, balanceOf(context, ticker)]))
      )
      : Result.fail(invalidArgument)
  }

/**
 * A position's realized profit as the channel pushes it: reduced by the fees of all its trades. In the live
 * documentation's margin call example, a position without a closed part has a realized profit equal to minus its
 * opening fee.
 */
export const realizedOf = ({ fees, realised }: Pick<Position, "fees" | "realised">): Decimal.Decimal =>
  Units.toDecimal(realised - fees)

/** An open position as the channel pushes it. The liquidation state defaults to the account's. */
export const positionOf = (
  position: Position,
  context: Context,
  liquidationState = context.state.calls.get(context.account) ?? null
): PositionsChannel.Position => {
  const { pnlPercent: _percent, tpsl: _tpsl, ...answer } = Account.positionAnswer(position, context)
  return { ...answer, pnl: realizedOf(position), liquidationState, total: Units.toDecimal(position.cost) }
}

const pushPositions = (outlet: Outlet<ReadonlyArray<PositionsChannel.Position>>): Subscription<object> => {
  const pace = Pace.make(PositionsChannel.channel.pushes, outlet)
  return {
    listen: () => undefined,
    woken: (at) => {
      if (!pace.isDue(at)) return
      const context = outlet.context()
      const positions = context.state.positionsOf.get(context.account) ?? []
      outlet.push(Array.from(positions, (position) => positionOf(position, context)), "all")
    }
  }
}

/** The sources for balances and positions. */
export const accountSources = group({
  SpotBalanceChannel: {
    check: isListed,
    open: (outlet) => pushBalances(outlet, SpotBalanceChannel.channel.pushes, changesBalances("trade"), spotBalance),
    queries: { all: asked(spotBalance) }
  },
  MarginBalanceChannel: {
    check: isListed,
    open: (outlet) => pushBalances(outlet, MarginBalanceChannel.channel.pushes, changesMargin, marginBalance),
    queries: { all: asked(marginBalance) }
  },
  PositionsChannel: { open: pushPositions, queries: {} }
})
