/**
 * Opens the WebSocket connections of a session: to a server of the live exchange, to another URL, or to anything that
 * provides Effect's `Socket`.
 *
 * @example
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as Socket from "effect/socket/Socket"
 * import { Dialer } from "effect-txc"
 *
 * // The platform's own `WebSocket`: browsers, Bun, Deno, and Node 22 or later.
 * export const live = Dialer.layer({ region: "global" }).pipe(Layer.provide(Socket.layerWebSocketConstructorGlobal))
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as Region from "../Region.ts"

/**
 * The WebSocket servers of the live exchange. Source: the live exchange's documentation, WebSocket, "Overview", and its
 * change log of 2026-09-01.
 *
 * @category models
 */
export const servers = {
  /** The URL of the global server. */
  global: "wss://wss.whitebit.com/ws",
  /** The URL of the EU server. */
  eu: "wss://api.whitebit.eu/ws"
} as const satisfies Record<keyof typeof Region.servers, string>

/**
 * A server of the live exchange, or another server's URL, such as a sandbox's `ws://127.0.0.1:8080/ws`.
 *
 * @category models
 */
export type Options = Region.Live | {
  /** The WebSocket's URL. Use `wss`, because over `ws` others on the network can read the token. */
  readonly url: string
}

/**
 * Returns the URL of an exchange's WebSocket: `/ws` under the base URL or, for the live exchange's base URLs, the URL
 * of its WebSocket server.
 *
 * @category constructors
 */
export const urlOf = (baseUrl: string): string => {
  const origin = baseUrl.replace(/\/+$/u, "")
  const region = (["global", "eu"] as const).find((region) => Region.servers[region] === origin)
  return region === undefined ? `${origin.replace(/^http/u, "ws")}/ws` : servers[region]
}

/**
 * Creates the sockets for a session.
 *
 * @category services
 */
export class Dialer extends Context.Service<Dialer, {
  /**
   * Creates a socket for one connection. Sockets are not reused, because Effect's socket stores data that is written
   * while it is disconnected, and would send the data over its next connection before that connection is authorized.
   */
  readonly dial: Effect.Effect<Socket.Socket, never, Scope.Scope>
}>()("effect-txc/client/session/Dialer") {}

/**
 * Connects to a URL with the platform's `WebSocket`, or with the WebSocket of the package `ws`: provide
 * `Socket.layerWebSocketConstructorGlobal`, or `NodeWS.layerWebSocketConstructor` of `@effect/platform-node`.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Dialer, never, Socket.WebSocketConstructor> =>
  Layer.effect(
    Dialer,
    Socket.WebSocketConstructor.useSync((constructor) => ({
      dial: Socket.makeWebSocket("url" in options ? options.url : servers[options.region]).pipe(
        Effect.provideService(Socket.WebSocketConstructor, constructor)
      )
    }))
  )

/**
 * Connects through any layer that provides Effect's `Socket`, such as the socket of a sandbox in this process. The
 * layer is built once for each connection.
 *
 * @category layers
 */
export const layerSocket = <R = never>(socket: Layer.Layer<Socket.Socket, never, R>): Layer.Layer<Dialer, never, R> =>
  Layer.effect(
    Dialer,
    Effect.map(Effect.context<R>(), (context) => ({
      dial: Layer.build(Layer.fresh(socket)).pipe(
        Effect.map((built) => Context.get(built, Socket.Socket)),
        Effect.provideContext(context)
      )
    }))
  )
