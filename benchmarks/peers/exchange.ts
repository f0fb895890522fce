/** The sandbox's engine, with accounts that never run out of funds. */
import * as Decimal from "../../src/domain/Decimal.ts"
import { ApiKey, marketName, type OrderId, ticker } from "../../src/domain/Identifiers.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type { Action } from "../../src/sandbox/engine/Command.ts"
import * as Engine from "../../src/sandbox/engine/Engine.ts"
import type { Operation } from "../../src/sandbox/engine/Operation.ts"
import * as State from "../../src/sandbox/engine/State.ts"
import { account } from "./account.ts"
import type { Book } from "./books.ts"
import type { Positions } from "./engine.ts"
import type { Place } from "./instructions.ts"

const market = marketName("BTC_USDT")

/** Returns the actions that open an account with a key and practically unlimited funds. */
const opened = (name: string, apiKey: string, apiSecret: string): ReadonlyArray<Action> => [
  { _tag: "OpenAccount", account: name, b2b: true },
  { _tag: "AddKey", account: name, apiKey: ApiKey.make(apiKey), apiSecret, title: "", type: "1", enabled: true },
  ...[ticker("BTC"), ticker("USDT")].map((ticker): Action => (
    { _tag: "Fund", account: name, wallet: "trade", ticker, amount: Decimal.amount("1000000000000") }
  ))
]

const limit = ({ amount, isBuy, price }: Place, ioc = false): Operation => ({
  _tag: "PlaceLimit",
  market,
  side: isBuy ? "buy" : "sell",
  amount: amount as Decimal.Amount,
  price: price as Decimal.Price,
  collateral: false,
  ioc
})

/** Returns the commands that create a world: accounts, the price, resting orders and closed orders. */
export const commands = (
  { accounts = 0, ended, open }: {
    readonly accounts?: number
    readonly open: ReadonlyArray<Place>
    readonly ended: ReadonlyArray<Place>
  }
): ReadonlyArray<Action> => {
  const call = (operation: Operation): Action => ({ _tag: "Call", apiKey: ApiKey.make(account.apiKey), operation })
  return [
    ...opened("trader", account.apiKey, account.apiSecret),
    ...Array.from({ length: accounts }, (_, index) => opened(`other ${index}`, `key ${index}`, "secret")).flat(),
    { _tag: "MovePrice", market, price: Decimal.price("40000") },
    ...ended.map((order) => call(limit(order, true))),
    ...open.map((order) => call(limit(order)))
  ]
}

/**
 * Creates an engine with long positions, each of a different account, and returns a function that moves the mark price
 * down and up. Each move down causes margin calls for `called` of the accounts, and each move up ends these margin
 * calls. The other accounts hold too much collateral for a margin call.
 */
export const positions = ({ called, positions: count }: Positions): () => void => {
  const perpetual = marketName("BTC_PERP")
  const state = State.make(Dialect.document.policy)
  let at = 1_700_000_000_000_000
  const send = (action: Action): void => {
    const { reply } = Engine.apply(state, { at: ++at, action })
    if (reply._tag === "Refused" || reply._tag === "Invalid") throw new Error(JSON.stringify(reply))
  }
  send({ _tag: "MovePrice", market: perpetual, price: Decimal.price("40000") })
  for (let index = 0; index < count; index++) {
    const name = `holder ${index}`
    send({ _tag: "OpenAccount", account: name, b2b: false })
    // A position needs an initial margin of 40 USDT, and loses 11 USDT when the price moves down.
    const amount = Decimal.amount(index < called ? "40" : "1000")
    send({ _tag: "Fund", account: name, wallet: "collateral", ticker: ticker("USDT"), amount })
    send({ _tag: "OpenPosition", account: name, market: perpetual, side: "buy", amount: Decimal.amount("0.01") })
  }
  let isDown = false
  return () => {
    isDown = !isDown
    send({ _tag: "MoveMark", market: perpetual, price: Decimal.price(isDown ? "38900" : "40000") })
    if (state.calls.size !== (isDown ? called : 0)) throw new Error(`${state.calls.size} accounts are called`)
  }
}

/** Returns an engine that has run the actions in `before`, as an order book. */
export const book = (before: ReadonlyArray<Action> = commands({ open: [], ended: [] })): Book => {
  const state = State.make(Dialect.document.policy)
  let at = 1_700_000_000_000_000
  const apiKey = ApiKey.make(account.apiKey)
  const send = (action: Action) => {
    const { reply } = Engine.apply(state, { at: ++at, action })
    return reply
  }
  for (const action of before) {
    const reply = send(action)
    if (reply._tag === "Refused" || reply._tag === "Invalid") throw new Error(JSON.stringify(reply))
  }
  const call = (operation: Operation) => send({ _tag: "Call", apiKey, operation })
  return {
    place: (order) => {
      const reply = call(limit(order))
      if (reply._tag !== "OrderPlaced") throw new Error(JSON.stringify(reply))
      return reply.order.id
    },
    cancel: (orderId: OrderId) => {
      const { _tag } = call({ _tag: "Cancel", market, orderId })
      return _tag !== "Refused" && _tag !== "Invalid"
    }
  }
}
