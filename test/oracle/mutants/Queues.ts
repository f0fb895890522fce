/**
 * Faults in the sequence in which orders are matched, in retail price improvement, in the prices on which margin
 * depends, and in the chains of messages about them.
 */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as FundingPayments from "../../../src/endpoints/FundingPayments.ts"
import * as FuturesMarkets from "../../../src/endpoints/FuturesMarkets.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { type Fault, type Frame, pushing, receiving, sending } from "./Frames.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
  changing,
  type Fields,
  type Instance,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  without
} from "./Mutant.ts"
import { fields, list, stream, type StreamMutant, success } from "./Streams.ts"

const bulk = BulkLimitOrders.endpoint.path
const limit = LimitOrders.endpoint.path
const oco = CollateralOcoOrders.endpoint.path
const positions = OpenPositions.endpoint.path
const trades = "/api/v4/public/trades/"

// -----------------------------------------------------------------------------
// Queues
// -----------------------------------------------------------------------------

const rpiMutants: ReadonlyArray<Mutant> = [
  mutant("queues-rpi-ordinary", "an rpi order is an ordinary order that is only posted", {
    dialects: ["live"],
    breaks: ["rpi.queue", "rpi.takers", "rpi.hidden", "rpi.trades", "streams.depth.rpi", "streams.book-ticker.rpi"],
    ...asking(limit, (fields) => fields["rpi"] === true ? { ...without(fields, "rpi"), postOnly: true } : fields)
  }),
  mutant("queues-rpi-taken", "every order may take rpi orders", {
    dialects: ["live"],
    breaks: ["rpi.takers"],
    ...asking(limit, (fields) => fields["rpi"] === true ? fields : { ...fields, retail: true })
  }),
  mutant("queues-rpi-takes", "an rpi order trades at once if it meets another order", {
    dialects: ["live"],
    breaks: ["rpi.crossing"],
    ...asking(limit, (fields) => without(fields, "rpi"))
  }),
  mutant("queues-rpi-unlisted", "the list of open orders does not show rpi", {
    dialects: ["live"],
    breaks: ["rpi.hidden"],
    ...changing(ActiveOrders.endpoint.path, ["*", "rpi"], () => false)
  }),
  mutant("queues-rpi-changed", "a changed rpi order becomes an ordinary order", {
    dialects: ["live"],
    breaks: ["rpi.hidden"],
    make: () => {
      const changed = new Set<unknown>()
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (path === ModifyOrder.endpoint.path && Json.isObject(json)) changed.add(json["orderId"])
          return path === ActiveOrders.endpoint.path && Array.isArray(json)
            ? withBody(
              answer,
              json.map((order: Fields) => changed.has(order["orderId"]) ? { ...order, rpi: false } : order)
            )
            : answer
        }
      }
    }
  }),
  mutant("queues-rpi-trades", "every trade shows rpi true", {
    dialects: ["live"],
    breaks: ["rpi.trades"],
    ...answering((path) => path.startsWith(trades), "success", (json) => changedAt(json, ["*", "rpi"], () => true))
  })
]

/** Returns the fields of an order at a price that is a little better for takers, so that it trades before its turn. */
const ahead = (fields: Fields, sign = 1): Fields => {
  const better = (fields["side"] === "sell" ? -0.01 : 0.01) * sign
  const moved = ["price", "stop_limit_price"].flatMap((key) =>
    fields[key] === undefined ? [] : [[key, (Number(fields[key]) + better).toFixed(2)] as const]
  )
  return { ...fields, ...Object.fromEntries(moved) }
}

/** The calls whose orders a mutant prefers, with the orders that it prefers. */
const preferred: ReadonlyArray<readonly [path: string, kind: string, change: (fields: Fields) => Fields]> = [
  [bulk, "bulk", (fields) => ({ ...fields, orders: list(fields["orders"]).map((order) => ahead(order as Fields)) })],
  [limit, "post-only", (fields) => fields["postOnly"] === true ? ahead(fields) : fields],
  // The rule's changed order is for sale.
  [ModifyOrder.endpoint.path, "changed", (fields) => ahead({ ...fields, side: "sell" })],
  [StopLimitOrders.endpoint.path, "stop-limit", ahead],
  [CollateralStopLimitOrders.endpoint.path, "collateral stop-limit", ahead],
  [oco, "oco", ahead]
]

