/** Streams from the in-memory exchange, for the session tests. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { DepthChannel } from "../../../src/channels/DepthChannel.ts"
import { LastPriceChannel } from "../../../src/channels/LastPriceChannel.ts"
import { PendingOrdersChannel } from "../../../src/channels/PendingOrdersChannel.ts"
import { SpotBalanceChannel } from "../../../src/channels/SpotBalanceChannel.ts"
import { TradesChannel } from "../../../src/channels/TradesChannel.ts"
import * as Dialer from "../../../src/client/session/Dialer.ts"
import type * as Item from "../../../src/client/session/Item.ts"
import * as Session from "../../../src/client/session/Session.ts"
import type * as StreamErrors from "../../../src/client/session/StreamErrors.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import type { Exchange } from "./exchange.ts"

export const market = marketName("BTC_USDT")

/** Opens the channels of an in-memory exchange. Each connection has a separate token. */
export const layer = (exchange: Exchange, create?: Session.StreamToken["Service"]["create"]) =>
  Layer.mergeAll(
    LastPriceChannel.layer,
    DepthChannel.layer,
    TradesChannel.layer,
    SpotBalanceChannel.layer,
    PendingOrdersChannel.layer
  ).pipe(
    Layer.provide([Session.layer, Session.layerPublic]),
    Layer.provide(Layer.succeed(Dialer.Dialer, exchange.dialer)),
    Layer.provide(Layer.succeed(Session.StreamToken, {
      create: create ?? Effect.sync(() => Redacted.make(`token-${++exchange.tokens}`))
    }))
  )

/** Lets all fibers run until they wait. */
export const settled = Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 30 }), TestClock.adjust(0))

/** Reads a stream into a list, as fast as items arrive. */
export const listen = Effect.fnUntraced(function*<E, S>(
  stream: Stream.Stream<Item.Item<E, S>, StreamErrors.PrivateFailure>
) {
  const items: Array<Item.Item<E, S>> = []
  const fiber = yield* Effect.forkScoped(Stream.runForEach(stream, (item) => Effect.sync(() => items.push(item))))
  yield* settled
  return { items, fiber, stop: Fiber.interrupt(fiber) }
})
