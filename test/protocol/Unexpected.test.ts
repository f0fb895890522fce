import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as StopLimitOrders from "../../src/endpoints/StopLimitOrders.ts"
import * as SubAccounts from "../../src/endpoints/SubAccounts.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"

describe("request fields that do not exist", () => {
  it("the client refuses a request with an unknown field before sending it, and names the field", () => {
    const { encodeRequest } = Endpoint.codec(SubAccounts.endpoint, Dialect.document)
    const misspelled: object = { limt: 1 }
    assert.deepStrictEqual(
      encodeRequest(misspelled),
      Result.fail([{ field: "limt", constraint: { kind: "expected" } }])
    )
  })

  it("the client refuses a client order id under its wire key instead of dropping it", () => {
    const { encodeRequest } = Endpoint.codec(StopLimitOrders.endpoint, Dialect.document)
    assert.isTrue(Result.isFailure(encodeRequest({ client_order_id: "mine" } as never)))
  })

  it("the exchange ignores an unknown request field", () => {
    const { decodeRequest } = Endpoint.codec(SubAccounts.endpoint, Dialect.document)
    assert.deepStrictEqual(decodeRequest({ limt: 1 }), Result.succeed({}))
  })
})
