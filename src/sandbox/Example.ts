/**
 * An example exchange to start with: two accounts with funds, codes, sub-accounts and interest payments.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Example, Sandbox } from "effect-txc/sandbox"
 *
 * const key = Effect.gen(function*() {
 *   yield* Example.setUp
 *   return Example.alice.apiKey
 * }).pipe(Effect.provide(Sandbox.layer()))
 * ```
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Code, Passphrase } from "../domain/Code.ts"
import * as Decimal from "../domain/Decimal.ts"
import { ApiKey, InvestmentId, marketName, PlanId, SubAccountId, ticker } from "../domain/Identifiers.ts"
import { HexColour, MaskedEmail } from "../domain/SubAccount.ts"
import { Control } from "./control/Control.ts"
import type { SetCounterpartyOptions } from "./engine/SetCounterparty.ts"

/**
 * The API key of an example account. Only a sandbox that is set up with the example accepts it.
 *
 * @category models
 */
export interface ExampleKey {
  /** The account that the key belongs to. */
  readonly account: string
  /** The public part, which is sent with each call. */
  readonly apiKey: string
  /** The secret, with which calls are signed. */
  readonly apiSecret: string
}

/**
 * An account that may call the B2B-only endpoints. It has funds in all wallets, three sub-accounts, and interest
 * payments.
 */
export const alice: ExampleKey = {
  account: "alice",
  apiKey: "alice-sandbox-key",
  apiSecret: "alice-sandbox-secret"
}

/** An account that is not allowed to call the B2B-only endpoints. This account created the example's codes. */
export const bob: ExampleKey = { account: "bob", apiKey: "bob-sandbox-key", apiSecret: "bob-sandbox-secret" }

/** A code worth 2.5 ETH, without a passphrase. */
export const code: Code = Code.make("WBe11205e5-5faf-11ed-9b6a-0242ac120002ETH")

/** A code worth 0.25 ETH, with a {@link passphrase}. */
export const protectedCode: Code = Code.make("WBbe08a482-5faf-11ed-9b6a-0242ac120002ETH")

/** The passphrase of {@link protectedCode}. */
export const passphrase: Passphrase = Passphrase.make("open sesame")

/** A fixed-term plan that has paid interest to `alice`. */
export const plan: PlanId = PlanId.make("8e667b4a-0b71-4988-8af5-9474dbfaeb51")

/** An empty sub-account of `alice`. */
export const emptySubAccount: SubAccountId = SubAccountId.make("2b7e1516-28ae-42a6-abf7-158809cf4f3c")

/** A sub-account of `alice` that has funds and an API key. */
export const fundedSubAccount: SubAccountId = SubAccountId.make("5c9d2e7a-6f31-4c0e-9a55-7d20f7d6a1b4")

/** A sub-account of `alice` that has an API key but no funds. */
export const trainingSubAccount: SubAccountId = SubAccountId.make("c4e6a1d8-90b2-4f7e-8a63-3f1b5d2c7e90")

/**
 * A counterparty for the market `BTC_USDT`, so that market orders find liquidity. {@link setUp} does not turn this
 * counterparty on; to do that, use `Sandbox.layer({ counterparty: [Example.counterparty] })` or
 * `control.setCounterparty`.
 */
export const counterparty: SetCounterpartyOptions = { market: marketName("BTC_USDT"), seed: 1 }

/** The number of interest payments that `alice` has received. */
export const payments = 250

/** The price that {@link setUp} gives to each market. */
export const prices = [
  ["BTC_USDT", Decimal.price("40000")],
  ["ETH_USDT", Decimal.price("2500")],
  ["ETH_BTC", Decimal.price("0.0625")],
  ["BTC_PERP", Decimal.price("40000")],
  ["SHIB_USDT", Decimal.price("0.00001")]
] as const

const btc = ticker("BTC")
const eth = ticker("ETH")
const usdt = ticker("USDT")

const openAccounts = Effect.fnUntraced(function*(keyOf: KeyOf) {
  const control = yield* Control
  yield* control.openAccount({ account: alice.account, b2b: true })
  yield* control.openAccount({ account: bob.account, b2b: false })
  for (const { account } of [alice, bob]) {
    yield* control.addKey({
      account,
      ...keyOf(account),
      title: `${account}'s key`,
      type: "2",
      enabled: true
    })
  }
})

const fundAccounts = Effect.gen(function*() {
  const control = yield* Control
  yield* control.fund({ account: "alice", wallet: "main", ticker: btc, amount: Decimal.amount("0.5") })
  yield* control.fund({ account: "alice", wallet: "main", ticker: usdt, amount: Decimal.amount("1000") })
  yield* control.fund({ account: "alice", wallet: "trade", ticker: btc, amount: Decimal.amount("2") })
  yield* control.fund({ account: "alice", wallet: "trade", ticker: usdt, amount: Decimal.amount("100000") })
  yield* control.fund({ account: "alice", wallet: "collateral", ticker: usdt, amount: Decimal.amount("50000") })
  yield* control.fund({ account: "bob", wallet: "main", ticker: eth, amount: Decimal.amount("20") })
})

