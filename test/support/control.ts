/** The same sandbox with its control plane, both in process and over HTTP. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type { Control } from "../../src/sandbox/control/Control.ts"
import * as ControlApi from "../../src/sandbox/control/ControlApi.ts"
import * as ControlClient from "../../src/sandbox/control/ControlClient.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import type { Venue } from "../../src/sandbox/venue/Venue.ts"
import { setUp } from "./exchange.ts"
import type { signed } from "./signed.ts"

export const token = "the control token of a test"

/** The base URL of a test's sandbox. */
export class Base extends Context.Service<Base, string>()("test/Base") {}

export type World = Base | HttpClient.HttpClient | ControlClient.ControlClient | Venue | Control

/** `begin` sets up the sandbox. The default is `setUp` from `exchange.ts`. */
interface Options extends Sandbox.Options {
  readonly begin?: typeof setUp
}

/** A fresh sandbox without a socket. */
export const inProcess = ({ begin = setUp, ...options }: Options = {}): Layer.Layer<World> =>
  ControlClient.layer({ url: InProcess.baseUrl, token: Redacted.make(token) }).pipe(
    Layer.provideMerge(Layer.effectDiscard(begin)),
    Layer.provideMerge(Sandbox.layer({ ...options, controlToken: token })),
    Layer.merge(Layer.succeed(Base, InProcess.baseUrl)),
    Layer.orDie,
    Layer.fresh
  )

export const overHttp = ({ begin = setUp, ...options }: Options = {}): Layer.Layer<World> =>
  Layer.unwrap(Effect.map(Base, (url) => ControlClient.layer({ url, token: Redacted.make(token) }))).pipe(
    Layer.provideMerge(NodeHttpClient.layerUndici),
    Layer.provideMerge(Layer.effect(Base, Effect.map(Server.serve({ controlToken: token }), ({ baseUrl }) => baseUrl))),
    Layer.provideMerge(Layer.effectDiscard(begin)),
    Layer.provideMerge(Sandbox.layer(options)),
    Layer.orDie,
    Layer.fresh
  )

/** Sandboxes of both kinds, in both dialects. */
export const worlds: ReadonlyArray<readonly [string, Dialect.Dialect, Layer.Layer<World>]> = [
  Dialect.document,
  Dialect.live
].flatMap((dialect) => [
  [`in process, ${dialect.name}`, dialect, inProcess({ dialect })] as const,
  [`over HTTP, ${dialect.name}`, dialect, overHttp({ dialect })] as const
])

/** Sends a raw request to the control plane. Returns the status and the text. */
export const send = Effect.fnUntraced(function*(
  method: "GET" | "POST" | "OPTIONS",
  name: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {}
) {
  const type = headers["content-type"] ?? "application/json"
  const request = HttpClientRequest.make(method)((yield* Base) + ControlApi.prefix + name).pipe(
    (request) => body === undefined ? request : HttpClientRequest.bodyText(request, body, type),
    HttpClientRequest.setHeaders({ authorization: `Bearer ${token}`, ...headers })
  )
  const response = yield* HttpClient.execute(request)
  return [response.status, yield* response.text] as const
})

/** Makes a raw signed call, over any transport. */
export const post = Effect.fnUntraced(function*(request: ReturnType<typeof signed>) {
  const { "content-type": type, ...headers } = request.headers as Readonly<Record<string, string>>
  const response = yield* HttpClient.execute(
    HttpClientRequest.post((yield* Base) + request.path).pipe(
      HttpClientRequest.bodyUint8Array(request.body, type ?? ""),
      HttpClientRequest.setHeaders(headers)
    )
  )
  return { status: response.status, body: yield* response.text }
})
