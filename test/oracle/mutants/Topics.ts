/** Sandboxes with one fault in a stream's selections: ids, levels, periods, pages, assets and unsubscriptions. */
import { type Fault, type Frame, pushing, receiving, resulting, sending } from "./Frames.ts"
import { fields, list, stream, type StreamMutant, success } from "./Streams.ts"

/** Sorts levels by the text of their prices. */
const asText = (levels: unknown): ReadonlyArray<unknown> =>
  list(levels ?? []).toSorted((one, other) => String(list(one)[0]) < String(list(other)[0]) ? -1 : 1)

/** Changes a parameter of a request. */
const asking = (method: string, at: number, value: (value: unknown) => unknown): Fault =>
  sending((frame) => {
    if (frame.method !== method) return frame
    const params = [...list(frame.params)]
    params[at] = value(params[at])
    return { ...frame, params }
  })

/** Unsubscribing from one channel silences the connection until the next subscription. */
const silencing: Fault = () => () => {
  let isSilent = false
  return {
    sent: (frame) => {
      if (frame.method?.endsWith("_unsubscribe")) isSilent = true
      if (frame.method?.endsWith("_subscribe")) isSilent = false
      return [frame]
    },
    received: (frame) => isSilent && frame.method !== undefined ? [] : [frame]
  }
}

/** Refuses requests for books and last prices once a token has been sent. */
const privateOnly: Fault = () => () => {
  let isPrivate = false
  return {
    sent: (frame) => {
      if (frame.method === "authorize") isPrivate = true
      return [isPrivate && /^(?:depth|lastprice)/u.test(frame.method ?? "") ? { ...frame, method: "nothing" } : frame]
    }
  }
}

/** Returns the first page for every page of executed orders. */
const firstPage: Fault = () => () => {
  const offsets = new Map<unknown, unknown>()
  return {
    sent: (frame) => {
      if (frame.method !== "ordersExecuted_request") return [frame]
      const [filter, offset, limit] = list(frame.params)
      offsets.set(frame.id, offset)
      return [{ ...frame, params: [filter, 0, limit] }]
    },
    received: (frame) => {
      if (!offsets.has(frame.id)) return [frame]
      return [{ ...frame, result: { ...fields(frame.result), offset: offsets.get(frame.id) } }]
    }
  }
}

/** Adds the assets of earlier subscriptions to a subscription. */
const merging: Fault = () => () => {
  const assets = new Set<unknown>()
  return {
    sent: (frame) => {
      if (frame.method !== "balanceSpot_subscribe") return [frame]
      for (const asset of list(frame.params)) assets.add(asset)
      return [{ ...frame, params: [...assets] }]
    }
  }
}

/** Acknowledges unsubscribing from these channels, but does nothing. */
const endless = (...channels: ReadonlyArray<string>): Fault => () => () => {
  const ends = new Set<unknown>()
  return {
    sent: (frame): ReadonlyArray<Frame> => {
      if (!channels.some((channel) => frame.method === `${channel}_unsubscribe`)) return [frame]
      ends.add(frame.id)
      return [{ ...frame, method: "ping", params: [] }]
    },
    received: (frame) => [ends.has(frame.id) ? { ...frame, result: success } : frame]
  }
}

export const mutants: ReadonlyArray<StreamMutant> = [
  stream(
    "id-signed",
    "ids above 2^31 are returned as negative numbers",
    ["streams.messages.ids"],
    receiving(() => (frame) => Number(frame.id) >= 2 ** 31 ? { ...frame, id: Number(frame.id) - 2 ** 32 } : frame)
  ),
  stream(
    "depth-order-text",
    "the levels of a book are sorted as text",
    ["streams.depth.order"],
    pushing("depth", ([isSnapshot, body, market]) => {
      const { asks, bids, ...rest } = fields(body)
      return [isSnapshot, { ...rest, asks: asText(asks), bids: asText(bids).toReversed() }, market]
    })
  ),
  stream(
    "depth-request-order-text",
    "the levels of a requested book are sorted as text",
    ["streams.depth.order"],
    resulting("depth_request", (result) => {
      const { asks, bids, ...rest } = fields(result)
      return { ...rest, asks: asText(asks), bids: asText(bids).toReversed() }
    })
  ),
  stream(
    "candles-start",
    "the request for candles begins an hour too early",
    ["streams.candles.range"],
    asking("candles_request", 1, (start) => Number(start) - 3600)
  ),
  stream(
    "candles-end",
    "the request for candles ends an hour too late",
    ["streams.candles.range"],
    asking("candles_request", 2, (end) => Number(end) + 3600)
  ),
  stream(
    "trades-from",
    "the request for trades ignores the largest id",
    ["streams.trades.from"],
    asking("trades_request", 2, () => 0)
  ),
  stream(
    "unsubscribe-all",
    "ending one subscription ends all of the connection's subscriptions",
    ["streams.unsubscribe.others", "streams.private.unsubscribe.others"],
    silencing
  ),
  stream(
    "authorized-private",
    "an authorized connection serves no public channels",
    ["streams.authorize.public"],
    privateOnly
  ),
  stream("executed-offset", "every page of executed orders is the first page", ["streams.executed.pages"], firstPage),
  stream(
    "balances-merged",
    "a subscription to balances adds its assets to those of earlier subscriptions",
    ["streams.balances.replaces"],
    merging
  ),
  stream(
    "collateral-endless",
    "subscriptions to collateral balances and positions do not end",
    ["streams.collateral.unsubscribe"],
    endless("balanceMargin", "positionsMargin")
  ),
  stream(
    "positions-endless",
    "the subscription to positions does not end",
    ["streams.collateral.unsubscribe"],
    endless("positionsMargin")
  )
]
