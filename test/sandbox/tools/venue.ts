import { Dialect, Exchange, Identifiers, MainBalance } from "effect-txc"
import type { Host } from "effect-txc/sandbox"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, expect, test } from "vitest"

const host = (method: string, operation: string, fields?: Host.MakeOptions) =>
  fetch(`${process.env["TXC_HOST_URL"]}/control/v1/${operation}`, {
    method,
    headers: { Authorization: `Bearer ${process.env["TXC_HOST_TOKEN"]}`, "Content-Type": "application/json" },
    ...(fields === undefined ? {} : { body: JSON.stringify(fields) })
  })

// A venue only for this file. If the tests do not delete it, it is deleted after its time to live.
const made = await host("POST", "Venues", { owner: "ci", dialect: "live", timeToLiveMillis: 600_000 })
const { id, keys, url } = await made.json() as Host.Made
afterAll(() => host("DELETE", `Venues/${id}`))

const exchange = Exchange.layer({
  baseUrl: url,
  dialect: Dialect.live,
  credentials: {
    apiKey: Redacted.make(keys["alice"]?.apiKey ?? ""),
    apiSecret: Redacted.make(keys["alice"]?.apiSecret ?? "")
  }
}).pipe(Layer.provide(FetchHttpClient.layer))

test("the venue has the example's balance", async () => {
  const balance = MainBalance.MainBalance.use(({ of }) => of(Identifiers.ticker("BTC"))).pipe(Effect.provide(exchange))
  expect(await Effect.runPromise(balance)).toBe("0.5")
})
