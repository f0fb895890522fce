/** The tour's chapter on calls that must fail because of the key, the secret or the connection. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Call from "../../client/call/Call.ts"
import * as UndiciTransport from "../../client/transport/UndiciTransport.ts"
import { InterestPaymentHistory } from "../../endpoints/InterestPaymentHistory.ts"
import { MainBalance } from "../../endpoints/MainBalance.ts"
import * as Exchange from "../../Exchange.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Example from "../../sandbox/Example.ts"
import { fails } from "./Row.ts"

/** Returns the tour's calls that use a wrong secret, a key without access, or a closed port. */
export const rows = (baseUrl: string, dialect: Dialect) => {
  const as = (apiKey: string, apiSecret: string, url = baseUrl) =>
    Exchange.layer({
      baseUrl: url,
      dialect,
      transport: UndiciTransport.layer,
      credentials: { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) }
    }).pipe(Layer.orDie)
  const balance = Effect.flatMap(MainBalance, (service) => service.all)
  return [
    fails(
      "MainBalance.all",
      "signed with a wrong secret",
      Effect.provide(balance, as(Example.alice.apiKey, "not-the-secret-of-alice")),
      "NotAuthorized"
    ),
    fails(
      "InterestPaymentHistory.page",
      "by bob, who is not a business partner",
      Effect.provide(
        Effect.flatMap(InterestPaymentHistory, (service) => service.page()),
        as(Example.bob.apiKey, Example.bob.apiSecret)
      ),
      "NotAuthorized"
    ),
    fails(
      "MainBalance.all",
      "to a closed port",
      balance.pipe(
        Effect.provide(as(Example.alice.apiKey, Example.alice.apiSecret, "http://127.0.0.1:9")),
        Effect.provideService(Call.ReadRetry, [])
      ),
      "ExchangeUnreachable"
    )
  ] as const
}
