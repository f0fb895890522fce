/**
 * The library's operations: complete calls through its services, a call's own work without a socket, and decoding
 * responses.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { deepStrictEqual } from "node:assert"
import * as Credentials from "../../src/client/Credentials.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as FetchTransport from "../../src/client/transport/FetchTransport.ts"
import * as Transport from "../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../src/client/transport/UndiciTransport.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Identifiers from "../../src/domain/Identifiers.ts"
import * as Fees from "../../src/endpoints/Fees.ts"
import * as MainBalance from "../../src/endpoints/MainBalance.ts"
import * as StopLimitOrders from "../../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../../src/Exchange.ts"
import { document } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import type { Operations } from "../harness/operation.ts"
import { account, paths, wireOrder } from "./account.ts"
import { answers } from "./answers.ts"

const order: StopLimitOrders.Request = {
  market: Identifiers.marketName("BTC_USDT"),
  side: "buy",
  amount: Decimal.amount("0.0015"),
  price: Decimal.price("97250.25"),
  activationPrice: Decimal.price("97250.5"),
  clientOrderId: Result.getOrThrow(Identifiers.parseClientOrderId("bench-order-1"))
}

// -----------------------------------------------------------------------------
// Transports
// -----------------------------------------------------------------------------

/** The two transports: the one that the README recommends for Node, and `fetch`, which needs no package. */
const transports = {
  node: UndiciTransport.layerWith({ connections: 64 }),
  fetch: FetchTransport.layer
}

/** A transport that immediately returns a new order, without a socket. */
const layerCanned = Layer.succeed(Transport.Transport, {
  send: () => Effect.succeed({ status: 200, headers: {}, text: answers[paths.stopLimit] })
})

// -----------------------------------------------------------------------------
// Services
// -----------------------------------------------------------------------------

const credentials = Credentials.layer({
  apiKey: Redacted.make(account.apiKey),
  apiSecret: Redacted.make(account.apiSecret)
})

const exchange = (baseUrl: string) =>
  Exchange.layerServices.pipe(
    Layer.provide([Signer.layerNode, Nonce.layerWindow, RateLimits.layerNone, MarketRules.layerNone]),
    // In this dialect nonces count microseconds, so no call waits for a nonce.
    Layer.provide([Region.layer({ baseUrl, dialect: document }), credentials])
  )

/** The services, which live as long as the process. */
const services = (baseUrl: string, transport: Layer.Layer<Transport.Transport>) =>
  Effect.runPromise(
    Effect.gen(function*() {
      const context = yield* Layer.build(Layer.provide(exchange(baseUrl), transport))
      return yield* Effect.provideContext(
        Effect.all({
          orders: StopLimitOrders.StopLimitOrders,
          balance: MainBalance.MainBalance,
          fees: Fees.Fees
        }),
        context
      )
    }).pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe()))
  )

// -----------------------------------------------------------------------------
// Operations
// -----------------------------------------------------------------------------

/** Complete calls over HTTP. */
export const calls = async (baseUrl: string, transport: keyof typeof transports): Promise<Operations> => {
  const { balance, fees, orders } = await services(baseUrl, transports[transport])
  const create = () => Effect.runPromise(orders.create(order))
  return {
    order: { later: create },
    order64: { later: create, inFlight: 64 },
    balances: { later: () => Effect.runPromise(balance.all) },
    fees: { later: () => Effect.runPromise(fees.list) }
  }
}

/** A call's own work, without a socket. */
export const withoutSocket = async (baseUrl: string): Promise<Operations> => {
  const { orders } = await services(baseUrl, layerCanned)

  // For a fair comparison, the lower bound sends the same request.
  const { encodeRequest } = Endpoint.codec(StopLimitOrders.endpoint, document)
  deepStrictEqual(Result.getOrThrow(encodeRequest(order)), wireOrder)

  return { ownWork: { later: () => Effect.runPromise(orders.create(order)) } }
}

/** Decodes the text of a response into the domain value. */
export const decoding = async (): Promise<Operations> => {
  const decode = <E extends Endpoint.Any>(endpoint: E, text: string) => {
    const { decodeResponse } = Endpoint.codec(endpoint, document)
    return { now: () => Result.getOrThrow(decodeResponse(Result.getOrThrow(Json.parse(text)))) }
  }
  return {
    decodeOrder: decode(StopLimitOrders.endpoint, answers[paths.stopLimit]),
    decodeBalances: decode(MainBalance.endpoint, answers[paths.balances]),
    decodeFees: decode(Fees.endpoint, answers[paths.fees])
  }
}
