/**
 * Histories: random sequences of commands of every kind, determined by a seed. They use no random library, because a
 * library's next version might draw different numbers, which would invalidate the engine's recorded results.
 */
import type { Action, Command } from "../../../src/sandbox/engine/Command.ts"
import * as Listings from "../../../src/sandbox/engine/Listings.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"
import type { State } from "../../../src/sandbox/engine/State.ts"

/** A linear congruential generator, and the values drawn from it. */
class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  /** Draws an integer from 0 to `below` - 1. */
  next(below: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(this.state / 2 ** 32 * below)
  }

  is(oneOf: number): boolean {
    return this.next(oneOf) === 0
  }

  pick<const A>(values: ReadonlyArray<A>): A {
    return values[this.next(values.length)] as A
  }
}

const owners = ["ann", "ben", "cat"] as const
const accounts = ["ann", "ann", "ben", "ben", "cat", "sub"] as const
const tickers = ["USDT", "USDT", "BTC", "ETH", "SHIB"] as const
const wallets = ["main", "trade", "collateral"] as const
const plans = ["plan-1", "plan-2", "plan-3"] as const
const codes = ["code-1", "code-2", "code-3"] as const

/** For each market, the price around which it trades, its price step and digits, and the unit of its amounts. */
const grids = [
  { market: "BTC_USDT", price: 100, tick: 1, digits: 2, lot: 0.1, fine: 6 },
  { market: "BTC_USDT", price: 100, tick: 1, digits: 2, lot: 0.1, fine: 6 },
  { market: "BTC_PERP", price: 100, tick: 1, digits: 1, lot: 0.1, fine: 3 },
  { market: "BTC_PERP", price: 100, tick: 1, digits: 1, lot: 0.1, fine: 3 },
  { market: "ETH_USDT", price: 50, tick: 0.5, digits: 2, lot: 0.2, fine: 5 },
  { market: "ETH_BTC", price: 0.05, tick: 0.0005, digits: 6, lot: 0.01, fine: 4 },
  { market: "SHIB_USDT", price: 0.00001, tick: 0.0000001, digits: 10, lot: 1_000_000, fine: 0 }
] as const

const opening: ReadonlyArray<object> = [
  ...owners.map((account) => ({ _tag: "OpenAccount", account, b2b: account === "ann" })),
  {
    _tag: "OpenSubAccount",
    id: "sub",
    parent: "ann",
    alias: "sub",
    email: "",
    color: "#000000",
    shareKyc: true,
    kycStatus: "shared",
    spotEnabled: true,
    collateralEnabled: true
  },
  ...[...owners, "sub"].map((account) => ({
    _tag: "AddKey",
    account,
    apiKey: account,
    apiSecret: "secret",
    title: account,
    type: "1",
    enabled: true
  })),
  ...["ann", "ben", "sub"].flatMap((account) => [
    ...[["USDT", "2000"], ["BTC", "20"], ["ETH", "20"], ["SHIB", "100000000"]].map(([ticker, amount]) => ({
      _tag: "Fund",
      account,
      wallet: "trade",
      ticker,
      amount
    })),
    { _tag: "Fund", account, wallet: "collateral", ticker: "USDT", amount: "300" },
    { _tag: "Fund", account, wallet: "main", ticker: "USDT", amount: "300" }
  ]),
  { _tag: "Fund", account: "cat", wallet: "trade", ticker: "USDT", amount: "80" },
  { _tag: "Fund", account: "cat", wallet: "collateral", ticker: "USDT", amount: "15" }
]

const optional = (key: string, isThere: boolean, value: unknown) => isThere ? { [key]: value } : {}