const queueMutants: ReadonlyArray<Mutant> = [
  ...preferred.map(([path, kind, change]) =>
    mutant(`queues-ahead-${kind.replace(" ", "-")}`, `${kind} orders are matched before other orders at their price`, {
      dialects: ["live"],
      breaks: ["matching.kinds"],
      ...asking(path, (fields) => change(fields))
    })
  ),
  mutant("queues-takers", "the order that was placed first has the worst place at its price", {
    dialects: ["live"],
    breaks: ["matching.takers"],
    ...asking(limit, (fields) => fields["amount"] === "0.01" ? ahead(fields, -1) : fields)
  }),
  ...(["cn", "co", "cb"] as const).map((stp) =>
    mutant(`queues-stp-${stp}`, `an order with stp ${stp} trades with nobody while its account has an order there`, {
      dialects: ["live"],
      breaks: ["matching.stp.queue"],
      ...asking(limit, (fields) => fields["stp"] === stp ? ahead({ ...fields, price: "40000.00" }) : fields)
    })
  ),
  mutant("queues-stp-turn", "stp co also cancels the new order", {
    dialects: ["live"],
    breaks: ["matching.stp.queue"],
    ...asking(limit, (fields) => fields["stp"] === "co" ? { ...fields, stp: "cb" } : fields)
  }),
  mutant("queues-products", "spot orders are matched before margin orders at their price", {
    dialects: ["live"],
    breaks: ["matching.products"],
    ...asking(limit, (fields) => ahead(fields))
  })
]

// -----------------------------------------------------------------------------
// Prices
// -----------------------------------------------------------------------------

const perpetual = "BTC_PERP"

/** Returns the last price of the futures market. */
const lastOf = ({ state }: Instance): number =>
  Number([...state.trading].find(([name]) => name === perpetual)?.[1].lastPrice ?? 0n) / 1e18

/** Changes each open position on the futures market, given its last price. */
const valued = (change: (position: Fields, last: number) => Fields | undefined): Change => ({
  make: () => ({
    answer: (answer, request, venue) => {
      const json = jsonOf(answer)
      if (request.path !== positions || !Array.isArray(json)) return answer
      return withBody(
        answer,
        json.flatMap((position: Fields) => {
          const changed = position["market"] === perpetual ? change(position, lastOf(venue)) : position
          return changed === undefined ? [] : [changed]
        })
      )
    }
  })
})

const priceMutants: ReadonlyArray<Mutant> = [
  mutant("queues-index-last", "the index price is the futures market's own last price", {
    dialects: ["live"],
    breaks: ["futures.index"],
    ...answering(
      FuturesMarkets.endpoint.path,
      "success",
      (json) =>
        changedAt(
          json,
          ["result", "*"],
          (market) => Json.isObject(market) ? { ...market, index_price: market["last_price"] } : market
        )
    )
  }),
  mutant("queues-profit-last", "a futures position is valued at the last price", {
    dialects: ["live"],
    breaks: ["futures.mark.profit"],
    ...valued((position, last) => ({
      ...position,
      unrealizedPnl: String((last - Number(position["basePrice"])) * Number(position["amount"]))
    }))
  }),
  mutant("queues-liquidation-last", "a futures position is liquidated at the last price", {
    dialects: ["live"],
    breaks: ["futures.mark.liquidation"],
    ...valued((position, last) =>
      (last - Number(position["liquidationPrice"])) * Number(position["amount"]) > 0 ? position : undefined
    )
  }),
  mutant("queues-funding-last", "funding is settled at another price than the mark price", {
    dialects: ["live"],
    breaks: ["positions.funding.mark"],
    ...changing(
      FundingPayments.endpoint.path,
      ["records", "*", "settlementPrice"],
      (price) => String(Number(price) * 1.03)
    )
  })
]

export const mutants: ReadonlyArray<Mutant> = [...rpiMutants, ...queueMutants, ...priceMutants]

// -----------------------------------------------------------------------------
// Streams
// -----------------------------------------------------------------------------

/** Makes the change after a second complete book follow the message before that book. */
const chainedBefore: Fault = receiving(() => {
  let last: unknown
  let past: unknown
  return (frame) => {
    if (frame.method !== "depth_update") return frame
    const [isSnapshot, body, market] = list(frame.params)
    const before = last
    last = fields(body)["update_id"]
    if (isSnapshot === true) {
      past = past ?? before
      return frame
    }
    const changed = past === undefined ? body : { ...fields(body), past_update_id: past }
    past = undefined
    return { ...frame, params: [isSnapshot, changed, market] }
  }
})

