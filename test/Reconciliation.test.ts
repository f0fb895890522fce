import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Credentials from "../src/client/Credentials.ts"
import * as MarketRules from "../src/client/MarketRules.ts"
import * as Nonce from "../src/client/Nonce.ts"
import * as Region from "../src/client/Region.ts"
import * as Signer from "../src/client/Signer.ts"
import { ClientOrderId } from "../src/domain/Identifiers.ts"
import { CancelAllOrders } from "../src/endpoints/CancelAllOrders.ts"
import { CollateralLimitOrders } from "../src/endpoints/CollateralLimitOrders.ts"
import { CollateralOcoOrders } from "../src/endpoints/CollateralOcoOrders.ts"
import { LimitOrders } from "../src/endpoints/LimitOrders.ts"
import { MarketOrders } from "../src/endpoints/MarketOrders.ts"
import { StopLimitOrders } from "../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../src/Exchange.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import type { CallError } from "../src/protocol/Errors.ts"
import * as Reconciliation from "../src/Reconciliation.ts"
import { Control } from "../src/sandbox/Control.ts"
import * as Faults from "../src/sandbox/Faults.ts"
import * as InProcess from "../src/sandbox/InProcess.ts"
import { Venue } from "../src/sandbox/Venue.ts"
import { passing } from "./support/clock.ts"
import { alice, answered, exchange, inProcess, oco, stopLimit } from "./support/exchange.ts"
import { failsWith } from "./support/fails.ts"
import { failure, fieldsOf, html, json, refusal, type Sent } from "./support/http.ts"
import { property } from "./support/property.ts"
import { amount, asBob, btcUsdt, dialects, limit, price, type Traders, traders } from "./support/trading.ts"

// -----------------------------------------------------------------------------
// A world where things go wrong
// -----------------------------------------------------------------------------

/** What becomes of a request that places an order. `late`: the network holds it back so long, and says nothing of it. */
type Fate =
  | { readonly _tag: "well" }
  | { readonly _tag: "fault"; readonly symptom: Faults.Symptom }
  | { readonly _tag: "late"; readonly millis: number; readonly told: "reset" | "nothing" }

/** The next request that places an order meets this fate. */
interface Network {
  next: Fate
}

const placingPath = /^\/api\/v4\/order\/(?:new|market|stop_limit|collateral\/limit|collateral\/oco)$/u

/** Holds requests back before they reach the exchange. */
const throughNetwork = (network: Network) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (http) =>
      HttpClient.make((request, url) => {
        const fate = network.next
        if (fate._tag !== "late" || !placingPath.test(url.pathname)) return http.execute(request)
        network.next = { _tag: "well" }
        const delivered = Effect.forkDetach(Effect.delay(Effect.ignore(http.execute(request)), fate.millis))
        return Effect.andThen(
          delivered,
          fate.told === "nothing" ? Effect.never : Effect.fail(failure(request, { code: "ECONNRESET" }))
        )
      }))
  )

const nonces = { window: Nonce.layerWindow, increasing: Nonce.layerIncreasing }

/** Alice's client behind that network. */
const behind = (network: Network, dialect: Dialect.Dialect, form: keyof typeof nonces) =>
  Exchange.layerServices.pipe(
    Layer.provide([Signer.layerNode, nonces[form], MarketRules.layerNone]),
    Layer.provide([
      Credentials.layer({ apiKey: Redacted.make("alice-key-0001"), apiSecret: Redacted.make("alice-secret-0001") }),
      Region.layer({ baseUrl: InProcess.baseUrl, dialect }),
      throughNetwork(network)
    ]),
    Layer.orDie
  )

// -----------------------------------------------------------------------------
// What a risk system does
// -----------------------------------------------------------------------------

type Named = { readonly clientOrderId: ClientOrderId }

const spot = { market: btcUsdt, side: "buy", amount: amount("0.01"), price: price("1000") } as const