const order = (dice: Dice, kind: number): object => {
  const { digits, fine, lot, market, price, tick } = dice.pick(grids)
  const listed = Listings.markets.find(({ name }) => name === market)
  const at = (spread: number) => (price + (dice.next(2 * spread + 1) - spread) * tick).toFixed(digits)
  const amount = (lot * (1 + dice.next(9)) + (dice.is(4) ? dice.next(8) * 10 ** -fine : 0)).toFixed(fine)
  const common = {
    market,
    side: dice.pick(["buy", "sell"]),
    amount,
    ...optional("clientOrderId", dice.is(3), `own-${dice.next(40)}`),
    ...optional("stp", dice.is(3), dice.pick(["no", "cancel_both", "cancel_new", "cancel_old"]))
  }
  const reduceOnly = optional("reduceOnly", dice.is(6), true)
  const collateral = listed?.isCollateral === true && dice.is(2)
  if (kind < 14) {
    const flags = { ...optional("ioc", dice.is(9), true), ...optional("postOnly", dice.is(9), true) }
    return { _tag: "PlaceLimit", ...common, price: at(dice.is(4) ? 15 : 2), collateral, ...reduceOnly, ...flags }
  }
  if (kind < 19) {
    const quoteAmount = kind === 18
    const spent = (price * lot * (1 + dice.next(9))).toFixed(digits)
    return {
      _tag: "PlaceMarket",
      ...common,
      ...reduceOnly,
      collateral,
      quoteAmount,
      ...(quoteAmount ? { amount: spent } : {})
    }
  }
  if (kind < 24) {
    const bboRole = optional("bboRole", dice.is(2), dice.pick(["queue", "counterparty"]))
    return { _tag: "PlaceStopLimit", ...common, price: at(6), activationPrice: at(6), ...bboRole }
  }
  return { _tag: "PlaceOco", ...common, ...reduceOnly, price: at(9), activationPrice: at(9), stopLimitPrice: at(9) }
}

/** Draws the cancellation of an open order or of a random id, with an order id or a client order id. */
const cancellation = (dice: Dice, state: State, kind: number): object => {
  if (kind === 4) {
    return {
      _tag: "CancelAll",
      ...optional("market", dice.is(2), dice.pick(grids).market),
      ...optional("type", dice.is(3), [dice.pick(["spot", "margin", "futures"])]),
      ...optional("positionSide", dice.is(6), dice.pick(["LONG", "SHORT", "BOTH"]))
    }
  }
  const isPair = kind > 4
  const open = isPair ? [...state.ocoOrders.values()].map(({ stopLoss }) => stopLoss) : [...state.openOrders.values()]
  const found = open.length === 0 ? undefined : dice.pick(open)
  const market = dice.is(10) ? dice.pick(grids).market : found?.market ?? "BTC_USDT"
  const named = dice.is(3)
    ? { clientOrderId: dice.is(2) ? found?.clientOrderId ?? "own-1" : `own-${dice.next(40)}` }
    : { orderId: (isPair ? found?.oco : found?.id) ?? "7" }
  return { _tag: isPair ? "CancelOco" : "Cancel", market, ...named }
}

/** Draws an order against an open position: reduce-only, or larger than the position. */
const reduction = (dice: Dice, { positions }: State) => {
  const position = dice.pick([...positions.values()])
  const grid = grids.find(({ market }) => market === position?.market)
  if (position === undefined || grid === undefined) return undefined
  const away = (grid.price + (dice.next(25) - 12) * grid.tick).toFixed(grid.digits)
  return {
    _tag: "PlaceLimit",
    market: position.market,
    side: position.amount > 0n ? "sell" : "buy",
    amount: (grid.lot * (1 + dice.next(12))).toFixed(grid.fine),
    price: away,
    collateral: true,
    ...optional("reduceOnly", !dice.is(3), true),
    account: position.account
  }
}