/** Drops every message of a channel after a connection's first one. */
const once = (channel: string): Fault =>
  receiving(() => {
    let count = 0
    return (frame) => frame.method === `${channel}_update` && ++count > 1 ? undefined : frame
  })

/** Acknowledges requests with a method, but does nothing. */
const ignoring = (method: string, when: (frame: Frame) => boolean = () => true): Fault => () => () => {
  const ignored = new Set<unknown>()
  return {
    sent: (frame) => {
      if (frame.method !== method || !when(frame)) return [frame]
      ignored.add(frame.id)
      return [{ ...frame, method: "ping", params: [] }]
    },
    received: (frame) => [ignored.has(frame.id) ? { ...frame, result: success, error: null } : frame]
  }
}

/** Changes the records in the messages of the premium index. */
const indexes = (change: (record: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Fault =>
  pushing(
    "premiumIndex",
    (params) => params.every(Array.isArray) ? params.map((one) => change(list(one))) : change(params)
  )

export const streams: ReadonlyArray<StreamMutant> = [
  stream(
    "queues-chain",
    "the change after a repeated book follows the message before that book",
    ["streams.depth.repeats", "streams.depth.resumes"],
    chainedBefore
  ),
  stream(
    "queues-book-kept",
    "the end of a subscription to a book is ignored, and a new one begins with no complete book",
    ["streams.depth.resumes"],
    () => {
      const known = new Set<unknown>()
      return () => ({
        sent: (frame) =>
          frame.method === "depth_unsubscribe"
            ? [{ ...frame, method: "depth_request", params: ["BTC_USDT", 1, "0"] }]
            : [frame],
        received: (frame) => {
          if (frame.method !== "depth_update" || list(frame.params)[0] !== true) return [frame]
          const market = list(frame.params)[2]
          const kept = known.has(market) ? [] : [frame]
          known.add(market)
          return kept
        }
      })
    }
  ),
  stream(
    "queues-rpi-trade",
    "trades show rpi false",
    ["streams.trades.rpi"],
    pushing("trades", ([market, all]) => [
      market,
      list(all).map((trade) => ({ ...fields(trade), rpi: false }))
    ])
  ),
  stream(
    "queues-rpi-order",
    "events of orders show rpi false",
    ["streams.orders.rpi"],
    pushing("ordersPending", ([event, order]) => [event, { ...fields(order), rpi: false }])
  ),
  ...([["mark", 1], ["index", 2], ["rate", 3], ["time", 4]] as const).map(([name, at]) =>
    stream(
      `queues-premium-${name}`,
      `the premium index shows another ${name}`,
      ["streams.premium-index.values"],
      indexes((record) =>
        record.with(at, at === 4 ? Number(record[at]) + 3_600_000 : String(Number(record[at]) * 1.01))
      )
    )
  ),
  stream(
    "queues-premium-swapped",
    "the mark price and the index price of the premium index are swapped",
    ["streams.premium-index.values"],
    indexes(([market, mark, index, ...others]) => [market, index, mark, ...others])
  ),
  stream(
    "queues-premium-once",
    "the premium index is pushed once",
    ["streams.premium-index.steady"],
    once("premiumIndex")
  ),
  stream(
    "queues-premium-spot",
    "the premium index of a spot market can be subscribed to",
    ["streams.premium-index.ends"],
    sending((frame) =>
      frame.method === "premiumIndex_subscribe" && list(frame.params)[0] !== perpetual
        ? { ...frame, params: [perpetual] }
        : frame
    )
  ),
  stream(
    "queues-premium-unended",
    "the end of a subscription to the premium index is ignored",
    ["streams.premium-index.ends"],
    ignoring("premiumIndex_unsubscribe")
  ),
  stream(
    "queues-grades-swapped",
    "the grades of the long and the short position are swapped",
    ["streams.adl.grades"],
    pushing("ADLQuantile", (records) => records.map(list).map(([market, long, short]) => [market, short, long]))
  ),
  stream("queues-grades-once", "grades are pushed once", ["streams.adl.grades"], once("ADLQuantile")),
  stream(
    "queues-grades-unended",
    "the end of a subscription to grades is ignored",
    ["streams.adl.ends"],
    ignoring("ADLQuantile_unsubscribe")
  )
]
