import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { all } from "../../../src/endpoints/all.ts"
import * as Paths from "../../../src/protocol/Paths.ts"
import * as Routing from "../../../src/sandbox/gateway/Routing.ts"
import * as Unserved from "../../../src/sandbox/gateway/Unserved.ts"
import { dialects, raw, rawPublic, same, traders } from "../../support/trading.ts"

const paths = Unserved.subjects.flatMap(({ paths }) => paths)

/** Fills in a path's placeholders, as a caller would. */
const filled = (path: string) => path.replaceAll(/\{\w+\}/gu, "BTC_USDT")

describe("calls that the sandbox does not serve", () => {
  it("each unserved path is listed once, and is not in the contract", () => {
    assert.strictEqual(new Set(paths).size, paths.length)
    for (const path of paths) {
      assert.isUndefined(Routing.find(filled(path)), path)
      assert.isFalse(all.some((endpoint) => Paths.match(endpoint, filled(path)) !== undefined), path)
      assert.isDefined(Unserved.find(filled(path)), path)
    }
    assert.isUndefined(Unserved.find("/api/v4/convert"))
    assert.isUndefined(Unserved.find("/api/v2/public/depth"))
  })

  for (const dialect of dialects) {
    it.live(`unserved and unknown paths get different refusals in the ${dialect.name} dialect`, () =>
      Effect.gen(function*() {
        const { message, status } = dialect.refusals.notServed
        // ccxt replaces the body of an HTTP 404 with its own message.
        assert.strictEqual(status, 501)
        assert.notStrictEqual(message, dialect.refusals.notFound.message)
        for (const path of paths.map(filled)) {
          const isPublic = path.includes("/public/")
          same(yield* isPublic ? rawPublic(path) : raw(path, {}), {
            status,
            body: isPublic ? { success: false, message, params: [] } : { code: 0, message, errors: {} }
          })
        }
        // An unserved call is refused in the same way with or without a signature.
        same((yield* rawPublic("/api/v4/main-account/withdraw")).body, { code: 0, message, errors: {} })
        const { body } = yield* raw("/api/v4/main-account/withdrawals", {})
        same(body, { code: 0, message: dialect.refusals.notFound.message, errors: {} })
      }).pipe(Effect.provide(traders(dialect))))
  }
})
