/**
 * Serves a host over HTTP. Its venues have paths, `http://HOST:PORT/v/{id}`; host names, `http://{id}.localhost:PORT`,
 * if the machine resolves them; and ports, if requested.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Host, HostServer } from "effect-txc/sandbox"
 *
 * // Serves a host on port 8080 until the program is interrupted.
 * const program = Effect.gen(function*() {
 *   const { baseUrl } = yield* HostServer.serve({ port: 8080 })
 *   yield* Effect.log(`The host listens on ${baseUrl}`)
 *   return yield* Effect.never
 * }).pipe(Effect.scoped, Effect.provide(Host.layer({ folder: "venues" })))
 * ```
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Listening from "../server/Listening.ts"
import type { Served } from "../server/Server.ts"
import { NotMade } from "./HostModels.ts"
import * as HostRouter from "./HostRouter.ts"
import { Host } from "./HostService.ts"

/**
 * Options to serve a host.
 *
 * @category models
 */
export interface Options extends Listening.Options {
  /**
   * The public base URL of the host, such as `https://exchange.example.com` of a proxy. Requests may name its host.
   * Without it they must name an IP address or this machine.
   */
  readonly publicUrl?: string
}

const portOf = (url: string): string => Result.getOrElse(Result.try(() => new URL(url).port), () => "")

/** The URL with a different port. */
const withPort = (url: string, port: number): string => url.replace(/:\d+$/u, `:${port}`)

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

/** Whether names under `localhost` lead to a server that listens on this address. */
const isNamed = (host: string): boolean => isLoopback(host) || host === "0.0.0.0" || host === "::"

/**
 * Serves the host in the context until the scope is closed. Returns the base URL.
 *
 * @category constructors
 */
export const serve = Effect.fnUntraced(function*(
  { publicUrl, ...options }: Options = {}
): Effect.fn.Return<Served, Listening.ListenFailed, Host | Scope.Scope> {
  const host = yield* Host
  const { host: address = "127.0.0.1" } = options
  const shared = Listening.share()
  const given = publicUrl?.replace(/\/+$/u, "")
  const names = [address, ...(given === undefined ? [] : [given.replace(/^https?:\/\//u, "").replace(/\/.*$/u, "")])]
  const listened = yield* Listening.listen(options, yield* HostRouter.make(host, names), shared)
  const baseUrl = given ?? listened
  const openPort = (id: string, port: number): Effect.Effect<number, NotMade, Scope.Scope> =>
    Listening.listen({ ...options, port }, HostRouter.ofVenue(host, id, names), shared).pipe(
      Effect.map((url) => Number(portOf(url))),
      Effect.mapError(({ message }) => new NotMade({ field: "port", message }))
    )
  const addresses = {
    baseUrl,
    portUrl: (port: number) => withPort(listened, port),
    ...(isNamed(address) ? { nameUrl: (id: string) => `http://${id}.localhost:${portOf(listened)}` } : {})
  }
  yield* host.servedAt(addresses, openPort)
  return { baseUrl }
})
