import { Exchange, FetchTransport, Nonce } from "effect-txc"
import * as Layer from "effect/Layer"

/**
 * `offset` returns how far your clock is ahead of this machine's clock, in milliseconds. It is called for every nonce.
 */
export const exchange = (offset: () => number) =>
  Exchange.layerConfigWith({ transport: FetchTransport.layer }).pipe(
    Layer.provide(Layer.succeed(Nonce.ClockOffset, {
      get millis() {
        return offset()
      }
    }))
  )
