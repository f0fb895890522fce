import { Exchange, MainBalance } from "effect-txc"
import { UndiciTransport } from "effect-txc/node"
import * as Effect from "effect/Effect"

const program = Effect.gen(function*() {
  const balance = yield* MainBalance.MainBalance
  for (const [ticker, amount] of yield* balance.all) yield* Effect.log(ticker, amount)
})

await Effect.runPromise(
  program.pipe(Effect.provide(Exchange.layerConfigWith({ transport: UndiciTransport.layer })))
)
