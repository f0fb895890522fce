/** The order books from npm, behind a common interface. */
import * as Hft from "hft-limit-order-book"
import * as Nodejs from "nodejs-order-book"
import type { Place } from "./instructions.ts"

/** An order book of one market, empty at first. */
export interface Book {
  /** Places an order, and returns the handle that cancels it. */
  readonly place: (order: Place) => unknown
  /** Cancels an order; returns whether it was open. */
  readonly cancel: (handle: never) => boolean
}

const nodejs = (): Book => {
  const book = new Nodejs.OrderBook()
  return {
    place: ({ id, isBuy, lots, ticks }) => {
      const { err } = book.limit({ id, side: isBuy ? Nodejs.Side.BUY : Nodejs.Side.SELL, size: lots, price: ticks })
      if (err !== null) throw new Error(err.message)
      return id
    },
    cancel: (id: string) => book.cancel(id) !== undefined
  }
}

const hft = (): Book => {
  const book = new Hft.OrderBook()
  return {
    place: ({ id, isBuy, lots, ticks }) => {
      const { err } = book.limit({ id, side: isBuy ? Hft.Side.BUY : Hft.Side.SELL, size: lots, price: ticks })
      if (err !== null) throw new Error(err.message)
      return id
    },
    cancel: (id: string) => book.cancel(id) !== undefined
  }
}

export const books = { "nodejs-order-book": nodejs, "hft-limit-order-book": hft }
