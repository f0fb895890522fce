import { assert } from "@effect/vitest"
import { createHash } from "node:crypto"
import { Amount, Price } from "../../src/domain/Decimal.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ApiKey, MarketName, SubAccountId, Ticker } from "../../src/domain/Identifiers.ts"
import type { OrderSide } from "../../src/domain/Order.ts"
import { HexColour, MaskedEmail } from "../../src/domain/SubAccount.ts"
import type { VenuePolicy } from "../../src/domain/VenuePolicy.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type { Action } from "../../src/sandbox/engine/Command.ts"
import * as Engine from "../../src/sandbox/engine/Engine.ts"
import type { Event } from "../../src/sandbox/engine/Event.ts"
import * as Ledger from "../../src/sandbox/engine/Ledger.ts"
import type { Operation } from "../../src/sandbox/engine/Operation.ts"
import type { OcoOrder, Order } from "../../src/sandbox/engine/Order.ts"
import * as Positions from "../../src/sandbox/engine/Positions.ts"
import type * as Reply from "../../src/sandbox/engine/Reply.ts"
import * as Saved from "../../src/sandbox/engine/Saved.ts"
import * as State from "../../src/sandbox/engine/State.ts"
import * as Units from "../../src/sandbox/engine/Units.ts"

type Of<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>

type Options<Tag extends Operation["_tag"]> = Partial<Of<Tag>>

// -----------------------------------------------------------------------------
// Operations and actions
// -----------------------------------------------------------------------------

export const limit = (
  market: string,
  side: OrderSide,
  amount: string,
  price: string,
  options: Options<"PlaceLimit"> = {}
): Of<"PlaceLimit"> => ({
  _tag: "PlaceLimit",
  market: MarketName.make(market),
  side,
  amount: Amount.make(amount),
  price: Price.make(price),
  collateral: false,
  ...options
})

export const market = (
  market: string,
  side: OrderSide,
  amount: string,
  options: Options<"PlaceMarket"> = {}
): Of<"PlaceMarket"> => ({
  _tag: "PlaceMarket",
  market: MarketName.make(market),
  side,
  amount: Amount.make(amount),
  quoteAmount: false,
  collateral: false,
  ...options
})

export const stop = (
  market: string,
  side: OrderSide,
  amount: string,
  price: string,
  activationPrice: string,
  options: Options<"PlaceStopLimit"> = {}
): Of<"PlaceStopLimit"> => ({
  _tag: "PlaceStopLimit",
  market: MarketName.make(market),
  side,
  amount: Amount.make(amount),
  price: Price.make(price),
  activationPrice: Price.make(activationPrice),
  ...options
})

/** In a spot buy, `amount` is the quote amount to spend. */
export const stopMarket = (
  market: string,
  side: OrderSide,
  amount: string,
  activationPrice: string,
  options: Options<"PlaceStopMarket"> = {}
): Of<"PlaceStopMarket"> => ({
  _tag: "PlaceStopMarket",
  market: MarketName.make(market),
  side,
  amount: Amount.make(amount),
  activationPrice: Price.make(activationPrice),
  collateral: false,
  ...options
})

/** `price` belongs to the take-profit; `activationPrice` and `stopLimitPrice` belong to the stop-loss. */
export const oco = (
  market: string,
  side: OrderSide,
  amount: string,
  price: string,
  activationPrice: string,
  stopLimitPrice: string,
  options: Options<"PlaceOco"> = {}
): Of<"PlaceOco"> => ({
  _tag: "PlaceOco",
  market: MarketName.make(market),
  side,
  amount: Amount.make(amount),
  price: Price.make(price),
  activationPrice: Price.make(activationPrice),
  stopLimitPrice: Price.make(stopLimitPrice),
  ...options
})

export const modify = (order: Order, changes: Partial<Of<"Modify">>): Of<"Modify"> => ({
  _tag: "Modify",
  market: order.market,
  orderId: order.id,
  ...changes
})

export const cancel = (order: Order): Of<"Cancel"> => ({
  _tag: "Cancel",
  market: order.market,
  orderId: order.id
})

export const transfer = (
  from: Ledger.Wallet,
  to: Ledger.Wallet,
  ticker: string,
  amount: string
): Operation => ({ _tag: "Transfer", from, to, ticker: Ticker.make(ticker), amount: Amount.make(amount) })

export const fund = (account: string, wallet: Ledger.Wallet, ticker: string, amount: string): Action => ({
  _tag: "Fund",
  account,
  wallet,
  ticker: Ticker.make(ticker),
  amount: Amount.make(amount)
})

export const movePrice = (market: string, price: string): Action => ({
  _tag: "MovePrice",
  market: MarketName.make(market),
  price: Price.make(price)
})

export const openPosition = (
  account: string,
  market: string,
  side: OrderSide,
  amount: string,
  price: string
): Action => ({
  _tag: "OpenPosition",
  account,
  market: MarketName.make(market),
  side,
  amount: Amount.make(amount),
  price: Price.make(price)
})

export const call = (account: string, operation: Operation): Action => ({
  _tag: "Call",
  apiKey: ApiKey.make(account),
  operation
})

// -----------------------------------------------------------------------------
// An exchange with four accounts: ann, ann's sub-account sub, ben and cat
// -----------------------------------------------------------------------------

export const accounts = ["ann", "ben", "cat", "sub"] as const

export type Account = typeof accounts[number]

