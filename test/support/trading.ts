/** Two traders on an in-process exchange: alice, whose client is in the test's context, and bob. */
import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ApiKey, marketName, type Ticker, ticker } from "../../src/domain/Identifiers.ts"
import { CollateralBalance } from "../../src/endpoints/CollateralBalance.ts"
import { CollateralLimitOrders } from "../../src/endpoints/CollateralLimitOrders.ts"
import { LimitOrders } from "../../src/endpoints/LimitOrders.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { TradeBalance } from "../../src/endpoints/TradeBalance.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import type { Answer } from "../../src/sandbox/gateway/Message.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"

export const dialects: ReadonlyArray<Dialect.Dialect> = [Dialect.document, Dialect.live]

export const btc = ticker("BTC")
export const eth = ticker("ETH")
export const usdt = ticker("USDT")
export const btcUsdt = marketName("BTC_USDT")
export const ethUsdt = marketName("ETH_USDT")
export const btcPerp = marketName("BTC_PERP")

/**
 * Alice's second key. Raw calls use this key, because with the first key their nonces could collide with the nonces of
 * her client.
 */
const byHand = { apiKey: "alice-by-hand-0001", apiSecret: "alice-by-hand-secret" }

const setUp = Effect.gen(function*() {
  const control = yield* Control.Control
  for (const account of ["alice", "bob"]) {
    yield* control.openAccount({ account, b2b: true })
    yield* control.addKey({
      account,
      apiKey: ApiKey.make(`${account}-key-0001`),
      apiSecret: `${account}-secret-0001`,
      title: account,
      type: "2",
      enabled: true
    })
    yield* control.fund({ account, wallet: "main", ticker: usdt, amount: Decimal.amount("1000") })
    yield* control.fund({ account, wallet: "trade", ticker: btc, amount: Decimal.amount("10") })
    yield* control.fund({ account, wallet: "trade", ticker: usdt, amount: Decimal.amount("100000") })
    yield* control.fund({ account, wallet: "collateral", ticker: usdt, amount: Decimal.amount("100000") })
  }
  yield* control.addKey({
    account: "alice",
    apiKey: ApiKey.make(byHand.apiKey),
    apiSecret: byHand.apiSecret,
    title: "by hand",
    type: "2",
    enabled: true
  })
})

/** The services of bob's client. */
export class Bob extends Context.Service<Bob, Context.Context<Exchange.Services>>()("test/Bob") {}

const clientOf = (
  account: string,
  dialect: Dialect.Dialect
): Layer.Layer<Exchange.Services, never, HttpClient.HttpClient> =>
  Exchange.layer({
    baseUrl: InProcess.baseUrl,
    dialect,
    credentials: { apiKey: Redacted.make(`${account}-key-0001`), apiSecret: Redacted.make(`${account}-secret-0001`) }
  }).pipe(Layer.orDie)

export type Traders = Exchange.Services | Bob | Control.Control | Venue.Venue | HttpClient.HttpClient

/** A fresh exchange with both traders. It is in memory unless a file is given. */
export const traders = (dialect: Dialect.Dialect, file?: string): Layer.Layer<Traders> =>
  clientOf("alice", dialect).pipe(
    Layer.merge(Layer.effect(Bob, Layer.build(Layer.fresh(clientOf("bob", dialect))))),
    Layer.provideMerge(
      Layer.effectDiscard(setUp).pipe(
        Layer.provideMerge(Sandbox.layer({ dialect, ...(file === undefined ? {} : { file }) })),
        Layer.orDie
      )
    )
  )

/** Makes calls with bob's key. */
export const asBob = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Exchange.Services> | Bob> =>
  Effect.flatMap(Bob, (services) => Effect.provideContext(effect, services))

/** Returns the effect's error, which must have this tag. */
export const failsWith =
  <const Tag extends string>(tag: Tag) => <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      Effect.flip(effect),
      (error) =>
        error._tag === tag
          ? Effect.succeed(error as Extract<E, { readonly _tag: Tag }>)
          : Effect.die(new Error(`${error._tag} instead of ${tag}`, { cause: error }))
    )

