/**
 * A sandbox of the exchange, in the same process or over HTTP.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Redacted from "effect/Redacted"
 * import { Dialect, Exchange, MainBalance } from "effect-txc"
 * import { Example, InProcess, Sandbox } from "effect-txc/sandbox"
 *
 * // The client against a sandbox in the same process.
 * const client = Exchange.layer({
 *   baseUrl: InProcess.baseUrl,
 *   dialect: Dialect.document,
 *   credentials: { apiKey: Redacted.make(Example.alice.apiKey), apiSecret: Redacted.make(Example.alice.apiSecret) }
 * })
 * const balances = MainBalance.MainBalance.use(({ all }) => all).pipe(
 *   Effect.provide(Layer.provideMerge(client, Layer.provideMerge(Layer.effectDiscard(Example.setUp), Sandbox.layer())))
 * )
 * ```
 */
export * as Control from "./control/Control.ts"
export * as ControlApi from "./control/ControlApi.ts"
export * as ControlClient from "./control/ControlClient.ts"
export * as Example from "./Example.ts"
export * as Faults from "./gateway/Faults.ts"
export * as Feed from "./venue/Feed.ts"
export * as Host from "./host/Host.ts"
export * as HostApi from "./host/HostApi.ts"
export * as HostServer from "./host/HostServer.ts"
export * as InProcess from "./server/InProcess.ts"
export * as Placement from "./host/Placement.ts"
export * as Journal from "./store/Journal.ts"
export * as RequestRecord from "./gateway/RequestRecord.ts"
export * as Sandbox from "./Sandbox.ts"
export * as Server from "./server/Server.ts"
export * as Venue from "./venue/Venue.ts"
