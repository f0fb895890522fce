/** A fresh exchange for a test, with two accounts that have keys and funds, and clients for these accounts. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Call from "../../src/client/call/Call.ts"
import * as Credentials from "../../src/client/Credentials.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import * as Transport from "../../src/client/transport/Transport.ts"
import { Code, Passphrase } from "../../src/domain/Code.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ApiKey, InvestmentId, marketName, PlanId, SubAccountId, ticker } from "../../src/domain/Identifiers.ts"
import { HexColour, MaskedEmail } from "../../src/domain/SubAccount.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { type Answering, answering, type Recorder, recording } from "./http.ts"

export const dialects: ReadonlyArray<Dialect.Dialect> = [Dialect.document, Dialect.live]

// -----------------------------------------------------------------------------

// Accounts and set-up
// -----------------------------------------------------------------------------

export interface Account {
  readonly account: string
  readonly apiKey: string
  readonly apiSecret: string
}

/** The account of a business partner, with funds, sub-accounts and interest payments. */
export const alice: Account = { account: "alice", apiKey: "alice-key-1f0c", apiSecret: "alice-secret-77aa" }

/** An account that is not a business partner's. It has created `code` and `protectedCode`. */
export const bob: Account = { account: "bob", apiKey: "bob-key-5e2d", apiSecret: "bob-secret-c0de" }

/** A disabled key for alice's account. */
export const disabled: Account = { account: "alice", apiKey: "disabled-key-01", apiSecret: "disabled-secret-01" }

/** A key for alice's account that may call only cancel-all. */
export const restricted: Account = { account: "alice", apiKey: "restricted-key-01", apiSecret: "restricted-secret-01" }

export const credentialsOf = ({ apiKey, apiSecret }: Account) => ({
  apiKey: Redacted.make(apiKey),
  apiSecret: Redacted.make(apiSecret)
})

export const btc = ticker("BTC")
export const eth = ticker("ETH")
export const usdt = ticker("USDT")
export const btcUsdt = marketName("BTC_USDT")
export const ethUsdt = marketName("ETH_USDT")
export const btcPerp = marketName("BTC_PERP")

export const code = Code.make("code-of-bob")
export const protectedCode = Code.make("protected-code-of-bob")
export const passphrase = Passphrase.make("öffne dich, Sesam 🗝")
export const codeOfAlice = Code.make("code-of-alice")

export const planA = PlanId.make("plan-a")
export const planB = PlanId.make("plan-b")

export const emptySubAccount = SubAccountId.make("sub-empty")
export const fundedSubAccount = SubAccountId.make("sub-funded")
export const subAccountOfBob = SubAccountId.make("sub-of-bob")

export const keyOfEmptySubAccount: Account = {
  account: emptySubAccount,
  apiKey: "sub-key-0002",
  apiSecret: "sub-secret-0002"
}

export const openSubAccount = (parent: string, id: SubAccountId, alias: string = id) =>
  Control.Control.use((control) =>
    control.openSubAccount({
      id,
      parent,
      alias,
      email: MaskedEmail.make("s***@e***e.com"),
      color: HexColour.make("#1D9A6C"),
      shareKyc: true,
      kycStatus: "shared",
      spotEnabled: true,
      collateralEnabled: false
    })
  )

export const addKey = (
  { account, apiKey, apiSecret }: Account,
  options: { readonly enabled?: boolean; readonly endpoints?: ReadonlyArray<string>; readonly type?: string } = {}
) =>
  Control.Control.use((control) =>
    control.addKey({
      account,
      apiKey: ApiKey.make(apiKey),
      apiSecret,
      title: `key of ${account}`,
      type: options.type ?? "2",
      enabled: options.enabled ?? true,
      ...(options.endpoints === undefined
        ? {}
        : { endpoints: options.endpoints.map((name) => ({ name, title: name })) })
    })
  )

export const payInterest = (
  account: string,
  planId: PlanId,
  amount: Decimal.Amount = Decimal.amount("0.15"),
  of = usdt
) =>
  Control.Control.use((control) =>
    control.payInterest({ account, planId, investmentId: InvestmentId.make("investment-1"), ticker: of, amount })
  )

