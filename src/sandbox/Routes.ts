/**
 * What each endpoint does in this exchange: from its request to an operation of the engine, and from the engine's reply
 * to its answer. Paths, access, limits and schemas come from the endpoints themselves.
 *
 * @since 0.1.0
 */
import * as Decimal from "../domain/Decimal.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import * as Time from "../domain/Time.ts"
import * as CancelAllOrders from "../endpoints/CancelAllOrders.ts"
import * as Codes from "../endpoints/Codes.ts"
import * as CollateralOcoOrders from "../endpoints/CollateralOcoOrders.ts"
import * as DeleteSubAccount from "../endpoints/DeleteSubAccount.ts"
import * as Fees from "../endpoints/Fees.ts"
import * as InterestPaymentHistory from "../endpoints/InterestPaymentHistory.ts"
import * as MainBalance from "../endpoints/MainBalance.ts"
import * as Markets from "../endpoints/Markets.ts"
import * as ServerStatus from "../endpoints/ServerStatus.ts"
import * as StopLimitOrders from "../endpoints/StopLimitOrders.ts"
import * as SubAccountApiKeys from "../endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../endpoints/SubAccounts.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import type * as Endpoint from "../protocol/Endpoint.ts"
import type { Operation } from "./engine/Command.ts"
import * as Ledger from "./engine/Ledger.ts"
import type { Reply, Violations } from "./engine/Reply.ts"
import type { Order, State, StopOrder } from "./engine/State.ts"
import * as Units from "./engine/Units.ts"

/**
 * What the engine knows when a call is answered.
 *
 * @category models
 * @since 0.1.0
 */
export interface Context {
  readonly dialect: Dialect
  readonly state: State
  /** The account that calls; empty for public calls. */
  readonly account: string
}

/**
 * An endpoint's place in the exchange.
 *
 * - `check`: what only the exchange can find wrong with a read
 * - `operation`: what the call asks the engine to do
 * - `status`: of a success
 * - `answer`: what is answered once the engine has done it
 *
 * @category models
 * @since 0.1.0
 */
export interface Route {
  readonly endpoint: Endpoint.Any
  readonly check: (request: never, context: Context) => Violations
  readonly operation: (request: never) => Operation
  readonly status: (dialect: Dialect) => number
  readonly answer: (request: never, reply: Reply, context: Context) => unknown
}

const nothing: Operation = { _tag: "Nothing" }

const read = <Q, R, A extends "public" | "private", T extends Endpoint.RefusalTag>(
  endpoint: Endpoint.Endpoint<Q, R, A, false, T>,
  answer: (request: Q, context: Context) => R,
  check: (request: Q, context: Context) => Violations = () => []
): Route => ({
  endpoint,
  check,
  operation: () => nothing,
  status: () => 200,
  answer: (request, _reply, context) => answer(request, context)
})

const isReply = <Tag extends Reply["_tag"]>(
  reply: Reply,
  tag: Tag
): reply is Extract<Reply, { readonly _tag: Tag }> => reply._tag === tag

const write = <Q, R, T extends Endpoint.RefusalTag, Tag extends Reply["_tag"]>(
  endpoint: Endpoint.Endpoint<Q, R, "private", true, T>,
  operation: (request: Q) => Operation,
  tag: Tag,
  answer: (reply: Extract<Reply, { readonly _tag: Tag }>, context: Context) => R,
  status: (dialect: Dialect) => number = () => 200
): Route => ({
  endpoint,
  check: () => [],
  operation,
  status,
  answer: (_request, reply, context) => isReply(reply, tag) ? answer(reply, context) : undefined
})

// -----------------------------------------------------------------------------
// Pages
// -----------------------------------------------------------------------------

const pageOf = <A, B>(
  request: { readonly limit?: Limit; readonly offset?: Offset },
  defaultLimit: number,
  all: ReadonlyArray<A>,
  toRecord: (item: A) => B
): { readonly limit: Limit; readonly offset: Offset; readonly records: ReadonlyArray<B> } => {
  const { limit = Limit.make(defaultLimit), offset = Offset.make(0) } = request
  return { limit, offset, records: all.slice(offset, offset + limit).map(toRecord) }
}

// -----------------------------------------------------------------------------
// Orders
// -----------------------------------------------------------------------------

const zero = Decimal.zero

const common = (order: Order) => ({
  orderId: order.id,
  ...(order.clientOrderId === undefined ? {} : { clientOrderId: order.clientOrderId }),
  market: order.market,
  side: order.side,
  type: order.type,
  timestamp: Time.fromMicros(order.placedAt),
  dealMoney: Units.toDecimal(order.dealMoney),
  dealStock: Units.toDecimal(order.dealStock),
  amount: order.amount,
  // What was submitted comes back as it was written, until something of it is filled.
  left: order.left === order.quantity ? order.amount : Units.toDecimal(order.left),
  dealFee: Units.toDecimal(order.dealFee),
  price: order.price ?? zero,
  status: order.status,
  stp: order.stp,
  postOnly: order.postOnly
})

const activation = ({ stop }: StopOrder) => ({
  activated: stop.activated,
  activationCondition: stop.condition,
  activationPrice: stop.price
})

const stopLimitOrder = (order: StopOrder): StopLimitOrders.StopLimitOrder => ({
  ...common(order),
  ...activation(order),
  ioc: order.ioc,
  rpi: false,
  reduceOnly: order.reduceOnly
})

/** Markets state fees in percent, orders as ratios. */
const ratio = (percent: Decimal.Decimal): Decimal.FeeRate =>
  Decimal.FeeRate.make(Units.toDecimal((Units.from(percent) ?? 0n) / 100n))

