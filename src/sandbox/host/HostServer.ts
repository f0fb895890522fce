/**
 * Serves a host over HTTP. Each venue has a path, `http://HOST:PORT/v/{id}`; a host name, `http://{id}.localhost:PORT`,
 * if the machine resolves it; and its own port, if requested.
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
 * The options for serving a host.
 *
 * @category models
 */
export interface Options extends Listening.Options {
  /**
   * The public base URL of the host, such as a proxy's `https://exchange.example.com`. Its host name is added to
   * `allowHosts`.
   */
  readonly publicUrl?: string
}

const portOf = (url: string): string => Result.getOrElse(Result.try(() => new URL(url).port), () => "")

/** Replaces the port of a URL. */
const withPort = (url: string, port: number): string => url.replace(/:\d+$/u, `:${port}`)

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

/** Whether names under `localhost` reach a server that listens on this address. */
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
  const publicName = given?.replace(/^https?:\/\//u, "").replace(/\/.*$/u, "")
  const allowHosts = [...options.allowHosts ?? [], ...(publicName === undefined ? [] : [publicName])]
  const listening = { ...options, allowHosts }
  const listened = yield* Listening.listen(listening, yield* HostRouter.make(host), shared)
  const baseUrl = given ?? listened
  const openPort = (id: string, port: number): Effect.Effect<number, NotMade, Scope.Scope> =>
    Listening.listen({ ...listening, port }, HostRouter.ofVenue(host, id), shared).pipe(
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
