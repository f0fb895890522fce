import { assert, describe, it } from "@effect/vitest"
import { json, type Request, reset } from "../../../src/sandbox/gateway/Message.ts"
import * as Traffic from "../../../src/sandbox/gateway/Traffic.ts"

const request = (body: string, headers: Request["headers"] = {}): Request => ({
  method: "POST",
  path: "/api/v4/main-account/codes/apply",
  headers,
  body: Buffer.from(body),
  from: "test"
})

const shownOf = (asked: Request, answer: object) => {
  const traffic = Traffic.make()
  traffic.add(1, asked, json(200, answer))
  const kept = traffic.get(1)
  assert.isDefined(kept)
  return Traffic.show(kept, ["the-secret-of-a-key"])
}

describe("the traffic of the latest calls", () => {
  it("the traffic log shows no keys, signatures, codes, passphrases or secrets, however they are encoded", () => {
    const headers = { "x-txc-apikey": "KEY", "x-txc-signature": "SIGNATURE", cookie: "COOKIE", accept: "*/*" }
    const shown = JSON.stringify([
      shownOf(request(`{"c\\u006fde":"CODE","passphrase":"PASS"}`, headers), {
        secretKey: "MADE",
        note: "the-secret-of-a-key"
      }),
      shownOf(request(`{"amount":"1","code":"CODE, and no end`), {})
    ])
    for (const secret of ["KEY\"", "SIGNATURE", "COOKIE", "CODE", "PASS", "MADE", "the-secret-of-a-key"]) {
      assert.notInclude(shown, secret)
    }
    assert.include(shown, "*/*")
  })

  it("the traffic log truncates long requests, and stores only the latest calls", () => {
    const traffic = Traffic.make()
    for (let number = 1; number <= Traffic.kept + 1; number++) {
      traffic.add(number, request("x".repeat(5000)), json(200, { long: "y".repeat(5000) }))
    }
    assert.isUndefined(traffic.get(1))
    const kept = traffic.get(2)
    assert.strictEqual(kept?.request.body.length, 4096)
    assert.isFalse(kept?.whole)
    const long = { ...request("x"), path: `/${"p".repeat(9000)}`, headers: { cookie: "c".repeat(9000) } }
    traffic.add(3, long, json(200, {}))
    assert.isBelow(JSON.stringify(traffic.get(3)?.request).length, 1000)
    assert.isFalse(traffic.get(3)?.whole)
  })

  it("a reused slot in the traffic log contains nothing from its previous call", () => {
    const traffic = Traffic.make()
    traffic.add(1, { ...request("x", { accept: "*/*" }), query: "a=1" }, json(200, { done: true }))
    const kept = traffic.get(1)
    traffic.add(1 + Traffic.kept, request(""), reset)
    assert.isUndefined(traffic.get(1))
    const later = traffic.get(1 + Traffic.kept)
    assert.isDefined(kept)
    assert.isDefined(later)
    assert.deepStrictEqual(Traffic.show(later, []), {
      query: "",
      headers: {},
      body: "",
      answerHeaders: {},
      answer: ""
    })
    // A record that was read earlier keeps its content.
    assert.deepInclude(Traffic.show(kept, []), { query: "a=1", status: 200, answer: "{\"done\":true}" })
  })

  it("storing a body does not keep the larger buffer around it in memory", () => {
    const traffic = Traffic.make()
    const all = new Uint8Array(65_536)
    traffic.add(1, { ...request("x"), body: all.subarray(0, 10) }, json(200, {}))
    assert.strictEqual(traffic.get(1)?.request.body.buffer.byteLength, 10)
    // A long body is truncated to a copy. A short body that fills its entire buffer is stored without a copy.
    traffic.add(2, { ...request("x"), body: all }, json(200, {}))
    assert.strictEqual(traffic.get(2)?.request.body.buffer.byteLength, 4096)
    const own = new Uint8Array(10)
    traffic.add(3, { ...request("x"), body: own }, json(200, {}))
    assert.strictEqual(traffic.get(3)?.request.body, own)
  })
})