const leg = (order: Order, { dialect, state }: Context) => {
  const market = state.markets.get(order.market)
  const { clientOrderId, ...rest } = common(order)
  return {
    ...rest,
    ...(clientOrderId === undefined || dialect.rules.legClientOrderIds === "empty" ? {} : { clientOrderId }),
    takerFee: ratio(market?.takerFee ?? zero),
    makerFee: ratio(market?.makerFee ?? zero),
    mtime: Time.fromMicros(order.changedAt),
    ...(order.positionSide === undefined ? {} : { positionSide: order.positionSide })
  }
}

// -----------------------------------------------------------------------------
// The routes
// -----------------------------------------------------------------------------

const main = (account: string): Ledger.Holder => ({ account, wallet: "main", locked: false })

/**
 * Every endpoint that this exchange serves.
 *
 * @category routes
 * @since 0.1.0
 */
export const routes: ReadonlyArray<Route> = [
  read(
    InterestPaymentHistory.endpoint,
    ({ planId, ticker, ...page }, { account, state }) =>
      pageOf(
        page,
        100,
        (state.payments.get(account) ?? []).filter((payment) =>
          (planId === undefined || payment.planId === planId) && (ticker === undefined || payment.ticker === ticker)
        ),
        (payment) => payment
      ),
    ({ planId, ticker }, { account, state }) => {
      const payments = state.payments.get(account) ?? []
      const listed = state.currencies.some((currency) => currency.ticker === ticker)
      return [
        ...(planId === undefined || payments.some((payment) => payment.planId === planId)
          ? []
          : [["planId", { rule: "known" }]] as const),
        ...(ticker === undefined || listed ? [] : [["ticker", { rule: "known" }]] as const)
      ]
    }
  ),
  write(
    CollateralOcoOrders.endpoint,
    (request) => ({ _tag: "PlaceOco", ...request }),
    "OcoPlaced",
    ({ oco }, context) => ({
      id: oco.id,
      reduceOnly: oco.reduceOnly,
      stopLoss: { ...leg(oco.stopLoss, context), ...activation(oco.stopLoss) },
      takeProfit: leg(oco.takeProfit, context)
    })
  ),
  write(
    StopLimitOrders.endpoint,
    (request) => ({ _tag: "PlaceStopLimit", ...request }),
    "StopPlaced",
    ({ order }) => stopLimitOrder(order)
  ),
  write(CancelAllOrders.endpoint, (request) => ({ _tag: "CancelAll", ...request }), "Done", () => undefined),
  read(Fees.endpoint, (_request, { state }) =>
    state.currencies.map((currency) => ({
      ticker: currency.ticker,
      name: currency.name,
      canDeposit: true,
      canWithdraw: true,
      deposit: {
        minFlex: zero,
        maxFlex: zero,
        percentFlex: zero,
        fixed: zero,
        minAmount: currency.depositMinimum,
        maxAmount: zero
      },
      withdraw: {
        minFlex: zero,
        maxFlex: zero,
        percentFlex: zero,
        fixed: currency.withdrawFee,
        minAmount: currency.withdrawMinimum,
        maxAmount: currency.withdrawMaximum
      }
    }))),
  write(
    Codes.endpoint,
    (request) => ({ _tag: "ApplyCode", ...request }),
    "CodeApplied",
    ({ applied }) => ({ message: "Code was successfully applied", ...applied }),
    (dialect) => dialect.codeAppliedStatus
  ),
  read(MainBalance.endpoint, (_request, { account, state }) =>
    new Map(
      [...Ledger.balances(state.ledger, main(account))].map(([ticker, units]) => [ticker, Units.toDecimal(units)])
    )),
  read(ServerStatus.endpoint, () => ["pong"] as const),
  read(SubAccounts.endpoint, ({ search = "", ...page }, { account, state }) =>
    pageOf(
      page,
      30,
      [...state.subAccounts.values()].filter((subAccount) =>
        subAccount.parent === account &&
        [subAccount.alias, subAccount.id].some((text) => text.toLowerCase().includes(search.toLowerCase()))
      ),
      (subAccount) => ({
        id: subAccount.id,
        alias: subAccount.alias,
        userId: subAccount.userId,
        email: subAccount.email,
        status: "active" as const,
        color: subAccount.color,
        kyc: { shareKyc: subAccount.shareKyc, kycStatus: subAccount.kycStatus },
        permissions: { spotEnabled: subAccount.spotEnabled, collateralEnabled: subAccount.collateralEnabled }
      })
    )),
  read(
    SubAccountApiKeys.endpoint,
    ({ subAccountId, ...page }, { account, state }) =>
      pageOf(
        page,
        30,
        [...state.keys.values()].flatMap((key) => {
          const owner = state.subAccounts.get(key.account)
          return owner?.parent === account && (subAccountId === undefined || owner.id === subAccountId)
            ? [{ key, owner }]
            : []
        }),
        ({ key, owner }) => ({
          subAccountId: owner.id,
          id: key.id,
          title: key.title,
          isEnabled: key.enabled,
          apiKey: key.apiKey,
          apiSecret: "",
          type: key.type,
          lastActivity: key.lastActivity,
          restrictAccess: key.endpoints !== undefined,
          accessEndpoints: key.endpoints ?? []
        })
      ),
    ({ subAccountId }, { account, state }) =>
      subAccountId === undefined || state.subAccounts.get(subAccountId)?.parent === account
        ? []
        : [["subAccountId", { rule: "known" }]]
  ),
  write(DeleteSubAccount.endpoint, (request) => ({ _tag: "DeleteSubAccount", ...request }), "Done", () => undefined),
  read(Markets.endpoint, (_request, { state }) => [...state.markets.values()])
]
