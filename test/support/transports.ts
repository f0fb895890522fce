/** All of the client's transports. Tests for guarantees about transports run with each of them. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { Agent } from "undici"
import * as Account from "../../src/client/Account.ts"
import type * as Call from "../../src/client/call/Call.ts"
import * as Credentials from "../../src/client/Credentials.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as FetchTransport from "../../src/client/transport/FetchTransport.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import * as Transport from "../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../src/client/transport/UndiciTransport.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { alice, credentialsOf } from "./exchange.ts"
import { note, Recorder } from "./http.ts"

/** Returns a transport over one of Effect's HTTP clients. */
export const overClient = (http: Layer.Layer<HttpClient.HttpClient>): Layer.Layer<Transport.Transport> =>
  Layer.provide(HttpClientTransport.layer, http)

/** Effect's HTTP clients, keyed by implementation. */
export const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  "Effect's undici": NodeHttpClient.layerUndici,
  "node:http": NodeHttpClient.layerNodeHttp,
  "node:http that keeps connections": NodeHttpClient.layerNodeHttpOptions({ keepAlive: true }),
  "Effect's fetch": FetchHttpClient.layer
}

/** A transport over a dispatcher that this process never closes. */
export const overDispatcher = Layer.sync(
  Transport.Transport,
  () => UndiciTransport.fromDispatcher(new Agent({ allowH2: false }))
)

export const transports: Readonly<Record<string, Layer.Layer<Transport.Transport>>> = {
  "undici's dispatch": UndiciTransport.layer,
  "the platform's fetch": FetchTransport.layer,
  "a dispatcher that was supplied": overDispatcher,
  ...Object.fromEntries(Object.entries(clients).map(([name, http]) => [name, overClient(http)]))
}

/** Records every request before the transport sends it. */
export const recorded = (
  transport: Layer.Layer<Transport.Transport>
): Layer.Layer<Transport.Transport, never, Recorder> =>
  Layer.effect(
    Transport.Transport,
    Effect.gen(function*() {
      const { send } = yield* Transport.Transport
      const sent = yield* Recorder
      return {
        send: (request) => {
          const { body: bytes = new Uint8Array(), headers, method, url } = request
          const { pathname } = new URL(url)
          note(sent, { method, url, path: pathname, headers, bytes, body: new TextDecoder().decode(bytes) })
          return send(request)
        }
      }
    })
  ).pipe(Layer.provide(transport))

/** Returns a function that provides the services with Alice's calls to the exchange at the URL. */
export const client =
  <Services>(services: Layer.Layer<Services, never, Call.Call | Call.PublicCall | MarketRules.MarketRules>) =>
  (
    baseUrl: string,
    transport: Layer.Layer<Transport.Transport>,
    signer: typeof Signer.layerNode = Signer.layerNode
  ): Layer.Layer<Services> =>
    services.pipe(
      Layer.provide([Account.layerServices, MarketRules.layerNone]),
      Layer.provide([signer, Nonce.layerWindow, RateLimits.layerNone, transport]),
      Layer.provide([Credentials.layer(credentialsOf(alice)), Region.layer({ baseUrl, dialect: Dialect.document })]),
      Layer.orDie
    )

/** Provides all services with Alice's calls to the exchange at the URL. */
export const clientAt = client(Exchange.layerCalls)
