import { Decimal, Identifiers, LimitOrders } from "effect-txc"
import { Explore, Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { exhibit } from "./exhibit.ts"

const place = LimitOrders.LimitOrders.use(({ create }) =>
  create({
    market: Identifiers.marketName("BTC_USDT"),
    side: "buy",
    amount: Decimal.amount("0.01"),
    price: Decimal.price("39000")
  })
)

const said = Explore.say("placed", true)

/**
 * The mistake: the exchange says that the nonce was used, so the program assumes that an earlier copy of the request
 * was applied.
 */
const broken = place.pipe(Effect.asVoid, Effect.catchTag("NonceRejected", () => Effect.void), Effect.andThen(said))

/** A refused nonce proves that the request was not applied. The next attempt has a new nonce. */
const repaired = place.pipe(
  Effect.retry({ while: ({ _tag }) => _tag === "NonceRejected", schedule: Schedule.spaced("1 second") }),
  Effect.andThen(said)
)

export const takesRefusedNonceForPlaced = exhibit({
  name: "takes a refused nonce for a placed order",
  mistake: "The program treats a refused nonce as proof that the order was placed.",
  within: 100,
  broken,
  repaired,
  invariants: [
    Invariant.always(
      "an order that the program has reported as placed exists",
      ({ openOrders, said }) => !said.has("placed") || openOrders.length > 0 || "there is no order"
    )
  ],
  during: "1 second",
  calm: "10 seconds",
  possible: { ...Possibilities.of("Fault"), symptoms: ["Refuse"] }
})
