/** The exchange that ccxt is pointed at: the sandbox in the live dialect, in memory, on a socket of this process. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ApiKey, parseMarketName, ticker } from "../../src/domain/Identifiers.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control, Example, Faults, Sandbox, Server } from "../../src/sandbox/index.ts"

/** A key of alice's that may do nothing but list her open orders. */
export const restricted = { apiKey: "alice-restricted-key", apiSecret: "alice-restricted-secret" }

/** A key of alice's that is switched off. */
export const disabled = { apiKey: "alice-disabled-key", apiSecret: "alice-disabled-secret" }

export const { alice, bob } = Example
export const { answerLost, badGateway } = Faults

const setUp = Effect.gen(function*() {
  yield* Example.setUp
  const control = yield* Control.Control
  const key = { account: alice.account, title: "ccxt", type: "1" }
  yield* control.addKey({
    ...key,
    ...restricted,
    apiKey: ApiKey.make(restricted.apiKey),
    enabled: true,
    endpoints: [{ name: "/api/v4/orders", title: "Open orders" }]
  })
  yield* control.addKey({ ...key, ...disabled, apiKey: ApiKey.make(disabled.apiKey), enabled: false })
  for (const [asset, amount] of [["BTC", "2"], ["USDT", "100000"]] as const) {
    for (const wallet of ["trade", "collateral"] as const) {
      yield* control.fund({ account: bob.account, wallet, ticker: ticker(asset), amount: Decimal.amount(amount) })
    }
  }
})

/** Opens the exchange of the example, where bob has something to trade too. */
export const open = (dialect = Dialect.live) => {
  const runtime = ManagedRuntime.make(Sandbox.layer({ dialect }))
  const opened = Effect.gen(function*() {
    yield* setUp
    const control = yield* Control.Control
    const { baseUrl } = yield* Scope.provide(Server.serve(), runtime.scope)
    return {
      baseUrl,
      movePrice: (market: string, price: string) =>
        runtime.runPromise(control.movePrice({
          market: Result.getOrThrow(parseMarketName(market)),
          price: Result.getOrThrow(Decimal.parsePrice(price))
        })),
      /** Sets the clock of the exchange ahead. */
      advance: (millis: number) => runtime.runPromise(control.advanceClock({ millis })),
      /** No more than so many calls of a path in ten seconds. */
      limit: (path: string, calls: number) => runtime.runPromise(control.limit({ calls, perSeconds: 10 }, path)),
      /** What goes wrong with the next call of a path. */
      fault: (path: string, symptom: Faults.Symptom) => runtime.runPromise(control.addFault({ path, symptom })),
      close: () => runtime.dispose()
    }
  })
  return runtime.runPromise(opened)
}
