import { Dialect, Exchange, Identifiers, MainBalance } from "effect-txc"
import { Host } from "effect-txc/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** Creates a venue, and reads alice's balance on the venue. */
export const balance = Effect.gen(function*() {
  const host = yield* Host.Host
  const { keys, url } = yield* host.make({ owner: "me", timeToLiveMillis: 60_000 })
  const exchange = Exchange.layer({
    baseUrl: url,
    dialect: Dialect.document,
    credentials: {
      apiKey: Redacted.make(keys["alice"]?.apiKey ?? ""),
      apiSecret: Redacted.make(keys["alice"]?.apiSecret ?? "")
    }
  })
  return yield* Effect.provide(
    MainBalance.MainBalance.use(({ of }) => of(Identifiers.ticker("BTC"))),
    Layer.fresh(exchange)
  )
})

/** Without a folder, the host stores its venues in a temporary folder, and removes the folder at the end. */
export const program = balance.pipe(Effect.provide(Host.layer()))