const operation = (dice: Dice, state: State): object => {
  if (dice.is(8)) return reduction(dice, state) ?? { _tag: "Nothing" }
  const kind = dice.next(46)
  if (kind < 28) return order(dice, kind)
  if (kind < 36) return cancellation(dice, state, kind - 28)
  switch (kind) {
    case 36:
      return { _tag: "CreateCode", ticker: dice.pick(tickers), amount: `${1 + dice.next(20)}` }
    case 37:
    case 38:
      return {
        _tag: "ApplyCode",
        code: dice.pick([...codes, ...state.codes.keys()]),
        ...optional("passphrase", dice.is(4), "sesame")
      }
    case 39:
      return {
        _tag: "CreateSubAccount",
        alias: `alias-${dice.next(9)}`,
        shareKyc: dice.is(2),
        spotEnabled: !dice.is(4),
        collateralEnabled: !dice.is(4)
      }
    case 40:
      return {
        _tag: "CreateSubAccountKey",
        subAccountId: dice.pick([...state.subAccounts.keys(), "none"]),
        title: "t",
        type: "1"
      }
    case 41:
      return { _tag: "DeleteSubAccount", id: dice.pick([...state.subAccounts.keys(), "none"]) }
    case 42:
      return { _tag: "Nothing" }
    default:
      return {
        _tag: "Transfer",
        from: dice.pick(wallets),
        to: dice.pick(wallets),
        ticker: dice.pick(tickers),
        amount: `${1 + dice.next(90)}`
      }
  }
}

/** Draws an owner action. */
const ownerAction = (dice: Dice): object => {
  const { digits, lot, market, price, tick } = dice.pick(grids)
  const at = (spread: number) => (price + (dice.next(2 * spread + 1) - spread) * tick).toFixed(digits)
  const account = dice.pick(accounts)
  const amount = `${1 + dice.next(50)}`
  switch (dice.next(13)) {
    case 0:
    case 1:
      return { _tag: "MovePrice", market, price: at(8) }
    case 2:
      return { _tag: "StepPrice", market, by: `${dice.is(2) ? "-" : ""}${tick.toFixed(digits)}` }
    case 3: {
      const steps = Array.from({ length: 1 + dice.next(6) }, () => ({ afterMillis: dice.next(9000), price: at(6) }))
      return { _tag: "PlayPrices", market, steps }
    }
    case 4:
      return {
        _tag: "OpenPosition",
        account,
        market,
        side: dice.pick(["buy", "sell"]),
        amount: lot.toFixed(1),
        price: at(4)
      }
    case 5:
      return {
        _tag: "CreateCode",
        account,
        code: dice.pick(codes),
        ticker: dice.pick(tickers),
        amount,
        ...optional("passphrase", dice.is(3), "sesame")
      }
    case 6:
      return { _tag: "OpenPlan", planId: dice.pick(plans), ticker: "USDT", dailyPercent: "0.5", days: 1 + dice.next(4) }
    case 7:
      return { _tag: "Invest", account, planId: dice.pick(plans), investmentId: `i-${dice.next(50)}`, amount }
    case 8:
      return {
        _tag: "PayInterest",
        account,
        planId: dice.pick(plans),
        investmentId: "paid",
        ticker: "USDT",
        amount: "0.5"
      }
    case 9:
      return { _tag: "SetSubAccount", id: "sub", ...optional("spotEnabled", dice.is(2), !dice.is(4)) }
    case 10:
      return { _tag: "Pass" }
    default:
      return { _tag: "Fund", account, wallet: dice.pick(wallets), ticker: dice.pick(tickers), amount }
  }
}

/** Draws settings for the counterparty, some of them out of bounds. */
const counterparty = (dice: Dice): object => ({
  _tag: "SetCounterparty",
  market: dice.pick(grids).market,
  ...optional("enabled", dice.is(2), !dice.is(4)),
  ...optional("spread", dice.is(2), dice.pick(["0.5", "2", "4", "60"])),
  ...optional("step", dice.is(2), dice.pick(["0", "0.3", "1"])),
  ...optional("levels", dice.is(2), dice.next(9)),
  ...optional("amount", dice.is(2), dice.pick(["0.5", "3", "2000000"])),
  ...optional("variation", dice.is(2), dice.pick(["0", "30", "100"])),
  ...optional("refill", dice.is(4), !dice.is(3)),
  ...optional("credit", dice.is(4), !dice.is(3)),
  ...optional("seed", dice.is(4), dice.next(1000))
})

