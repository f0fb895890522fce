/**
 * Tests how error bodies are classified, for every endpoint and every HTTP status. An error body is never classified as
 * a success, and is classified as "not applied" only if that is proven.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Classify from "../../src/protocol/Classify.ts"
import type * as Dialect from "../../src/protocol/Dialect.ts"
import type * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import { entries, type Entry } from "../endpoints/fixtures/all.ts"
import { dialects } from "../support/exchange.ts"
import { property } from "../support/property.ts"

type Body = Readonly<Record<string, unknown>>

const keep = (text: string): string => text

const judge = (endpoint: Endpoint.Any, dialect: Dialect.Dialect, status: number, text: string) =>
  Classify.classify(endpoint, dialect, { status, text, scrub: keep })

const statuses = fc.oneof(
  fc.constantFrom(200, 201, 202, 204, 299, 400, 401, 403, 404, 408, 409, 421, 422, 425, 429, 453, 499, 500, 503),
  fc.integer({ min: 200, max: 599 })
)

const anyCode = fc.oneof(
  fc.constantFrom<unknown>(0, 1, 10, 30, 116, "30", "", null, 1.5, true, 2n ** 70n, []),
  fc.integer()
)

const anyMessage = fc.constantFrom<unknown>(
  "Validation failed",
  "Too many requests.",
  "Unauthorized request.",
  "upstream request timeout",
  "",
  5,
  null,
  { market: ["x"] },
  [["x"]]
)

const anyErrors = fc.constantFrom<unknown>({}, { market: ["x"] }, [], null, "none", 0)

/** Generates bodies that resemble errors, either alone or mixed with a success. */
const bodies = ({ golden }: Entry, dialect: Dialect.Dialect): fc.Arbitrary<Body> => {
  const { response } = golden.wire[dialect.name]
  const success = Json.isObject(response) ? response : {}
  return fc.tuple(
    fc.record(
      { code: anyCode, message: anyMessage, errors: anyErrors, success: fc.constantFrom<unknown>(false, true, "no") },
      { requiredKeys: [] }
    ),
    fc.constantFrom({}, {}, {}, success, { order_id: 7 }, { result: { orderId: 7 } }, { proxy: "nginx" })
  ).map(([error, other]) => ({ ...other, ...error }))
}

/** Decides whether a body is an error in the document or on the live exchange, independently of the library. */
const isError = ({ code, message, success }: Body): boolean =>
  success === false ||
  (message !== undefined && (typeof code === "bigint" || (typeof code === "number" && Number.isInteger(code))))

const isProof = (dialect: Dialect.Dialect, status: number, { code, errors, message, success }: Body): boolean => {
  if (status >= 500 || (status >= 300 && status < 400) || status === 408 || status === 421) return false
  const namesFields = typeof errors === "object" && errors !== null && !Array.isArray(errors)
  const namesNone = dialect.name === "live" && (errors === undefined || errors === null || Array.isArray(errors))
  return typeof code === "number" && Number.isSafeInteger(code) && typeof message === "string" &&
    success === undefined && (namesFields || namesNone)
}

const isOrderId = (value: unknown): boolean =>
  typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)

const hasOrderId = (value: unknown): boolean =>
  Json.isObject(value) &&
  Object.entries(value).some(([key, inner]) =>
    ["id", "order_id", "orderId"].includes(key) ? isOrderId(inner) : hasOrderId(inner)
  )

for (const dialect of dialects) {
  describe(`error bodies in the ${dialect.name} dialect`, () => {
    for (const entry of entries) {
      const { endpoint } = entry
      property(
        `${dialect.name}: ${endpoint.name} never reads an error body as a success, and needs proof for "not applied"`,
        [statuses, bodies(entry, dialect)],
        (status, body) =>
          Effect.sync(() => {
            const verdict = judge(endpoint, dialect, status, Json.stringify(body))
            if (isError(body)) assert.notStrictEqual(verdict._tag, "Answered")
            if (!endpoint.mutates || verdict._tag !== "Refused") return
            if (verdict.error.outcome !== "not-applied") return
            assert.isTrue(isProof(dialect, status, body), `${verdict.error._tag} for HTTP ${status}`)
            if (endpoint.errorFamily === "order") assert.isFalse(hasOrderId(body), "an order id contradicts that")
          }),
        { runs: 300 }
      )

      property(
        `${dialect.name}: ${endpoint.name} reads an error body in the exchange's own format as a refusal, unless its HTTP status proves nothing`,
        [statuses, fc.integer(), fc.string()],
        (status, code, message) =>
          Effect.sync(() => {
            const body = { code, message, errors: {} }
            if (endpoint.access === "public" || !isProof(dialect, status, body)) return
            assert.strictEqual(judge(endpoint, dialect, status, Json.stringify(body))._tag, "Refused")
          })
      )
    }

    it(`${dialect.name}: a response in which an object repeats a key is not a success`, () => {
      for (const { endpoint, golden } of entries) {
        const { response } = golden.wire[dialect.name]
        const text = response === undefined ? "" : Json.stringify(response as object)
        assert.strictEqual(judge(endpoint, dialect, 200, text)._tag, "Answered", endpoint.name)
        const twice = text.replace(/"([^"]+)":/u, (key) => `${key}null,${key}`)
        if (twice === text) continue
        const verdict = judge(endpoint, dialect, 200, twice)
        assert.deepInclude(verdict, { _tag: "Uncertain", why: "unreadable-answer" }, endpoint.name)
      }
    })
  })
}

describe("parsing without repeated keys", () => {
  property("parseUnique reads any text that JSON.stringify writes", [fc.jsonValue()], (value) =>
    Effect.sync(() => {
      for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 2)]) {
        assert.deepStrictEqual(Json.parseUnique(text), Json.parse(text))
      }
    }), { runs: 2000 })

  property(
    "parseUnique rejects an object with a repeated key, at any depth and however the key is escaped",
    [fc.string(), fc.jsonValue(), fc.jsonValue(), fc.nat(5), fc.boolean()],
    (key, one, other, depth, escaped) =>
      Effect.sync(() => {
        const quoted = JSON.stringify(key)
        const again = escaped
          ? `"${
            [...Array(key.length).keys()].map((at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
          }"`
          : quoted
        let text = `{${quoted}:${JSON.stringify(one)} , ${again} :${JSON.stringify(other)}}`
        for (let at = 0; at < depth; at++) text = at % 2 === 0 ? `[1,${text}]` : `{"x":${text}}`
        assert.isTrue(Result.isSuccess(Json.parse(text)))
        assert.deepStrictEqual(Json.parseUnique(text), Result.fail(Json.repeatedKey))
      }),
    { runs: 1000 }
  )
})
