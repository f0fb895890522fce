/** Sandboxes with one fault in a collateral account's streams: its borrows, and its positions in hedge mode. */
import { type Fault, pushing, receiving, resulting } from "./Frames.ts"
import { type Fields, fields, list, stream, type StreamMutant } from "./Streams.ts"

const borrows = ["streams.margin.borrows"]
const sides = ["streams.positions.sides"]

/** Changes each balance in the response to a request for collateral balances. */
const requested = (change: (balance: Fields, ticker: string) => unknown): Fault =>
  resulting("balanceMargin_request", (all) =>
    Object.fromEntries(
      Object.entries(fields(all)).map(([ticker, balance]) => [ticker, change(fields(balance), ticker)])
    ))

/** Changes the list of pushed positions. */
const positions = (change: (records: ReadonlyArray<Fields>) => ReadonlyArray<Fields>): Fault =>
  receiving(() => (frame) => {
    if (frame.method !== "positionsMargin_update") return frame
    const records = change(list(fields(frame.params)["records"]).map(fields))
    return { ...frame, params: { total: records.length, records } }
  })

export const mutants: ReadonlyArray<StreamMutant> = [
  stream(
    "borrows-requested",
    "requested collateral balances show no borrow",
    borrows,
    requested((balance) => ({ ...balance, borrow: "0" }))
  ),
  stream(
    "borrows-base",
    "requested collateral balances other than USDT lack the available amounts",
    borrows,
    requested((balance, ticker) =>
      ticker === "USDT" ? balance : { ...balance, available_without_borrow: "0", available_with_borrow: "0" }
    )
  ),
  stream(
    "borrows-pushed",
    "the amount available with a borrow is pushed without the borrow",
    borrows,
    pushing("balanceMargin", (all) => all.map(fields).map((balance) => ({ ...balance, ab: balance["av"] })))
  ),
  stream("borrows-mute", "collateral balances are not pushed", borrows, pushing("balanceMargin", () => undefined)),
  stream(
    "sides-both",
    "every pushed position has the side BOTH",
    sides,
    positions((all) => all.map((one) => ({ ...one, position_side: "BOTH" })))
  ),
  stream(
    "sides-exchanged",
    "the sides of pushed positions are swapped",
    sides,
    positions((all) =>
      all.map((one) => ({ ...one, position_side: one["position_side"] === "LONG" ? "SHORT" : "LONG" }))
    )
  ),
  stream("sides-first", "only the first position of a market is pushed", sides, positions((all) => all.slice(0, 1))),
  stream(
    "sides-id",
    "both positions of a market have the id of the first",
    sides,
    positions((all) => all.map((one) => ({ ...one, id: all[0]?.["id"] })))
  )
]
