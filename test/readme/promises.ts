import { Decimal, Exchange, Identifiers, LimitOrders, MainBalance } from "effect-txc"
import { UndiciTransport } from "effect-txc/node"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"

// Make one runtime for the whole program: it keeps connections open and counts calls for the rate limits.
const exchange = ManagedRuntime.make(Exchange.layerConfigWith({ transport: UndiciTransport.layer }))

// If a call fails, its promise is rejected.
const balance = await exchange.runPromise(MainBalance.MainBalance.use(({ all }) => all))
console.log("BTC", balance.get(Identifiers.ticker("BTC")))

// With Effect.result, the promise resolves to a Result, and the compiler knows all errors.
const placed = await exchange.runPromise(
  LimitOrders.LimitOrders.use(({ create }) =>
    create({
      market: Identifiers.marketName("BTC_USDT"),
      side: "buy",
      amount: Decimal.amount("0.001"),
      price: Decimal.price("30000")
    })
  ).pipe(Effect.result)
)
if (Result.isSuccess(placed)) console.log("placed", placed.success.orderId)
else if (placed.failure._tag === "OutcomeUnknown") console.log("may be placed: find out before you try again")
else console.log("not placed", placed.failure.message)

await exchange.dispose()
