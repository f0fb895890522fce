import { CancelOrder, Decimal, Identifiers, LimitOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")

/** Places three orders, and at the end cancels the orders that it knows of. */
const ladder = (
  create: (request: LimitOrders.Request) => Effect.Effect<unknown, LimitOrders.Failure, LimitOrders.LimitOrders>
) =>
  Effect.gen(function*() {
    const { cancel } = yield* CancelOrder.CancelOrder
    const known: Array<Identifiers.ClientOrderId> = []
    yield* Effect.addFinalizer(() =>
      Effect.forEach(known, (clientOrderId) => Effect.ignore(cancel({ market, clientOrderId })))
    )
    for (const price of ["38000", "38500", "39000"] as const) {
      const clientOrderId = Identifiers.ClientOrderId.make(`at-${price}`)
      const order = { market, clientOrderId, side: "buy", amount: Decimal.amount("0.01") } as const
      yield* create({ ...order, price: Decimal.price(price) }).pipe(
        Effect.andThen(Effect.sync(() => known.push(clientOrderId))),
        Effect.catch(() => Effect.void)
      )
    }
    return yield* Effect.never
  })

const create = (request: LimitOrders.Request) => LimitOrders.LimitOrders.use(({ create }) => create(request))

/** The mistake: the program treats every failure as proof that there is no order. */
const broken = ladder(create)

/** The program also cancels orders whose response was lost or can't be read, because they may have been placed. */
const repaired = ladder((request) =>
  Effect.catchIf(create(request), ({ outcome }) => outcome !== "not-applied", () => Effect.void)
)

export const ignoresAcceptedUnreadable = exhibit({
  name: "ignores AcceptedUnreadable",
  mistake: "The program treats an order whose response it can't read as refused.",
  within: 5,
  broken,
  repaired,
  invariants: [Invariant.noOrdersLeft],
  during: "10 seconds",
  calm: "5 seconds",
  possible: {
    ...Possibilities.of("Walk"),
    // A response that this client can't read, as could happen after the exchange has changed.
    always: [{
      _tag: "Fault",
      at: 0,
      fault: {
        path: LimitOrders.endpoint.path,
        skip: 1,
        symptom: {
          _tag: "Answer",
          applied: true,
          status: 200,
          headers: { "content-type": "application/json" },
          body: "{\"orderId\":1}"
        }
      }
    }]
  }
})
