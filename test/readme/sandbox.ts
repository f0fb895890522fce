import { Decimal, Dialect, Exchange, Identifiers, MainBalance } from "effect-txc"
import { Control, Faults, InProcess, Sandbox } from "effect-txc/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const btc = Identifiers.ticker("BTC")

const exchange = Exchange.layer({
  baseUrl: InProcess.baseUrl,
  dialect: Dialect.document,
  credentials: { apiKey: Redacted.make("my-test-key"), apiSecret: Redacted.make("my-test-secret") }
})

export const program = Effect.gen(function*() {
  const control = yield* Control.Control
  yield* control.openAccount({ account: "me", b2b: true })
  yield* control.addKey({
    account: "me",
    apiKey: Identifiers.ApiKey.make("my-test-key"),
    apiSecret: "my-test-secret",
    title: "test",
    type: "2",
    enabled: true
  })
  yield* control.fund({ account: "me", wallet: "main", ticker: btc, amount: Decimal.amount("2") })

  // The first call gets a proxy's error page, as if the exchange were down. The client retries reads.
  yield* control.addFault({ path: MainBalance.endpoint.path, symptom: Faults.badGateway })
  const balance = yield* MainBalance.MainBalance
  return yield* balance.of(btc)
}).pipe(
  Effect.provide(exchange.pipe(Layer.provideMerge(Sandbox.layer())))
)