const createCodes = Effect.gen(function*() {
  const control = yield* Control
  yield* control.createCode({ account: "bob", code, ticker: eth, amount: Decimal.amount("2.5") })
  yield* control.createCode({
    account: "bob",
    code: protectedCode,
    ticker: eth,
    amount: Decimal.amount("0.25"),
    passphrase
  })
})

const openSubAccounts = Effect.fnUntraced(function*(keyOf: KeyOf) {
  const control = yield* Control
  const subAccounts = [
    { id: fundedSubAccount, alias: "market making", email: "m***@e***e.com", color: "#1D9A6C" },
    { id: emptySubAccount, alias: "archive", email: "a***@e***e.com", color: "#888888" },
    { id: trainingSubAccount, alias: "training", email: "t***@e***e.com", color: "#FF0000" }
  ]
  for (const { alias, color, email, id } of subAccounts) {
    yield* control.openSubAccount({
      id: SubAccountId.make(id),
      parent: "alice",
      alias,
      email: MaskedEmail.make(email),
      color: HexColour.make(color),
      shareKyc: true,
      kycStatus: "shared",
      spotEnabled: true,
      collateralEnabled: false
    })
  }
  yield* control.fund({ account: fundedSubAccount, wallet: "main", ticker: usdt, amount: Decimal.amount("250") })
  yield* control.addKey({
    account: fundedSubAccount,
    ...keyOf("market-making"),
    title: "market making bot",
    type: "1",
    enabled: true,
    endpoints: [{ name: "/api/v4/order/stop_limit", title: "Create stop-limit order" }]
  })
  yield* control.addKey({
    account: trainingSubAccount,
    ...keyOf("training"),
    title: "training",
    type: "1",
    enabled: true
  })
})

const payInterest = Effect.gen(function*() {
  const control = yield* Control
  for (let day = 0; day < payments; day++) {
    yield* control.payInterest({
      account: "alice",
      planId: plan,
      investmentId: InvestmentId.make("0d7b66ff-1909-4938-ab7a-d16d9a64dcd5"),
      ticker: usdt,
      amount: Decimal.amount("0.15")
    })
  }
})

const day = 86_400_000

/** The time between two prices of {@link playDay}, in milliseconds. */
const pause = 180_000

/**
 * A market's price at step `step` of the day that {@link playDay} plays, as a multiple of its price in {@link prices}.
 * The curve is a sum of waves that ends at 1, and is the same in every venue.
 */
const wave = (market: number, step: number): number => {
  const left = 1 - step * pause / day
  const swing = (length: number, size: number): number =>
    size * Math.sin(left * length * (1 + market / 7) * Math.PI * 2)
  return 1 + swing(1.3, 0.011) + swing(4.1, 0.006) + swing(13.7, 0.003) + swing(41.3, 0.0016) + swing(97.9, 0.001)
}

/**
 * Plays the past 24 hours with moving prices, so that charts and statistics have a day of history. Run this before
 * {@link setUp}: the venue must have no commands yet. Does nothing if the clock shows 1 January 1970, as a test clock
 * does. Fails with the errors of `Control`.
 *
 * @category constructors
 */
export const playDay = Effect.gen(function*() {
  const control = yield* Control
  const now = yield* Clock.currentTimeMillis
  if (now < day) return
  const steps = (day / pause) - 1
  const pricePlaces = new Map((yield* control.markets).map(({ market, pricePrecision }) => [market, pricePrecision]))
  yield* control.setClock({ at: (now - day) * 1000 })
  for (const [index, [name, first]] of prices.entries()) {
    const market = marketName(name)
    const places = pricePlaces.get(market)
    const priceAt = (step: number) => Decimal.Price.make((Number(first) * wave(index, step)).toFixed(places))
    yield* control.movePrice({ market, price: priceAt(0) })
    yield* control.playPrices({
      market,
      steps: Array.from({ length: steps }, (_, step) => ({ afterMillis: pause, price: priceAt(step + 1) }))
    })
  }
  yield* control.setClock({ at: (yield* Clock.currentTimeMillis) * 1000 })
  yield* control.runClock
})

/**
 * Returns the API key for an example account: `alice`, `bob`, `market-making` or `training`.
 *
 * @category models
 */
export type KeyOf = (name: string) => {
  /** The public part, which is sent with each call. */
  readonly apiKey: ApiKey
  /** The secret, with which calls are signed. */
  readonly apiSecret: string
}

/**
 * Sets up the example with API keys that you provide. The venue must not have the example's accounts yet. Fails with
 * the errors of `Control`.
 *
 * @category constructors
 */
export const setUpWith = Effect.fnUntraced(function*(keyOf: KeyOf) {
  const control = yield* Control
  yield* openAccounts(keyOf)
  yield* fundAccounts
  yield* createCodes
  // Gives every market a price, because a market without trades has none.
  for (const [market, price] of prices) yield* control.movePrice({ market: marketName(market), price })
  yield* openSubAccounts(keyOf)
  yield* payInterest
})

/**
 * Sets up the example. The venue must not have the example's accounts yet. Fails with the errors of `Control`.
 *
 * @category constructors
 */
export const setUp = setUpWith((name) => ({
  apiKey: ApiKey.make(`${name}-sandbox-key`),
  apiSecret: `${name}-sandbox-secret`
}))