type Kind = "rests" | "trades" | "endsAtOnce" | "tradesAtMarket" | "waits" | "margin" | "pair"

/** Orders that rest, wait, trade at once, or end at once without a trade. */
const kinds: Readonly<Record<Kind, (id: Named) => Effect.Effect<unknown, CallError, Exchange.Services>>> = {
  rests: (id) => LimitOrders.use((orders) => orders.create({ ...spot, ...id })),
  trades: (id) => LimitOrders.use((orders) => orders.create({ ...spot, price: price("1200"), ...id })),
  endsAtOnce: (id) => LimitOrders.use((orders) => orders.create({ ...spot, ioc: true, ...id })),
  tradesAtMarket: (id) =>
    MarketOrders.use((orders) => orders.create({ market: btcUsdt, side: "buy", amount: amount("20"), ...id })),
  waits: (id) => StopLimitOrders.use((orders) => orders.create({ ...spot, activationPrice: price("1500"), ...id })),
  margin: (id) => CollateralLimitOrders.use((orders) => orders.create({ ...spot, ...id })),
  pair: (id) =>
    CollateralOcoOrders.use((orders) =>
      orders.create({ ...spot, activationPrice: price("1500"), stopLimitPrice: price("1510"), ...id })
    )
}

/** What happens to the account's orders while it is looked for one of them. */
const meanwhiles = {
  nothing: Effect.void,
  canceled: Effect.asVoid(CancelAllOrders.use((orders) => orders.cancel())),
  filled: Control.use((control) => control.movePrice({ market: btcUsdt, price: price("900") })),
  woken: Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1600") }))
}

interface Step {
  readonly kind: Kind
  readonly fates: ReadonlyArray<Fate>
  readonly meanwhile: keyof typeof meanwhiles
  readonly after: number
}

/** The orders that the engine has ever had under a client order id: a pair counts as one. */
const ever = (ids: ReadonlyArray<string>) =>
  Effect.map(Venue, ({ state }) => {
    const orders = [...state.openOrders.values(), ...[...state.endedOrders.values()].flat()]
    return new Set(
      orders.filter(({ clientOrderId }) => clientOrderId !== undefined && ids.includes(clientOrderId))
        .map(({ id, oco }) => oco ?? id)
    ).size
  })

/**
 * Places one order as one would who may lose money: it is asked for again, by another name, when the answer is that it
 * was not placed, and only then. Gives the names that were used, and how it ended.
 */
const placeSurely = Effect.fnUntraced(function*(
  step: Step,
  network: Network,
  name: string,
  assumptions: Partial<Reconciliation.Assumptions>
) {
  const names: Array<string> = []
  for (const fate of [...step.fates, { _tag: "well" } as const]) {
    const clientOrderId = ClientOrderId.make(`${name}-${names.length}`)
    names.push(clientOrderId)
    network.next = fate
    if (fate._tag === "fault") {
      yield* Control.use((control) => control.addFault({ apiKey: "alice-key-0001", symptom: fate.symptom }))
    }
    const result = yield* Effect.result(kinds[step.kind]({ clientOrderId }))
    if (result._tag === "Success") return { names, ended: "placed" } as const
    const error = result.failure
    if (error._tag !== "OutcomeUnknown") return { names, ended: "refused" } as const
    yield* Effect.forkDetach(Effect.delay(Effect.ignore(meanwhiles[step.meanwhile]), step.after))
    const verdict = yield* Reconciliation.Reconciliation.use(({ reconcile }) => reconcile(error, assumptions))
    if (verdict._tag === "Placed") return { names, ended: "placed" } as const
    if (verdict._tag === "StillUnknown") return { names, ended: "unknown", verdict } as const
    assert.strictEqual(yield* ever([clientOrderId]), 0)
  }
  return { names, ended: "given up" } as const
})

// -----------------------------------------------------------------------------
// Thousands of them
// -----------------------------------------------------------------------------

