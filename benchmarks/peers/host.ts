/** Serves a host over HTTP. Argument: the host's folder and its maximum number of awake venues, as JSON. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Scope from "effect/Scope"
import { ControlApi, Host, HostServer } from "../../src/sandbox/index.ts"
import { serve } from "../harness/children.ts"
import { account } from "./account.ts"

/** The folder of the venues, and the maximum number of awake venues. */
export interface Options {
  readonly folder: string
  readonly maxAwake: number
}

/** A task for the host. */
export type Message =
  | { readonly make: number }
  | { readonly wake: readonly [from: number, to: number] }
  | { readonly trade: readonly [from: number, to: number] }
  | "cpu"
  | "rss"

const { folder, maxAwake } = JSON.parse(process.argv[2] ?? "") as Options

const options = { folder, maxAwake, maxVenues: 100_000, maxPerOwner: 100_000, idleMillis: 3_600_000 }
const runtime = ManagedRuntime.make(Layer.fresh(Host.layer(options)))
const run = <A, E>(effect: Effect.Effect<A, E, Host.Host>) => runtime.runPromise(effect)

const port = await run(Effect.gen(function*() {
  const { baseUrl } = yield* Scope.provide(HostServer.serve(), runtime.scope)
  return Number(new URL(baseUrl).port)
}))

const venues: Array<Host.Made> = []

const make = Effect.gen(function*() {
  const host = yield* Host.Host
  venues.push(yield* host.make({ owner: "bench" }))
})

/** Wakes a venue with a public call. */
const ping = ({ url }: Host.Made) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/api/v4/public/ping`)
    if (!answer.ok) throw new Error(await answer.text())
  })

const own = ({ controlToken, url }: Host.Made, operation: string, fields: object) =>
  Effect.promise(async () => {
    const answer = await fetch(url + ControlApi.prefix + operation, {
      method: "POST",
      headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
      body: JSON.stringify(fields)
    })
    if (!answer.ok) throw new Error(await answer.text())
  })

/** Opens an account in a venue, with practically unlimited funds and without a rate limit, as in the other rows. */
const endow = Effect.fnUntraced(function*(venue: Host.Made) {
  yield* own(venue, "OpenAccount", { account: "bench", b2b: true })
  yield* own(venue, "AddKey", { account: "bench", ...account, title: "", type: "1", enabled: true })
  yield* own(venue, "Fund", { account: "bench", wallet: "trade", ticker: "USDT", amount: "1000000000000" })
  yield* own(venue, "Limit", { limit: { calls: Number.MAX_SAFE_INTEGER, perSeconds: 1 } })
})

/** Measures the cost of an effect per item, in microseconds of CPU and wall time. */
const timed = async (count: number, effect: Effect.Effect<unknown, unknown, Host.Host>) => {
  const before = process.cpuUsage()
  const start = performance.now()
  await run(effect)
  const wall = (performance.now() - start) * 1000 / count
  const { system, user } = process.cpuUsage(before)
  return { cpu: (system + user) / count, wall }
}

serve(port, async (message: Message) => {
  if (message === "cpu") return process.cpuUsage()
  if (message === "rss") return process.memoryUsage.rss()
  if ("make" in message) {
    return timed(message.make, Effect.repeat(make, { times: message.make - 1 }))
  }
  const [from, to] = "wake" in message ? message.wake : message.trade
  const chosen = venues.slice(from, to)
  if ("wake" in message) return timed(chosen.length, Effect.forEach(chosen, ping, { discard: true }))
  await run(Effect.forEach(chosen, endow, { discard: true }))
  return chosen.map(({ id }) => `/v/${id}`)
})