// -----------------------------------------------------------------------------
// Orders
// -----------------------------------------------------------------------------

export const amount = (text: string): Decimal.Amount => Decimal.Amount.make(text)
export const price = (text: string): Decimal.Price => Decimal.Price.make(text)

/** Places a limit order on BTC_USDT. */
export const limit = (side: "buy" | "sell", of: string, at: string, more: object = {}) =>
  LimitOrders.use((orders) => orders.create({ market: btcUsdt, side, amount: amount(of), price: price(at), ...more }))

/** Places a limit order on BTC_PERP. */
export const perp = (side: "buy" | "sell", of: string, at: string, more: object = {}) =>
  CollateralLimitOrders.use((orders) =>
    orders.create({ market: btcPerp, side, amount: amount(of), price: price(at), ...more })
  )

/** The statuses of the latest closed orders, latest first. */
export const statuses = Effect.map(
  OrderHistory.use((history) => history.page()),
  ({ records }) => records.map(({ status }) => status)
)

// -----------------------------------------------------------------------------
// Balances
// -----------------------------------------------------------------------------

/** Returns the available and frozen balances, as normalized decimals. */
export const trade = (of: Ticker) =>
  Effect.map(
    TradeBalance.use((balance) => balance.of(of)),
    ({ available, freeze }) => [Decimal.normalize(available), Decimal.normalize(freeze)] as ReadonlyArray<string>
  )

export const collateral = Effect.map(
  CollateralBalance.use((balance) => balance.of(usdt)),
  (held): string => Decimal.normalize(held)
)

/** Asserts that two values are deeply equal, although their brands may differ. */
export const same = (actual: unknown, expected: unknown): void => assert.deepStrictEqual(actual, expected)

// -----------------------------------------------------------------------------
// Raw calls
// -----------------------------------------------------------------------------

/** The latest nonce of a raw call to each venue. */
const nonces = new WeakMap<Venue.Venue["Service"], number>()

/** Makes a raw call with alice's second key. The request and the response are JSON. */
export const raw = (path: string, fields: object) =>
  Effect.gen(function*() {
    const venue = yield* Venue.Venue
    const now = (yield* Clock.currentTimeMillis) + venue.state.skew / 1000
    const at = Math.max((nonces.get(venue) ?? 0) + 1, now)
    nonces.set(venue, at)
    const body = Buffer.from(
      JSON.stringify(
        venue.dialect === Dialect.document
          ? { ...fields, request: path, nonce: `${at}000` }
          : { ...fields, request: path, nonce: at, nonceWindow: true }
      )
    )
    const payload = body.toString("base64")
    return toJson(
      yield* venue.handle({
        method: "POST",
        path,
        headers: {
          "content-type": "application/json",
          "x-txc-apikey": byHand.apiKey,
          "x-txc-payload": payload,
          "x-txc-signature": createHmac("sha512", byHand.apiSecret).update(payload).digest("hex")
        },
        body,
        from: "a test"
      })
    )
  })

/** Makes a raw public call. */
export const rawPublic = (path: string, query = "") =>
  Effect.flatMap(Venue.Venue, (venue) =>
    Effect.map(
      venue.handle({ method: "GET", path, query, headers: {}, body: new Uint8Array(), from: "a test" }),
      toJson
    ))

const toJson = (answer: Answer): { readonly status: number; readonly body: unknown } =>
  answer._tag === "Answer" ? { status: answer.status, body: JSON.parse(answer.body) } : assert.fail("a reset")

/**
 * The dialect's status for a partly filled order that was canceled. The live exchange has no separate status for such
 * an order.
 */
export const partlyCanceled = ({ name }: Dialect.Dialect) => name === "live" ? "CANCELED" : "PARTIAL_CANCELED"
