/** Targets for the oracle: sandboxes in this process and behind a socket, with their control planes. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import * as Dialer from "../../src/client/session/Dialer.ts"
import type * as Rule from "../../src/oracle/Rule.ts"
import { rules as allRules } from "../../src/oracle/Rules.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Accounts from "../../src/oracle/world/Accounts.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import type * as World from "../../src/oracle/world/World.ts"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import { prefix } from "../../src/sandbox/control/ControlApi.ts"
import * as Host from "../../src/sandbox/host/Host.ts"
import * as HostServer from "../../src/sandbox/host/HostServer.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { isLong } from "./long.ts"

const token = "oracle-control-token"

const control = (baseUrl: string): Target.ControlPlane => ({
  url: baseUrl + prefix,
  token: Redacted.make(token)
})

/** Returns at most `most` elements of a list, evenly spaced. */
const spread = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<A> =>
  all.length <= most ? all : Array.from({ length: most }, (_, index) => all[Math.floor(index * all.length / most)] as A)

/**
 * All rules. In a short test run, each rule tries at most two of its examples, because most examples try the same fault
 * on another path. In a long test run, as in CI, it tries all of them.
 */
export const rules: ReadonlyArray<Rule.Rule> = isLong ? allRules : allRules.map((rule) => ({
  ...rule,
  property: { ...rule.property, examples: (setting) => spread(rule.property.examples(setting), 2) }
}))

/** Creates a fresh sandbox in this process. Its venue can be a mutant. */
export const inProcess = (
  dialect: Dialect,
  venue: Layer.Layer<Venue.Venue> = Venue.layer({ dialect }).pipe(Layer.orDie)
) =>
  Target.fromLayer(
    Layer.merge(InProcess.layerWith({ controlToken: token }), InProcess.layerDialer).pipe(
      Layer.provide(Layer.fresh(venue))
    ),
    { baseUrl: InProcess.baseUrl, dialect, control: control(InProcess.baseUrl) }
  )

/** Makes calls over sockets, and opens WebSockets at this base URL. */
const sockets = (baseUrl: string) =>
  Layer.merge(
    NodeHttpClient.layerUndici,
    Dialer.layer({ url: Target.streamsUrl(baseUrl) }).pipe(Layer.provide(Socket.layerWebSocketConstructorGlobal))
  )

/** Creates a fresh sandbox behind a local socket. */
export const overHttp = Effect.fnUntraced(function*(
  dialect: Dialect,
  venue: Layer.Layer<Venue.Venue> = Venue.layer({ dialect }).pipe(Layer.orDie)
) {
  const context = yield* Layer.build(Layer.fresh(venue))
  const { baseUrl } = yield* Server.serve({ controlToken: token }).pipe(Effect.provideContext(context))
  return yield* Target.fromLayer(sockets(baseUrl), { baseUrl, dialect, control: control(baseUrl) })
})

/** Creates a venue on a fresh host behind a local socket, under the venue's path. */
export const hosted = Effect.fnUntraced(function*(dialect: Dialect) {
  const context = yield* Layer.build(Layer.fresh(Layer.orDie(Host.layer())))
  const { controlToken, controlUrl, url } = yield* Effect.gen(function*() {
    yield* HostServer.serve()
    return yield* Host.Host.use(({ make }) => make({ dialect: dialect.name }))
  }).pipe(Effect.provideContext(context))
  return yield* Target.fromLayer(sockets(url), {
    baseUrl: url,
    dialect,
    control: { url: controlUrl, token: Redacted.make(controlToken) }
  })
})

/** Opens an account with funds, and sets a market's price, so that a check can run without the control plane. */
export const account = Effect.fnUntraced(function*(target: Target.Target) {
  const { world } = Session.make(target, "control", yield* Target.now).world()
  yield* world.market
  const account = yield* world.open({ isFunded: false })
  for (const fund of Accounts.funds) yield* world.control("Fund", { account: account.id, ...fund })
  return account
})

/** Returns the ids of a sandbox's accounts. */
export const accounts = Effect.fnUntraced(function*({ control, send }: Target.Target) {
  const { token, url = "" } = control ?? {}
  const headers = { authorization: `Bearer ${token === undefined ? "" : Redacted.value(token)}` }
  const { json } = yield* send({ method: "GET", path: `${url}Accounts`, headers })
  return (json as ReadonlyArray<{ readonly account: string }>).map(({ account }) => account)
})

/** Lists an account's open orders with another key, because the first key's nonces may be ahead of the clock. */
export const openOrders = Effect.fnUntraced(function*(target: Target.Target, { id }: World.Account) {
  const { world } = Session.make(target, "control", yield* Target.now).world()
  const apiKey = world.unique("other")
  const apiSecret = `${apiKey}-secret`
  yield* world.control("AddKey", { account: id, apiKey, apiSecret, title: "other", type: "1", enabled: true })
  const other = { id, apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret), isExclusive: true }
  return (yield* world.call(other, Paths.activeOrders)).json
})
