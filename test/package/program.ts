/**
 * A user's program that imports every entry point. The program must compile and run. `.ci/projects.js` compiles it in a
 * user's project.
 */
import { Decimal, Dialect, Exchange, Identifiers, MainBalance } from "effect-txc"
import { check, Target } from "effect-txc/oracle"
import { conformance } from "effect-txc/oracle/vitest"
import { NonceRedis } from "effect-txc/redis"
import { Control, Example, InProcess, Sandbox } from "effect-txc/sandbox"
import { globalSetup } from "effect-txc/sandbox/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export const all = [check, Target.http, NonceRedis, globalSetup] as const
export type Suite = typeof conformance

const exchange = Exchange.layer({
  baseUrl: InProcess.baseUrl,
  dialect: Dialect.document,
  credentials: { apiKey: Redacted.make(Example.alice.apiKey), apiSecret: Redacted.make(Example.alice.apiSecret) }
}).pipe(Layer.provideMerge(Sandbox.layer()))

const program = Effect.gen(function*() {
  yield* Example.setUp
  const control = yield* Control.Control
  yield* control.fund({
    account: "alice",
    wallet: "main",
    ticker: Identifiers.ticker("BTC"),
    amount: Decimal.amount("1")
  })
  return yield* MainBalance.MainBalance.use(({ of }) => of(Identifiers.ticker("BTC")))
})

void Effect.runPromise(Effect.provide(Effect.flatMap(program, Console.log), exchange))
