/** Set-up shared by the ccxt tests: one exchange per test, and a client for each of its accounts. */
import * as Ccxt from "ccxt"
import assert from "node:assert/strict"
import { it } from "node:test"
import { alice, bob, open } from "./venue.ts"

export const btc = "BTC/USDT"
export const perpetual = "BTC/USDT:USDT"

let last = 0

/** Returns the next nonce, which is greater than the last one even within a millisecond. */
export const nonce = () => last = Math.max(Date.now(), last + 1)

/** The latest nonce, which is also the greatest. */
export const lastNonce = () => last

/** Creates a ccxt client with a key and the sandbox's address. */
export const client = (baseUrl, { apiKey, apiSecret }, options = {}) => {
  const exchange = new Ccxt.whitebit({ apiKey, secret: apiSecret, enableRateLimit: false, nonce, options })
  exchange.urls.api = {
    v1: { public: `${baseUrl}/api/v1/public`, private: `${baseUrl}/api/v1` },
    v2: { public: `${baseUrl}/api/v2/public` },
    v4: { public: `${baseUrl}/api/v4/public`, private: `${baseUrl}/api/v4` }
  }
  return exchange
}

/** Defines a test with its own exchange, at a price of 50000, and a client for each of its two accounts. */
export const test = (title, body) =>
  it(title, { timeout: 30_000 }, async () => {
    const venue = await open()
    try {
      await venue.movePrice("BTC_USDT", "50000")
      await venue.movePrice("BTC_PERP", "50000")
      const as = (key, options) => client(venue.baseUrl, key, options)
      await body({ venue, as, alice: as(alice), bob: as(bob) })
    } finally {
      await venue.close()
    }
  })

/**
 * Fails unless the error has exactly this ccxt class. A subclass, such as `PermissionDenied` for `AuthenticationError`,
 * also fails.
 */
export const fails = async (call, expected) => {
  const error = await call.then(() => undefined, (error) => error)
  assert.equal(error?.constructor.name, expected.name, error?.message ?? "it did not fail")
}

/** Picks some fields of an object. */
export const pick = (order, ...keys) => Object.fromEntries(keys.map((key) => [key, order[key]]))
