import { type Errors, LimitOrders, Reconciliation } from "effect-txc"
import * as Effect from "effect/Effect"
import * as Match from "effect/Match"

/** The decision about an order: nothing to do, because it was placed; place it again; drop it; or ask a human. */
type Decision = "placed" | "place again" | "drop" | "ask a human"

const found: { readonly [K in Reconciliation.Verdict["_tag"]]: Decision } = {
  Placed: "placed",
  NotPlaced: "place again",
  StillUnknown: "ask a human"
}

const find = Effect.fnUntraced(function*(lost: Errors.OutcomeUnknown): Effect.fn.Return<
  Decision,
  never,
  Reconciliation.Reconciliation
> {
  const { reconcile } = yield* Reconciliation.Reconciliation
  // The exchange has confirmed that our account's history contains canceled orders.
  const verdict = yield* reconcile(lost, { recordsCanceled: true })
  return found[verdict._tag]
})

/** Handles every error tag. The code does not compile if a tag is missing. */
const decide = (error: LimitOrders.Failure): Effect.Effect<Decision, never, Reconciliation.Reconciliation> =>
  Match.valueTags(error, {
    OutcomeUnknown: find,
    AcceptedUnreadable: () => Effect.succeed<Decision>("placed"),
    ExchangeUnreachable: () => Effect.succeed<Decision>("place again"),
    NonceRejected: () => Effect.succeed<Decision>("place again"),
    RateLimited: () => Effect.delay(Effect.succeed<Decision>("place again"), "1 second"),
    ValidationFailed: () => Effect.succeed<Decision>("drop"),
    RequestRejected: () => Effect.succeed<Decision>("drop"),
    NotAuthorized: () => Effect.succeed<Decision>("ask a human")
  })

export const place = (request: LimitOrders.Request) =>
  LimitOrders.LimitOrders.use((orders) => orders.create(request)).pipe(
    Effect.matchEffect({ onSuccess: () => Effect.succeed<Decision>("placed"), onFailure: decide })
  )