/** Opens the accounts. Each account has one key with the account's name, and no funds. */
const opening: ReadonlyArray<Action> = [
  ...(["ann", "ben", "cat"] as const).map((account): Action => ({ _tag: "OpenAccount", account, b2b: false })),
  {
    _tag: "OpenSubAccount",
    id: SubAccountId.make("sub"),
    parent: "ann",
    alias: "sub",
    email: MaskedEmail.make(""),
    color: HexColour.make("#000000"),
    shareKyc: true,
    kycStatus: "shared",
    spotEnabled: true,
    collateralEnabled: true
  },
  ...accounts.map((account): Action => ({
    _tag: "AddKey",
    account,
    apiKey: ApiKey.make(account),
    apiSecret: "",
    title: account,
    type: "1",
    enabled: true
  }))
]

export interface Answer {
  readonly reply: Reply.Reply
  readonly events: ReadonlyArray<Event>
}

/** An engine whose clock advances by one second with every command. */
export class Desk {
  state: State.State
  private at = 1_700_000_000_000_000

  constructor(policy: VenuePolicy = Dialect.document.policy) {
    this.state = State.make(policy)
    for (const action of opening) this.send(action)
  }

  send(action: Action): Answer {
    this.at += 1_000_000
    return Engine.apply(this.state, { at: this.at, action })
  }

  /** Lets time pass, in microseconds, before the next command. */
  advance(micros: number): void {
    this.at += micros
  }

  /** Applies everything that is due by the time of the next command, as a venue does before each command. */
  settle(): Answer {
    return Engine.apply(this.state, { at: this.at + 1_000_000, action: { _tag: "Pass" } })
  }

  /** Funds a wallet. `funds` are strings such as `"100 USDT"`. */
  fund(account: Account, wallet: Ledger.Wallet, ...funds: ReadonlyArray<string>): this {
    for (const text of funds) {
      const [amount = "", ticker = ""] = text.split(" ")
      this.send(fund(account, wallet, ticker, amount))
    }
    return this
  }

  call(account: Account, operation: Operation): Reply.Reply {
    return this.send(call(account, operation)).reply
  }

  /** Places an order, which must be accepted. */
  place(account: Account, operation: Of<"PlaceLimit" | "PlaceMarket" | "PlaceStopLimit" | "PlaceStopMarket">): Order {
    const reply = this.call(account, operation)
    if (reply._tag === "OrderPlaced" || reply._tag === "StopPlaced") return reply.order
    return assert.fail(`refused: ${canonical(reply)}`)
  }

  /** Sells 1 unit of the base currency from `ben` to `sub`. */
  trade(market: string, price: string): void {
    this.place("ben", limit(market, "sell", "1", price))
    this.place("sub", limit(market, "buy", "1", price))
  }

  placeOco(account: Account, operation: Of<"PlaceOco">): OcoOrder {
    const reply = this.call(account, operation)
    return reply._tag === "OcoPlaced" ? reply.oco : assert.fail(`refused: ${canonical(reply)}`)
  }

  /** A wallet's free balances in alphabetical order, as in `"1 BTC, 100 USDT"`. */
  free(account: Account, wallet: Ledger.Wallet): string {
    return shown(Ledger.balances(this.state.ledger, { account, wallet, locked: false }))
  }

  /** The amounts that open orders have locked. In the collateral wallet, these amounts are the reserved margin. */
  locked(account: Account, wallet: Ledger.Wallet): string {
    const reserved = this.state.reserved.get(account)
    if (wallet === "collateral") return reserved === undefined ? "" : `${text(reserved)} USDT`
    return shown(Ledger.balances(this.state.ledger, { account, wallet, locked: true }))
  }

  /** An account's debts. */
  debt(account: string): string {
    return shown(this.state.ledger.debts.get(account) ?? new Map())
  }

  house(): string {
    return shown(Ledger.balances(this.state.ledger, "house"))
  }

  /** An open position's amount and cost, as in `"2 for 200"`. */
  position(account: Account, market: string): string | undefined {
    const position = Positions.get(this.state, account, market)
    return position && `${text(position.amount)} for ${text(position.cost)}`
  }

  /** The orders on one side of a book as `"left @ price"`, best first. */
  book(market: string, side: "bids" | "asks"): ReadonlyArray<string> {
    const levels = Saved.save(this.state).trading.get(MarketName.make(market))?.book[side] ?? []
    return levels.flatMap(({ orders, price }) => orders.map(({ left }) => `${text(left)} @ ${text(price)}`))
  }

  /** A market's trades as `"amount @ price"`, oldest first. */
  trades(market: string): ReadonlyArray<string> {
    const trades = this.state.trading.get(MarketName.make(market))?.trades ?? []
    return trades.map(({ amount, price }) => `${text(amount)} @ ${text(price)}`)
  }
}

export const text = (units: Units.Units): string => Units.toDecimal(units)

export const units = (decimal: string): Units.Units => Units.from(Decimal.Decimal.make(decimal)) ?? assert.fail(decimal)

const shown = (balances: ReadonlyMap<string, Units.Units>): string =>
  [...balances].toSorted(([a], [b]) => a < b ? -1 : 1).map(([ticker, held]) => `${text(held)} ${ticker}`).join(", ")

/** An order's status, traded amount and size, as in `"PARTIAL_FILLED 1 of 3"`. */
export const progress = ({ dealStock, quantity, status }: Order): string =>
  `${status} ${text(dealStock)} of ${text(quantity)}`

// -----------------------------------------------------------------------------
// Comparing states
// -----------------------------------------------------------------------------

/**
 * Serializes an entire value. Equal strings mean equal values, including the order of the entries in maps and sets.
 */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "bigint") return `${part}n`
    if (part instanceof Map) return { map: [...part] }
    return part instanceof Set ? { set: [...part] } : part
  })

/** Hashes an entire state. */
export const hash = (state: State.State): string =>
  createHash("sha256").update(canonical(Saved.save(state))).digest("hex")
