import { Dialect, Exchange, Identifiers, MainBalance } from "effect-txc"
import type { Provided } from "effect-txc/sandbox/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { beforeEach, expect, inject, test } from "vitest"

const { controlToken, controlUrl, dialect, keys: { alice }, url }: Provided = inject("effect-txc/sandbox")

const control = (operation: string, fields: object = {}) =>
  fetch(controlUrl + operation, {
    method: "POST",
    headers: { Authorization: `Bearer ${controlToken}`, "Content-Type": "application/json" },
    body: JSON.stringify(fields)
  })

const exchange = Exchange.layer({
  baseUrl: url,
  dialect: Dialect.byName[dialect],
  credentials: { apiKey: Redacted.make(alice.apiKey), apiSecret: Redacted.make(alice.apiSecret) }
}).pipe(Layer.provide(FetchHttpClient.layer))

const balance = MainBalance.MainBalance.use(({ of }) => of(Identifiers.ticker("BTC"))).pipe(Effect.provide(exchange))

beforeEach(() => control("Reset"))

test.each(["1", "2"])("funding adds %s BTC to the balance", async (amount) => {
  await control("Fund", { account: "alice", wallet: "main", ticker: "BTC", amount })
  expect(Number(await Effect.runPromise(balance))).toBe(0.5 + Number(amount))
})