/** Sets up the exchange for each test. */
export const setUp = Effect.gen(function*() {
  const control = yield* Control.Control
  yield* control.openAccount({ account: "alice", b2b: true })
  yield* control.openAccount({ account: "bob", b2b: false })
  yield* addKey(alice)
  yield* addKey(bob)
  yield* addKey(disabled, { enabled: false })
  yield* addKey(restricted, { endpoints: ["/api/v4/order/cancel/all"] })
  yield* control.fund({ account: "alice", wallet: "main", ticker: usdt, amount: Decimal.amount("1000.5") })
  yield* control.fund({ account: "alice", wallet: "main", ticker: btc, amount: Decimal.amount("3") })
  yield* control.fund({ account: "alice", wallet: "trade", ticker: btc, amount: Decimal.amount("2") })
  yield* control.fund({ account: "alice", wallet: "trade", ticker: usdt, amount: Decimal.amount("100000") })
  yield* control.fund({ account: "alice", wallet: "collateral", ticker: usdt, amount: Decimal.amount("100000") })
  yield* control.fund({ account: "bob", wallet: "main", ticker: eth, amount: Decimal.amount("20") })
  yield* control.createCode({ account: "bob", code, ticker: eth, amount: Decimal.amount("2.5") })
  yield* control.createCode({
    account: "bob",
    code: protectedCode,
    ticker: eth,
    amount: Decimal.amount("0.25"),
    passphrase
  })
  yield* control.createCode({ account: "alice", code: codeOfAlice, ticker: btc, amount: Decimal.amount("1") })
  yield* openSubAccount("alice", emptySubAccount, "Archive")
  yield* openSubAccount("alice", fundedSubAccount, "Market making")
  yield* openSubAccount("bob", subAccountOfBob)
  yield* control.fund({ account: fundedSubAccount, wallet: "main", ticker: usdt, amount: Decimal.amount("250") })
  yield* addKey({ account: fundedSubAccount, apiKey: "sub-key-0001", apiSecret: "sub-secret-0001" }, {
    endpoints: ["/api/v4/order/stop_limit"]
  })
  yield* addKey(keyOfEmptySubAccount)
})

// -----------------------------------------------------------------------------

// Transports
// -----------------------------------------------------------------------------

/** The address and dialect with which clients reach the exchange. */
export class Place extends Context.Service<Place, {
  readonly baseUrl: string
  readonly dialect: Dialect.Dialect
}>()("test/Place") {}

/** An exchange, an `HttpClient` that reaches it, and a recorder of every request that is sent. */
export type World = Venue.Venue | Control.Control | Place | HttpClient.HttpClient | Recorder

const seeded = (dialect: Dialect.Dialect) =>
  Layer.effectDiscard(setUp).pipe(
    Layer.provideMerge(Control.layer),
    Layer.provideMerge(Venue.layer({ dialect })),
    Layer.orDie
  )

/** An exchange without a socket. */
export const inProcess = (dialect: Dialect.Dialect): Layer.Layer<World> =>
  recording.pipe(
    Layer.provide(InProcess.layer),
    Layer.merge(Layer.succeed(Place, { baseUrl: InProcess.baseUrl, dialect })),
    Layer.provideMerge(seeded(dialect))
  )

/** An exchange behind a local socket. */
export const overHttp = (dialect: Dialect.Dialect): Layer.Layer<World> =>
  recording.pipe(
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.merge(Layer.effect(Place, Effect.map(Server.serve(), ({ baseUrl }) => ({ baseUrl, dialect })))),
    Layer.provideMerge(seeded(dialect)),
    Layer.orDie
  )

// -----------------------------------------------------------------------------

// Clients
// -----------------------------------------------------------------------------

/** Replacements for the client's defaults. A transport among them may use the test's `HttpClient` and its recorder. */
type Shared = Exchange.Shared<never, never, HttpClient.HttpClient | Recorder>

/**
 * A client for an account. A test builds only one client per key, because two clients with one key might use the same
 * nonce.
 */
export const clientOf = <T = HttpClient.HttpClient>(
  account: Account,
  shared: Exchange.Shared<never, never, T> = {}
): Layer.Layer<Exchange.Services, never, Place | T> =>
  Layer.unwrap(
    Effect.map(Place, (place) => Exchange.layer({ ...place, credentials: credentialsOf(account), ...shared }))
  ).pipe(Layer.orDie)

/** The services of bob's client. */
export class Bob extends Context.Service<Bob, Context.Context<Exchange.Services>>()("test/Bob") {}

/** Makes calls with bob's key. */
export const asBob = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Exchange.Services> | Bob> =>
  Effect.flatMap(Bob, (services) => Effect.provideContext(effect, services))

