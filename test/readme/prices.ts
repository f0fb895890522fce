import { Identifiers, LastPriceChannel, Streams } from "effect-txc"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export const program = LastPriceChannel.LastPriceChannel.use(({ stream }) =>
  Stream.runForEach(stream({ market: Identifiers.marketName("BTC_USDT") }), (item) => Effect.log(item))
).pipe(Effect.provide(Streams.layerPublic({ region: "global" }))) // needs Socket.layerWebSocketConstructorGlobal