const anyFate: fc.Arbitrary<Fate> = fc.oneof(
  fc.constantFrom<Array<Fate>>(
    { _tag: "well" },
    { _tag: "fault", symptom: Faults.answerLost },
    { _tag: "fault", symptom: Faults.reset },
    { _tag: "fault", symptom: Faults.badGateway },
    { _tag: "fault", symptom: { ...Faults.badGateway, applied: true } as Faults.Symptom }
  ),
  fc.integer({ min: 9000, max: 25_000 }).map((millis): Fate => ({ _tag: "fault", symptom: { _tag: "Delay", millis } })),
  fc.record({
    _tag: fc.constant("late" as const),
    millis: fc.integer({ min: 0, max: 20_000 }),
    told: fc.constantFrom("reset" as const, "nothing" as const)
  })
)

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...Object.keys(kinds) as Array<Kind>),
  fates: fc.array(anyFate, { minLength: 1, maxLength: 3 }),
  meanwhile: fc.constantFrom(...Object.keys(meanwhiles) as Array<keyof typeof meanwhiles>),
  after: fc.integer({ min: 0, max: 20_000 })
})

const start = TestClock.setTime(1_700_000_000_000)

const within = <A, E>(
  dialect: Dialect.Dialect,
  form: keyof typeof nonces,
  scenario: (network: Network) => Effect.Effect<A, E, Traders>
) =>
  Effect.gen(function*() {
    yield* start
    const network: Network = { next: { _tag: "well" } }
    return yield* Effect.gen(function*() {
      const steps = scenario(network).pipe(Effect.provide(behind(network, dialect, form)))
      return yield* passing(steps, 500)
    }).pipe(Effect.provide(traders(dialect)))
  })

/** Who keeps to the order's own proof, and in the document's dialect to a horizon that the network does not exceed. */
const worlds: ReadonlyArray<
  readonly [name: string, Dialect.Dialect, keyof typeof nonces, Partial<Reconciliation.Assumptions>, proves: boolean]
> = [
  ["live, window", Dialect.live, "window", { recordsCanceled: true }, true],
  ["live, increasing", Dialect.live, "increasing", { recordsCanceled: true }, true],
  ["document, with a horizon", Dialect.document, "window", { recordsCanceled: true, horizon: "25 seconds" }, true],
  ["document, without one", Dialect.document, "window", { recordsCanceled: true }, false],
  ["live, where canceled orders may not be recorded", Dialect.live, "window", {}, false]
]

describe("no order is placed twice, and none that was placed is reported as not placed", () => {
  for (const [name, dialect, form, assumptions, proves] of worlds) {
    const ended = { placed: 0, refused: 0, unknown: 0, again: 0, "given up": 0 }
    property(
      name,
      [fc.array(anyStep, { minLength: 1, maxLength: 4 })],
      (steps) =>
        within(dialect, form, (network) =>
          Effect.gen(function*() {
            yield* asBob(limit("sell", "5", "1100"))
            for (const [index, step] of steps.entries()) {
              const end = yield* placeSurely(step, network, `order-${index}`, assumptions)
              // Whatever is still on its way arrives.
              yield* TestClock.adjust("1 hour")
              const count = yield* ever(end.names)
              assert.isAtMost(count, 1, `${end.names.join(", ")} ${end.ended}`)
              if (end.ended === "placed") assert.strictEqual(count, 1)
              if (end.ended === "refused") assert.strictEqual(count, 0)
              ended[end.ended]++
              if (end.names.length > 1) ended.again++
            }
          })),
      { runs: proves ? 700 : 100, timeout: 120_000 }
    )

    // Else the property above would say nothing.
    it(`${name}: some were placed at last, and some ${proves ? "were not and asked for again" : "can't be told"}`, () => {
      assert.isAbove(ended.placed, 50)
      assert.strictEqual(ended.again > 50, proves)
      if (!proves) assert.isAbove(ended.unknown, 10)
    })
  }
})