/** An exchange, with alice's and bob's clients. */
export const exchange = (
  world: Layer.Layer<World>,
  shared: Shared = {}
): Layer.Layer<World | Exchange.Services | Bob> =>
  clientOf(alice, shared).pipe(
    Layer.merge(Layer.effect(Bob, Layer.build(Layer.fresh(clientOf(bob, shared))))),
    Layer.provideMerge(world)
  )

/** Turns off retries of reads. */
export const once = Effect.provideService(Call.ReadRetry, [])

// -----------------------------------------------------------------------------

// Requests
// -----------------------------------------------------------------------------

/** Converts a number computed by a test to an amount. */
export const amountOf = (value: number): Decimal.Amount => Result.getOrThrow(Decimal.parseAmount(value.toString()))

/** A stop-limit order that alice can pay for: 0.5 BTC for 500 USDT. */
export const stopLimit = {
  market: btcUsdt,
  side: "buy",
  amount: Decimal.amount("0.5"),
  price: Decimal.price("1000.00"),
  activationPrice: Decimal.price("990.5")
} as const

/** An OCO order within the bounds of its market. */
export const oco = {
  market: btcUsdt,
  side: "sell",
  amount: Decimal.amount("0.01"),
  price: Decimal.price("40000"),
  activationPrice: Decimal.price("41000"),
  stopLimitPrice: Decimal.price("41500")
} as const

// -----------------------------------------------------------------------------

// Exchanges that a test simulates
// -----------------------------------------------------------------------------

/** The services that a call needs, all available immediately. */
const ready = Layer.mergeAll(Nonce.layerWindow, Signer.layerNode, RateLimits.layerNone, MarketRules.layerNone)

/**
 * The services in `ready`. Each becomes available only after an asynchronous step, so that a call takes the
 * asynchronous path everywhere.
 */
const slow = Layer.effectContext(Effect.gen(function*() {
  const nonces = yield* Nonce.Nonce
  const signer = yield* Signer.Signer
  const limits = yield* RateLimits.RateLimits
  const rules = yield* MarketRules.MarketRules
  return Context.make(Nonce.Nonce, { ...nonces, use: (of, call) => Effect.suspend(() => nonces.use(of, call)) }).pipe(
    Context.add(Signer.Signer, { ...signer, sign: (payload) => Effect.suspend(() => signer.sign(payload)) }),
    Context.add(RateLimits.RateLimits, {
      bucket: (of, endpoint) => {
        const bucket = limits.bucket(of, endpoint)
        return { ...bucket, take: Effect.suspend(() => bucket.take) }
      }
    }),
    Context.add(MarketRules.MarketRules, { check: (order) => Effect.suspend(() => rules.check(order)) })
  )
})).pipe(Layer.provide(ready))

/**
 * A transport that allows a refused nonce to be retried. In process, there is no connection on which an old response
 * could arrive.
 */
const startingOver = Layer.effect(
  Transport.Transport,
  Effect.map(Transport.Transport, ({ send }) => ({
    send: (request) => Effect.map(send(request), (answer) => ({ ...answer, startOver: Effect.succeed(true) }))
  }))
).pipe(Layer.provide(HttpClientTransport.layer))

const answeredBy = (services: typeof ready, transport: typeof HttpClientTransport.layer = startingOver) =>
(
  answer: Answering,
  dialect: Dialect.Dialect = Dialect.document,
  nonce?: Nonce.Nonce["Service"]
): Layer.Layer<Exchange.Services | Recorder> =>
  Exchange.layerServices.pipe(
    Layer.provide(transport),
    Layer.provide(nonce === undefined ? Layer.empty : Layer.succeed(Nonce.Nonce, nonce)),
    Layer.provide(services),
    Layer.provide([
      Credentials.layer(credentialsOf(alice)),
      Region.layer({ baseUrl: "https://exchange.invalid", dialect })
    ]),
    Layer.provideMerge(answering(answer)),
    Layer.orDie
  )

/** Alice's client, with a function that responds to every request. Orders are not checked against the market rules. */
export const answered = answeredBy(ready)

/** Like `answered`, but with an `HttpClient` transport, over which a refused nonce is not retried. */
export const answeredOverHttpClient = answeredBy(ready, HttpClientTransport.layer)

/** The two code paths of a call: its services are available immediately, or need an asynchronous step. */
export const ways = [
  { way: "that are available immediately", answered },
  { way: "that need an asynchronous step", answered: answeredBy(slow) }
] as const
