import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Assets from "../../src/endpoints/Assets.ts"
import * as SubAccountApiKeys from "../../src/endpoints/SubAccountApiKeys.ts"
import * as Classify from "../../src/protocol/Classify.ts"
import { type Dialect, document } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Errors from "../../src/protocol/Errors.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Rows from "../../src/protocol/Rows.ts"
import { InProcess } from "../../src/sandbox/index.ts"
import { entries, goldenIn } from "../endpoints/fixtures/all.ts"
import { alice, clientOf, dialects, Place } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { answering, json } from "../support/http.ts"

/** Returns the rows of a decoded response, or `undefined` if the response is not a list. */
const rowsOf = (answer: unknown): ReadonlyArray<unknown> | undefined => {
  if (answer instanceof Map) return [...answer]
  const rows = Json.isObject(answer) ? answer["records"] : answer
  return Array.isArray(rows) ? rows : undefined
}

/** A value that is not a valid row in any list. */
const noRow = { "not a row": 17 }

/** Adds `count` unreadable rows at the beginning of a response's list. */
const broken = (wire: unknown, count: number): unknown => {
  const wrong = Array.from({ length: count }, () => noRow)
  if (Array.isArray(wire)) return [...wrong, ...wire]
  const fields = Object(wire) as Readonly<Record<string, unknown>>
  const inside = ["data", "records", "result"].find((key) => key in fields)
  if (inside !== undefined) return { ...fields, [inside]: broken(fields[inside], count) }
  const [[first, rows] = []] = Object.entries(fields)
  return first !== undefined && Array.isArray(rows)
    ? { ...fields, [first]: [...wrong, ...rows] }
    : { ...Object.fromEntries(wrong.map((row, at) => [`!${at}`, row])), ...fields }
}

const classified = (endpoint: Endpoint.Any, dialect: Dialect, body: unknown) =>
  Classify.classify(endpoint, dialect, {
    status: 200,
    text: Json.stringify(body as object),
    scrub: (text) => text
  })

describe.each(dialects)("unreadable rows in the $name dialect", (dialect) => {
  const lists = entries.flatMap((entry) => {
    const { response, wire } = goldenIn(entry, dialect)
    const rows = rowsOf(response)
    return entry.endpoint.mutates || rows === undefined || rows.length === 0
      ? []
      : [{ endpoint: entry.endpoint, name: entry.endpoint.name, rows, wire: wire.response }]
  })

  it("the tests cover at least twenty endpoints that return lists", () => {
    assert.isAtLeast(lists.length, 20)
  })

  it.each(lists)("unreadable rows in a response to $name do not affect the other rows", ({ endpoint, rows, wire }) => {
    for (const count of [1, 3]) {
      const verdict = classified(endpoint, dialect, broken(wire, count))
      assert.deepInclude(verdict, { _tag: "Uncertain", rows: { readable: rows, unreadable: count } })
    }
  })

  it.each(lists)(
    "a response to $name with too many unreadable rows, or with no readable row, returns no rows",
    ({ endpoint, wire }) => {
      assert.notProperty(classified(endpoint, dialect, broken(wire, Rows.mostUnreadable + 1)), "rows")
      assert.notProperty(classified(endpoint, dialect, [noRow]), "rows")
      assert.notProperty(classified(endpoint, dialect, { result: { result: [noRow] } }), "rows")
    }
  )
})

it("each row is decoded only once, however many fields the response has", () => {
  let decoded = 0
  const decode = (part: unknown) => {
    decoded++
    const [row] = (part as { readonly data: ReadonlyArray<unknown> }).data
    return row === 17 ? Result.fail("no row") : Result.succeed({ records: [row] })
  }
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field ${at}`, at]))
  assert.deepStrictEqual(Rows.read(decode, { ...many, data: [1, 17, 2] }), { readable: [1, 2], unreadable: 1 })
  assert.strictEqual(decoded, 3)
})

describe("the error for a list with an unreadable row", () => {
  const apiKey = "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6"
  const apiSecret = "f0e1d2c3b4a5968778695a4b3c2d1e0f"
  const record = {
    subAccountId: "sub",
    id: "one",
    title: "title",
    isEnabled: true,
    apiKey,
    apiSecret,
    type: "1",
    lastActivity: 1,
    restrictAccess: false,
    accessEndpoints: []
  }
  const client = clientOf(alice).pipe(
    Layer.provide(Layer.succeed(Place, { baseUrl: InProcess.baseUrl, dialect: document })),
    Layer.provide(answering(() => json(200, { limit: 100, offset: 0, data: [record, { ...record, id: 5 }] })))
  )
  const stream = SubAccountApiKeys.SubAccountApiKeys.use((keys) => Stream.runCollect(keys.stream()))
  const failed = Effect.provide(failsWith("UnexpectedResponse")(stream), client)

  it.effect("the error for an unreadable row contains the readable rows with their types, even in a stream", () =>
    Effect.gen(function*() {
      const error = yield* failed
      const rows = Endpoint.readableRows(SubAccountApiKeys.endpoint, error)
      const titles: ReadonlyArray<string> = rows.map(({ title }) => title)
      assert.deepStrictEqual(titles, ["title"])
      assert.strictEqual(error.unreadable, 1)
      assert.include(error.problem, "records.1.id must be a string")
      assert.include(error.message, "Unreadable rows: 1; the others can be read.")
      assert.deepStrictEqual(Endpoint.readableRows(Assets.endpoint, error), [])
    }))

  it.effect("the error for an unreadable row shows no secrets of the readable rows, and is encoded without the rows", () =>
    Effect.gen(function*() {
      const error = yield* failed
      const codec = Schema.toCodecJson(Errors.UnexpectedResponse)
      const written = yield* Schema.encodeEffect(codec)(error)
      const texts = [
        String(error),
        error.stack ?? "",
        JSON.stringify(error),
        JSON.stringify(written),
        inspect(error, { depth: Infinity, showHidden: true })
      ]
      for (const text of texts) {
        assert.notInclude(text, apiKey)
        assert.notInclude(text, apiSecret)
      }
      const back = yield* Schema.decodeEffect(codec)(written)
      assert.strictEqual(back.unreadable, 1)
      assert.notProperty(back, "readable")
      assert.deepStrictEqual(Endpoint.readableRows(SubAccountApiKeys.endpoint, back), [])
    }))
})
