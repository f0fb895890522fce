/**
 * The names under which a target declares that it lacks the WebSocket or a channel. The oracle has its own copies of
 * the channel names and of the paths.
 */

/** The name of the WebSocket with all its channels. */
export const webSocket = "streams"

/** The first part of the methods of each channel that rules check. */
const channels: ReadonlyArray<string> = [
  "candles",
  "lastprice",
  "market",
  "marketToday",
  "trades",
  "depth",
  "bookTicker",
  "premiumIndex",
  "balanceSpot",
  "balanceMargin",
  "ordersPending",
  "ordersExecuted",
  "deals",
  "positionsMargin",
  "positionsAccountMargin",
  "borrowsMargin",
  "borrowsAccountMargin",
  "ADLQuantile"
]

const nameOf = (channel: string): string => `${webSocket}/${channel}`

/** All names: the WebSocket's, and one for each channel. */
export const names: ReadonlyArray<string> = [webSocket, ...channels.map(nameOf)]

/** Returns the name of a method's channel, or the WebSocket's name if the method belongs to no channel. */
export const ofMethod = (method: string): string => {
  const channel = method.slice(0, method.lastIndexOf("_"))
  return channels.includes(channel) ? nameOf(channel) : webSocket
}
