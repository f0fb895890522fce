import {
  CancelAllOrders,
  Decimal,
  Dialect,
  Exchange,
  Fills,
  Identifiers,
  LimitOrders,
  StockMarketOrders,
  Streams,
  TradeBalance
} from "effect-txc"
import { Control, Faults, InProcess, Sandbox } from "effect-txc/sandbox"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"
import * as Maker from "./maker.ts"

const market = Identifiers.marketName("BTC_USDT")
const stock = Identifiers.ticker("BTC")
const money = Identifiers.ticker("USDT")

export const settings: Maker.Settings = {
  market,
  stock,
  money,
  digits: 2,
  amount: Decimal.amount("0.05"),
  bid: Decimal.of("0.999"),
  ask: Decimal.of("1.001")
}

/** The faults injected during the day. */
export const symptoms: ReadonlyArray<Faults.Symptom> = [
  Faults.answerLost,
  Faults.reset,
  Faults.badGateway,
  { _tag: "BadGateway", applied: true },
  { _tag: "Answer", applied: true, status: 500, headers: {}, body: "" },
  { _tag: "Refuse", kind: "rateLimited" },
  { _tag: "Refuse", kind: "nonceUsed" },
  { _tag: "Refuse", kind: "nonceOutsideWindow" },
  { _tag: "Refuse", kind: "unauthorized" },
  { _tag: "Refuse", kind: "unavailable" },
  { _tag: "Delay", millis: 900 },
  { _tag: "Delay", millis: 15_000 },
  { _tag: "Late", millis: 900 },
  { _tag: "Late", millis: 15_000 },
  { _tag: "Truncate", bytes: 20 },
  { _tag: "Malformed" },
  { _tag: "Slow", bytesPerSecond: 5 }
]

/** The stream faults that are also injected during the day. */
export const streamSymptoms: ReadonlyArray<Faults.StreamSymptom> = [
  { _tag: "Cut", close: false },
  { _tag: "Cut", close: true },
  { _tag: "Stall" },
  { _tag: "Lose" },
  { _tag: "Duplicate" },
  { _tag: "HoldBack" },
  { _tag: "Garble" },
  { _tag: "IgnorePing" },
  { _tag: "RefuseToken", kind: "unavailable" },
  { _tag: "RefuseConnection", kind: "unavailable" }
]

const paths = [LimitOrders, StockMarketOrders, CancelAllOrders, Fills].map(({ endpoint }) => endpoint.path)

/** A seeded random walk that reverts to 40000. */
const walk = (seed: number, steps: number): ReadonlyArray<Decimal.Price> => {
  let [state, cents] = [seed, 4_000_000n]
  return Array.from({ length: steps }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    cents += BigInt((state >>> 8) % 16_001) - 8000n + (4_000_000n - cents) / 20n
    return Result.getOrThrow(Decimal.parsePrice(Result.getOrThrow(Decimal.fromUnits(cents, 2))))
  })
}

/** Runs an effect, and advances the test clock by 0.1 s, or by another step, whenever the effect waits. */
const passing = Effect.fnUntraced(
  function*<A, E, R>(effect: Effect.Effect<A, E, R>, step: Duration.Input = "100 millis") {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => setImmediate())
      yield* TestClock.adjust(step)
    }
    return yield* Fiber.join(fiber)
  }
)

const minutes = 24 * 60

/** Runs the maker for a day, with a tick every `every` minutes. Each fault hits a different call. */
export const day = Effect.fn("day")(function*(every: number) {
  const control = yield* Control.Control
  const maker = yield* passing(Maker.make(settings))
  const prices = walk(7, minutes)
  yield* control.playPrices({ market, steps: prices.map((price) => ({ afterMillis: 60_000, price })) })
  for (let turn = 0; turn < minutes / every; turn++) {
    const [path, symptom] = [paths[turn % paths.length], symptoms[turn % symptoms.length]]
    if (path !== undefined && symptom !== undefined) yield* control.addFault({ path, symptom })
    const ofStream = streamSymptoms[turn % streamSymptoms.length]
    if (ofStream !== undefined) yield* control.addFault({ symptom: ofStream })
    yield* passing(maker.tick)
    yield* passing(Effect.sleep(`${every} minutes`), "9 seconds")
  }
  const faults = yield* control.faults
  yield* control.clearFaults
  yield* passing(maker.stop)
  const balances = yield* passing(TradeBalance.TradeBalance.use(({ all }) => all))
  return { ...maker, balances, faults, price: prices.at(-1) ?? Decimal.price("40000") }
}, Effect.scoped)

const credentials = { apiKey: "maker-key", apiSecret: "maker-secret" }

const setUp = Effect.gen(function*() {
  const control = yield* Control.Control
  const { apiKey, apiSecret } = credentials
  const key = { apiKey: Identifiers.ApiKey.make(apiKey), apiSecret, title: "the maker's", type: "1", enabled: true }
  yield* control.openAccount({ account: "maker", b2b: false })
  yield* control.addKey({ account: "maker", ...key })
  yield* control.fund({ account: "maker", wallet: "trade", ticker: stock, amount: Decimal.amount("2") })
  yield* control.fund({ account: "maker", wallet: "trade", ticker: money, amount: Decimal.amount("80000") })
  yield* control.movePrice({ market, price: Decimal.price("40000") })
})

/**
 * A sandbox with a counterparty. It uses the live dialect, because only there can reconciliation prove that an order
 * was never placed.
 */
export const world = Streams.layerInProcess.pipe(
  Layer.provideMerge(Exchange.layer({
    baseUrl: InProcess.baseUrl,
    dialect: Dialect.live,
    credentials: { apiKey: Redacted.make(credentials.apiKey), apiSecret: Redacted.make(credentials.apiSecret) }
  })),
  Layer.provideMerge(Layer.effectDiscard(setUp)),
  Layer.provideMerge(
    Sandbox.layer({ dialect: Dialect.live, counterparty: [{ market, spread: Decimal.of("0.4"), seed: 7 }] })
  )
)