/** Draws stop-market orders, modifications and bulk commands. */
const newer = (dice: Dice, state: State): object => {
  const { digits, fine, lot, market, price, tick } = dice.pick(grids)
  const at = (spread: number) => (price + (dice.next(2 * spread + 1) - spread) * tick).toFixed(digits)
  const amount = (lot * (1 + dice.next(9))).toFixed(fine)
  const open = [...state.openOrders.values()]
  switch (dice.next(4)) {
    case 0: {
      const collateral = Listings.markets.find(({ name }) => name === market)?.isCollateral === true && dice.is(2)
      const side = dice.pick(["buy", "sell"])
      const spent = (price * lot * (1 + dice.next(9))).toFixed(digits)
      const size = side === "buy" && !collateral ? spent : amount
      return { _tag: "PlaceStopMarket", market, side, amount: size, activationPrice: at(6), collateral }
    }
    case 1: {
      const found = open.length === 0 ? undefined : dice.pick(open)
      return {
        _tag: "Modify",
        market: found?.market ?? market,
        orderId: found?.id ?? "7",
        ...optional("amount", dice.is(2), amount),
        ...optional("price", dice.is(2), at(4)),
        ...optional("activationPrice", dice.is(3), at(6))
      }
    }
    case 2: {
      const orders = Array.from({ length: 1 + dice.next(4) }, () => order(dice, dice.next(14)))
      return { _tag: "PlaceBulk", orders, ...optional("stopOnFail", dice.is(2), true) }
    }
    default: {
      const orders = Array.from({ length: 1 + dice.next(4) }, () => cancellation(dice, state, 0))
      return { _tag: "CancelBulk", orders }
    }
  }
}

/** The optional kinds of commands in a history. */
export interface Telling {
  readonly counterparty?: boolean
  readonly newer?: boolean
}

/**
 * Returns a function that draws the next command in a history, given the state. Only some histories include the
 * counterparty and newer kinds of orders, so the recorded results of the other histories stay valid.
 */
export const history = (seed: number, tells: Telling = {}): (state: State) => Command => {
  const dice = new Dice(seed)
  let [index, at] = [0, 1_700_000_000_000_000]
  return (state) => {
    if (tells.counterparty === true && index > opening.length && dice.is(30)) {
      return { at, action: counterparty(dice) as unknown as Action }
    }
    at += dice.is(60) ? 30 * 3_600_000_000 : dice.next(3_000_000)
    const opened = opening[index++]
    if (opened !== undefined) return { at, action: opened as Action }
    if (dice.is(8)) return { at, action: ownerAction(dice) as Action }
    const isNewer = tells.newer === true && dice.is(3)
    const { account, ...drawn } = (isNewer ? newer(dice, state) : operation(dice, state)) as Operation & {
      readonly account?: string
    }
    const asked = drawn as Operation
    const named = "orderId" in asked && asked.orderId !== undefined ? state.openOrders.get(asked.orderId) : undefined
    // Most cancellations come from the account that placed the order.
    const owner = account ?? (named !== undefined && !dice.is(10) ? named.account : dice.pick(accounts))
    const nonce = optional("nonce", dice.is(5), { value: BigInt(dice.next(4000)), window: dice.is(2) })
    return { at, action: { _tag: "Call", apiKey: owner, ...nonce, operation: asked } as unknown as Action }
  }
}

/** Draws a kill switch, an order with a take-profit or stop-loss, or the cancellation of such an order. */
const conditional = (dice: Dice, { otoOrders }: State): object => {
  const { digits, lot, market, price, tick } = dice.pick(grids.slice(0, 5))
  const at = (ticks: number) => (price + ticks * tick).toFixed(digits)
  const kind = dice.next(9)
  if (kind === 0) {
    return {
      _tag: "SetKillSwitch",
      market,
      ...optional("seconds", !dice.is(4), 5 + dice.next(30)),
      ...optional("types", dice.is(3), [dice.pick(["spot", "margin", "futures"])])
    }
  }
  if (kind === 1) {
    const found = otoOrders.size === 0 ? undefined : dice.pick([...otoOrders.values()])
    const on = found?.order.market ?? market
    return dice.is(2)
      ? { _tag: "CancelOto", market: on, otoId: found?.id ?? "7" }
      : { _tag: "CancelConditional", market: on, id: found?.id ?? "7" }
  }
  const [near, side] = [dice.next(5) - 2, dice.pick(["buy", "sell"])]
  const away = (1 + dice.next(3)) * (side === "buy" ? 1 : -1)
  return {
    _tag: "PlaceLimit",
    market,
    side,
    amount: (lot * (1 + dice.next(4))).toFixed(1),
    price: at(near),
    collateral: true,
    ...optional("clientOrderId", dice.is(3), `own-${dice.next(40)}`),
    ...optional("takeProfit", !dice.is(4), at(near + away)),
    ...optional("stopLoss", !dice.is(4), at(near - away))
  }
}

