/**
 * The channels that this package supports, one line each. No other file repeats this list.
 *
 * The services of `Streams`, the sandbox's pushes, the AsyncAPI document, the table of channels and the test fixtures
 * must cover every name listed here; the compiler reports a missing channel.
 *
 * Each module exports the channel's value as `channel`, and its service under the name listed here.
 */

// Public
export * as LastPriceChannel from "./LastPriceChannel.ts"
export * as DepthChannel from "./DepthChannel.ts"

// Private
export * as SpotBalanceChannel from "./SpotBalanceChannel.ts"
