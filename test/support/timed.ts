/** Measures a client's calls. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Transport from "../../src/client/transport/Transport.ts"

/** A completed call. */
export interface TimedCall {
  /** The URL of the node to which the call was sent. */
  readonly node: string
  /** When the call was sent, on the clock of `performance.now`. */
  readonly began: number
  readonly millis: number
  /** The status of the call's response, or the reason why there is no response. */
  readonly answer: string
}

/** Adds every call over a transport to `calls` when the call ends. */
export const timed = (
  calls: Array<TimedCall>,
  transport: Layer.Layer<Transport.Transport>
): Layer.Layer<Transport.Transport> =>
  Layer.effect(
    Transport.Transport,
    Effect.map(Transport.Transport, ({ send }) => ({
      send: (request) =>
        Effect.suspend(() => {
          const began = performance.now()
          const node = new URL(request.url).origin
          const end = (answer: string) =>
            Effect.sync(() => void calls.push({ node, began, millis: performance.now() - began, answer }))
          return send(request).pipe(
            Effect.tap(({ headers, status }) =>
              end(status === 429 || status === 503 ? `${status}, retry after ${headers["retry-after"]}` : `${status}`)
            ),
            Effect.tapError(({ proof }) => end(proof.kind))
          )
        })
    }))
  ).pipe(Layer.provide(transport))