/**
 * Returns a function that draws the next command in a history in which, on average, every third command is about kill
 * switches, take-profits or stop-losses.
 */
export const conditionalHistory = (seed: number): (state: State) => Command => {
  const dice = new Dice(seed + 1000)
  const next = history(seed)
  let at = 0
  let opened = 0
  return (state) => {
    if (opened++ > opening.length && dice.is(3)) {
      return {
        at,
        action: { _tag: "Call", apiKey: dice.pick(accounts), operation: conditional(dice, state) } as unknown as Action
      }
    }
    const command = next(state)
    at = command.at
    return command
  }
}

/** Draws a command about margin: a mode, a leverage, a large position, a reference price, funding, or the policy. */
const margin = (dice: Dice, { positionsOf }: State): { readonly owner?: object; readonly operation?: object } => {
  const { digits, market, price, tick } = dice.pick(grids.slice(0, 5))
  const at = (ticks: number) => (price + (dice.next(2 * ticks + 1) - ticks) * tick).toFixed(digits)
  const side = dice.pick(["buy", "sell"])
  const amount = `${1 + dice.next(30)}`
  switch (dice.next(10)) {
    case 0:
      return { operation: { _tag: "SetLeverage", leverage: dice.pick([1, 5, 10, 20, 100]) } }
    case 1:
      return { operation: { _tag: "SetHedgeMode", hedgeMode: dice.is(2) } }
    case 2:
    case 3:
      return { owner: { _tag: dice.is(3) ? "MoveIndex" : "MoveMark", market, price: dice.is(4) ? null : at(20) } }
    case 4:
      return {
        owner: {
          _tag: "SetFunding",
          market: "BTC_PERP",
          rate: dice.is(3) ? null : dice.pick(["0.01", "-0.02"]),
          intervalMinutes: 60
        }
      }
    case 5:
      return {
        owner: {
          _tag: "SetMargin",
          liquidity: dice.pick(["book", "outside"]),
          bracketSpan: dice.pick(["whole", "marginal"])
        }
      }
    case 6:
      return { owner: { _tag: "SetInsurance", ticker: "USDT", amount: `${dice.next(100)}` } }
    case 7: {
      const [position] = positionsOf.get(dice.pick(accounts)) ?? []
      return {
        operation: { _tag: "ClosePosition", market: position?.market ?? market, positionId: `${position?.id ?? 7}` }
      }
    }
    case 8:
      return {
        owner: {
          _tag: "OpenPosition",
          account: dice.pick(accounts),
          market,
          side,
          amount: `${10 + dice.next(15)}`,
          price: at(1)
        }
      }
    default:
      return {
        operation: {
          _tag: "PlaceLimit",
          market,
          side,
          amount,
          price: at(2),
          collateral: true,
          positionSide: dice.pick(["LONG", "SHORT", "BOTH"])
        }
      }
  }
}

/**
 * Returns a function that draws the next command in a history in which, on average, every other command is about
 * margin.
 */
export const marginHistory = (seed: number): (state: State) => Command => {
  const dice = new Dice(seed + 2000)
  const next = history(seed)
  let [at, opened] = [0, 0]
  return (state) => {
    if (opened++ > opening.length && dice.is(2)) {
      const { operation, owner } = margin(dice, state)
      const action = owner ?? { _tag: "Call", apiKey: dice.pick(accounts), operation }
      return { at, action: action as unknown as Action }
    }
    const command = next(state)
    at = command.at
    return command
  }
}
