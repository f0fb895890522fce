/**
 * The exchange that the ccxt tests call, in the live dialect: either an in-memory sandbox in this process, or a venue
 * on a host in this or another process.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { ControlApi, Example, Faults, Host, HostServer, Sandbox, Server } from "../../src/sandbox/index.ts"

/** One of alice's keys, which can only list her open orders. */
export const restricted = { apiKey: "alice-restricted-key", apiSecret: "alice-restricted-secret" }

/** One of alice's keys, which is disabled. */
export const disabled = { apiKey: "alice-disabled-key", apiSecret: "alice-disabled-secret" }

export const { alice, bob } = Example
export const { answerLost, badGateway } = Faults

const key = { operation: "AddKey", account: alice.account, title: "ccxt", type: "1", enabled: true }

/** Additions to the example: a key that can only list open orders, a disabled key, and funds for bob. */
const additions: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly operation: string }> = [
  { ...key, ...restricted, endpoints: [{ name: "/api/v4/orders", title: "Open orders" }] },
  { ...key, ...disabled, enabled: false },
  ...[["BTC", "2"], ["USDT", "100000"]].flatMap(([ticker, amount]) =>
    ["trade", "collateral"].map((wallet) => ({ operation: "Fund", account: bob.account, wallet, ticker, amount }))
  )
]

/** Operations that add the example's keys to a venue on a host. Such a venue starts with other keys. */
const usualKeys = [alice, bob].map((account) => ({ ...key, ...account, type: "2" }))

/** Serves an exchange, and its control plane on a separate port. */
const alone = Effect.fnUntraced(function*(dialect: Dialect.Dialect) {
  const controlToken = "the token of these tests"
  const context = yield* Layer.build(Layer.fresh(Sandbox.layer({ dialect })))
  return yield* Effect.gen(function*() {
    yield* Example.setUp
    const { baseUrl } = yield* Server.serve({ controlToken })
    return { url: baseUrl, controlUrl: baseUrl + ControlApi.prefix, controlToken, more: additions }
  }).pipe(Effect.provideContext(context))
})

/** Serves a host with two venues, each under its own path, and returns the second venue. */
const hosted = Effect.fnUntraced(function*({ name }: Dialect.Dialect) {
  const context = yield* Layer.build(Layer.fresh(Host.layer()))
  return yield* Effect.gen(function*() {
    const host = yield* Host.Host
    yield* HostServer.serve()
    yield* host.make({ dialect: name })
    return { ...(yield* host.make({ dialect: name })), more: [...usualKeys, ...additions] }
  }).pipe(Effect.provideContext(context))
})

/**
 * Creates a venue on the host at this address. `TXC_HOST_TOKEN` contains the host's token. The venue exists as long as
 * the host.
 */
const elsewhere = (address: string, { name }: Dialect.Dialect) =>
  Effect.promise(async () => {
    const answer = await fetch(`${address}${ControlApi.prefix}Venues`, {
      method: "POST",
      headers: { authorization: `Bearer ${process.env["TXC_HOST_TOKEN"]}`, "content-type": "application/json" },
      body: JSON.stringify({ dialect: name })
    })
    if (!answer.ok) throw new Error(await answer.text())
    return { ...(await answer.json() as Host.Made), more: [...usualKeys, ...additions] }
  })

/** Opens the exchange that `TXC_HOSTED` selects: a sandbox, or a venue on a host in this process or at an address. */
const opened = Effect.fnUntraced(function*(dialect: Dialect.Dialect, asked = process.env["TXC_HOSTED"]) {
  if (asked === undefined) return yield* alone(dialect)
  return asked.startsWith("http") ? yield* elsewhere(asked, dialect) : yield* hosted(dialect)
})

/** Opens the example's exchange, and gives bob funds too. If `TXC_HOSTED` is set, the exchange is a venue on a host. */
export const open = async (dialect = Dialect.live) => {
  const scope = Scope.makeUnsafe()
  const { controlToken, controlUrl, more, url } = await Effect.runPromise(Scope.provide(opened(dialect), scope))
  const post = async (operation: string, fields: object) => {
    const answer = await fetch(controlUrl + operation, {
      method: "POST",
      headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
      body: JSON.stringify(fields)
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  for (const { operation, ...fields } of more) await post(operation, fields)
  return {
    baseUrl: url,
    movePrice: (market: string, price: string) => post("MovePrice", { market, price }),
    /** Advances the exchange's clock. */
    advance: (millis: number) => post("AdvanceClock", { millis }),
    /** Sets a market's funding rate. */
    setFunding: (market: string, rate: string) => post("SetFunding", { market, rate }),
    /** Limits a path to this many calls every ten seconds. */
    limit: (path: string, calls: number) => post("Limit", { path, limit: { calls, perSeconds: 10 } }),
    /** Adds a fault that hits the next call to a path. */
    fault: (path: string, symptom: Faults.Symptom) => post("Faults", { path, symptom }),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
