import { assert, describe, it } from "@effect/vitest"
import { identity } from "effect/Function"
import { endpoint as markets } from "../../src/endpoints/Markets.ts"
import { endpoint as orderBook } from "../../src/endpoints/OrderBooks.ts"
import { endpoint as newKey } from "../../src/endpoints/SubAccountApiKeyCreation.ts"
import * as Classify from "../../src/protocol/Classify.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Paths from "../../src/protocol/Paths.ts"

describe("fields in paths", () => {
  it("path fields are filled into the path, and removed from the other fields", () => {
    assert.deepStrictEqual(Paths.locate(orderBook, { market: "BTC_USDT", limit: "5" }), {
      path: "/api/v4/public/orderbook/BTC_USDT",
      fields: { limit: "5" }
    })
    assert.deepStrictEqual(Paths.locate(markets, {}), { path: "/api/v4/public/markets", fields: {} })
  })

  it("a field's value can't change the rest of the path", () => {
    for (const market of ["../../v4/order/new", "A_B?x=1", "A_B#", "A B/ß"]) {
      const { path } = Paths.locate(orderBook, { market })
      assert.match(path, /^\/api\/v4\/public\/orderbook\/[^/?#]+$/u)
      assert.deepStrictEqual(Paths.match(orderBook, path), { market })
    }
  })

  it("path fields are read only from paths that belong to the endpoint", () => {
    const cases: ReadonlyArray<readonly [string, Readonly<Record<string, string>> | undefined]> = [
      ["/api/v4/public/orderbook/BTC_USDT", { market: "BTC_USDT" }],
      ["/api/v4/public/orderbook/%zz", { market: "%zz" }],
      ["/api/v4/public/orderbook/", undefined],
      ["/api/v4/public/orderbook", undefined],
      ["/api/v4/public/orderbook/BTC_USDT/", undefined],
      ["/api/v4/public/trades/BTC_USDT", undefined]
    ]
    for (const [path, expected] of cases) assert.deepStrictEqual(Paths.match(orderBook, path), expected, path)
  })
})

describe("a new API key whose response can't be read", () => {
  it("if the response with a new API key can't be read, the error does not show the key's secret", () => {
    const text = `{"id":7,"apiKey":"k","apiSecret":"very-secret","title":null}`
    const verdict = Classify.classify(newKey, Dialect.live, { status: 201, text, scrub: identity })
    const shown = Classify.shown({ text, scrub: identity })
    assert.notInclude(shown + JSON.stringify(verdict), "very-secret")
    assert.include(shown, `"apiSecret":"<redacted>"`)
  })
})
