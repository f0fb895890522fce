import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Progress from "../src/cli/Progress.ts"
import * as Screen from "../src/cli/Screen.ts"
import * as Tour from "../src/cli/tour/Tour.ts"
import * as UndiciTransport from "../src/client/transport/UndiciTransport.ts"
import { endpoint as subAccountCreation } from "../src/endpoints/SubAccountCreation.ts"
import * as Exchange from "../src/Exchange.ts"
import * as OpenApi from "../src/OpenApi.ts"
import type { Dialect } from "../src/protocol/Dialect.ts"
import * as Endpoint from "../src/protocol/Endpoint.ts"
import * as Json from "../src/protocol/Json.ts"
import * as Paths from "../src/protocol/Paths.ts"
import * as Refusals from "../src/protocol/Refusals.ts"
import * as Control from "../src/sandbox/control/Control.ts"
import * as Example from "../src/sandbox/Example.ts"
import type { Answer, Request } from "../src/sandbox/gateway/Message.ts"
import * as Server from "../src/sandbox/server/Server.ts"
import * as Venue from "../src/sandbox/venue/Venue.ts"
import { entries, type Entry, goldenIn } from "./endpoints/fixtures/all.ts"
import { anyRequest, response } from "./support/arbitraries.ts"
import { type Change, changed, pathsOf } from "./support/bodies.ts"
import { brokenWire, isIn } from "./support/broken.ts"
import { dialects, setUp } from "./support/exchange.ts"
import { describedIn, documentOf, endpointAt } from "./support/openapi.ts"
import { property } from "./support/property.ts"
import { read, signed } from "./support/signed.ts"

type Fields = Readonly<Record<string, unknown>>

/** Adds the signed envelope to a request if the endpoint needs one. */
const enveloped = ({ access, path }: Endpoint.Any, dialect: Dialect, wire: Fields): Fields =>
  access === "public" ? wire : { ...wire, request: path, ...dialect.nonce(1_700_000_000_000, true) }

// -----------------------------------------------------------------------------
// Responses from the sandbox
// -----------------------------------------------------------------------------

interface Exchanged {
  readonly request: Request
  readonly answer: Answer
}

/** Wraps the underlying venue, and records its requests and responses in `noted`. */
const noting = (noted: Array<Exchanged>) =>
  Layer.effect(
    Venue.Venue,
    Effect.map(Venue.Venue, (venue) => {
      const receive: typeof venue.receive = (request, clock, resume) => {
        const note = (answer: Answer) => void noted.push({ request, answer })
        venue.receive(request, clock, (answer) => {
          if (Effect.isEffect(answer)) return resume(Effect.tap(answer, (answer) => Effect.sync(() => note(answer))))
          note(answer)
          resume(answer)
        })
      }
      // The venue's state is a getter, which a spread would read only once.
      return Object.assign(Object.create(venue) as typeof venue, { receive, handle: Venue.handling(receive) })
    })
  )

const wireOf = (endpoint: Endpoint.Any, { body, path, query }: Request): Fields =>
  endpoint.access === "private"
    ? JSON.parse(new TextDecoder().decode(body)) as Fields
    : { ...Object.fromEntries(new URLSearchParams(query)), ...Paths.match(endpoint, path) }

/** Lists the ways in which a response or an accepted request violates the OpenAPI document. */
const undescribed = (dialect: Dialect, { answer, request }: Exchanged): ReadonlyArray<string> => {
  const endpoint = endpointAt(request.path)
  if (endpoint === undefined || endpoint.method !== request.method) return []
  const told = read(answer)
  if (told === "reset") return []
  const { checkAnswer, checkRequest } = describedIn(dialect, endpoint)
  // API V1 sends refusals with HTTP 200.
  const isRefused = told.status >= 300 || (Json.isObject(told.json) && told.json["success"] === false)
  const wrong = isRefused ? [] : checkRequest(wireOf(endpoint, request))
  return [...wrong, ...checkAnswer(told.status, told.json)].map((text) => `${endpoint.name} ${told.status}: ${text}`)
}

const silent = Effect.provideService(Console.Console, { ...console, log: () => undefined })

/** Builds the request from its wire fields without checking any constraints. */
const asked = ({ endpoint }: Entry, dialect: Dialect, wire: Fields): Request => {
  if (endpoint.access === "private") return signed(dialect, endpoint.path, wire)
  const { fields, path } = Paths.locate(endpoint, wire)
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString()
  return { method: "GET", path, query, headers: {}, body: new Uint8Array(), from: "test" }
}

// -----------------------------------------------------------------------------
// Valid requests
// -----------------------------------------------------------------------------

/** Constraints that an OpenAPI document can't express: those between fields, and the number of an amount's digits. */
const unsaid: ReadonlyArray<string> = ["exclusive", "alone", "different", "after", "precision"]

/**
 * Checks whether the codec accepts the request. Returns `undefined` if the request only breaks constraints that the
 * document can't express.
 */
const isTaken = ({ endpoint }: Entry, dialect: Dialect, wire: Fields): boolean | undefined => {
  const read = Endpoint.codec(endpoint, dialect).decodeRequest(wire)
  if (Result.isSuccess(read)) return true
  return read.failure.every(({ constraint: { kind } }) => unsaid.includes(kind)) ? undefined : false
}

const inWords = (name: string): string =>
  name.split(/[^A-Za-z0-9]/u).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

/**
 * Lists the type names that a code generator would derive from a schema. A type without a title is named after its
 * parents.
 */
const typeNamesIn = (name: string, schema: unknown): ReadonlyArray<string> => {
  if (!Json.isObject(schema) || "$ref" in schema) return []
  const { additionalProperties, anyOf, items, properties } = schema
  const parts: ReadonlyArray<readonly [string, unknown]> = [
    ...Object.entries(Json.isObject(properties) ? properties : {}),
    ...(Array.isArray(anyOf) ? anyOf.map((member, index) => [`${index}`, member] as const) : []),
    ["Item", items],
    ["Value", additionalProperties]
  ]
  const isPlain = !Array.isArray(anyOf) && properties === undefined && schema["enum"] === undefined
  return [...isPlain ? [] : [name], ...parts.flatMap(([part, inner]) => typeNamesIn(name + inWords(part), inner))]
}

describe.each(dialects)("the OpenAPI document of the $name dialect", (dialect) => {
  it.effect("the OpenAPI document is valid according to an independent validator", () =>
    Effect.gen(function*() {
      const document = structuredClone(documentOf(dialect))
      const { errors, valid } = yield* Effect.promise(() => new Validator().validate(document))
      assert.deepStrictEqual([errors, valid], [undefined, true])
    }))

  it("the OpenAPI document describes exactly the endpoints in the contract", () => {
    const operations = Object.entries(documentOf(dialect).paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    )
    assert.sameMembers(operations, entries.map(({ documented: { method, path } }) => `${method} ${path}`))
    const names = entries.map(({ endpoint }) => describedIn(dialect, endpoint).operation.operationId)
    assert.strictEqual(new Set(names).size, entries.length)
  })

  it("the OpenAPI document states which field makes another one optional", () => {
    const { checkRequest } = describedIn(dialect, subAccountCreation)
    const base = { alias: "a", permissions: { spotEnabled: true, collateralEnabled: true } }
    const problems = (fields: Fields) => checkRequest(enveloped(subAccountCreation, dialect, { ...base, ...fields }))
    assert.deepStrictEqual(problems({ email: "a@b.com", shareKyc: false }), [])
    assert.deepStrictEqual(problems({ shareKyc: true }), [])
    for (const fields of [{}, { shareKyc: false }]) assert.notDeepEqual(problems(fields), [])
  })

  it("the OpenAPI document never gives a code generator two types with the same name", () => {
    const { components } = OpenApi.of(dialect)
    const names = Object.entries(components.schemas).flatMap((
      [name, schema]
    ) => typeNamesIn(name, schema))
    assert.isAbove(names.length, 200)
    const lower = names.map((name) => name.toLowerCase())
    assert.deepStrictEqual(names.filter((name, index) => lower.indexOf(name.toLowerCase()) !== index), [])
  })

  it("the OpenAPI documents of the two dialects differ", () => {
    const [one, other] = dialects.map((dialect) => JSON.stringify(documentOf(dialect)))
    assert.notStrictEqual(one, other)
  })

  it("the OpenAPI document lists the known types of a market", () => {
    const types = JSON.stringify({ type: "string", enum: ["spot", "futures", "tradfiFutures"] })
    assert.include(JSON.stringify(documentOf(dialect)), types)
  })

  for (const entry of entries) {
    const { captured = [], endpoint, refused, required } = entry
    const { checkAnswer, checkRequest } = describedIn(dialect, endpoint)
    const golden = goldenIn(entry, dialect).wire
    const whole = enveloped(endpoint, dialect, golden.request)
    const success = Refusals.successStatus(endpoint, dialect)

    it(`${endpoint.name} accepts a request with all fields, and rejects one without a required field`, () => {
      assert.deepStrictEqual(checkRequest(whole), [])
      const { keys } = Endpoint.codec(endpoint, dialect).shape
      const demanded = Object.entries(required).flatMap(([field, when]) =>
        when === "always" ? [keys[field] ?? field] : []
      )
      for (const key of [...demanded, ...(endpoint.envelope === "required" ? ["request", "nonce"] : [])]) {
        const { [key]: _, ...others } = whole
        assert.notDeepEqual(checkRequest(others), [], key)
      }
    })

    it(`the request schema of ${endpoint.name} accepts the same requests as its codec`, () => {
      for (const row of refused?.rows.filter(isIn(dialect)) ?? []) {
        if (refused === undefined) return
        const wire = brokenWire(entry, refused, row, dialect)
        const isRight = isTaken(entry, dialect, wire)
        if (isRight === undefined) continue
        const problems = checkRequest(enveloped(endpoint, dialect, wire))
        assert.strictEqual(problems.length === 0, isRight, `${row.name}: ${problems.join("; ")}`)
      }
    })

    it(`the response schema of ${endpoint.name} matches its golden response and captured live responses`, () => {
      if (golden.response !== undefined) assert.deepStrictEqual(checkAnswer(success, golden.response), [])
      if (dialect.name === "document") return
      for (const { source, wire } of captured) {
        if (wire !== undefined) assert.deepStrictEqual(checkAnswer(success, wire), [], source)
      }
    })
  }

  for (const entry of entries) {
    const { endpoint } = entry
    const { checkAnswer } = describedIn(dialect, endpoint)
    const { decodeResponse } = Endpoint.codec(endpoint, dialect)

    it(`the response schema of ${endpoint.name} allows the same missing fields and types as its codec`, () => {
      const whole = goldenIn(entry, dialect).wire.response
      const changes: ReadonlyArray<Change> = [
        (parent, key) => delete parent[key],
        (parent, key) => parent[key] = null,
        (parent, key) => parent[key] = { no: "value of any field" },
        (parent, key) => parent[key] = "no value of any field"
      ]
      for (const path of pathsOf(whole)) {
        for (const [index, change] of changes.entries()) {
          const answer = changed(whole, path, change)
          const problems = checkAnswer(Refusals.successStatus(endpoint, dialect), answer)
          const isRead = Result.isSuccess(decodeResponse(answer))
          assert.strictEqual(problems.length === 0, isRead, `${path.join(".")}, ${index}: ${problems.join("; ")}`)
        }
      }
    })
  }

  for (const entry of entries) {
    const { endpoint, expressible = identity } = entry
    const { checkAnswer, checkRequest } = describedIn(dialect, endpoint)
    const { encodeRequest, encodeResponse } = Endpoint.codec(endpoint, dialect)
    property(
      `the schemas of ${endpoint.name} accept every generated request and response`,
      [anyRequest(endpoint, dialect), response(endpoint, dialect)],
      (request, response) =>
        Effect.sync(() => {
          const wire = enveloped(endpoint, dialect, Result.getOrThrow(encodeRequest(request)))
          assert.deepStrictEqual(checkRequest(wire), [])
          const answer = Result.getOrThrow(encodeResponse(expressible(response as never)))
          assert.deepStrictEqual(checkAnswer(Refusals.successStatus(endpoint, dialect), answer), [])
        }),
      { runs: 200, short: 5 }
    )
  }

  it.live("the OpenAPI document describes every call of `effect-txc tour`, which calls every endpoint", () =>
    Effect.gen(function*() {
      const noted: Array<Exchanged> = []
      const { apiKey, apiSecret } = Example.alice
      const credentials = { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) }
      const sandbox = Control.layer.pipe(
        Layer.provideMerge(noting(noted)),
        Layer.provideMerge(Venue.layer({ dialect }))
      )
      yield* Effect.gen(function*() {
        yield* Example.setUp
        const { baseUrl } = yield* Server.serve({ port: 0 })
        const exchange = Exchange.layer({ baseUrl, dialect, credentials, transport: UndiciTransport.layer })
        const tour = Tour.run({ baseUrl, dialect, screen: Screen.unseen, progress: Progress.hidden })
        yield* Effect.provide(tour, exchange)
      }).pipe(Effect.provide(sandbox), silent)
      const called = new Set(noted.flatMap(({ request }) => endpointAt(request.path)?.name ?? []))
      assert.sameMembers([...called], entries.map(({ endpoint }) => endpoint.name))
      assert.deepStrictEqual(noted.flatMap((exchanged) => undescribed(dialect, exchanged)), [])
    }))

  it.effect("the OpenAPI document describes every refusal in the fixtures", () =>
    Effect.gen(function*() {
      const noted: Array<Exchanged> = []
      yield* Effect.gen(function*() {
        yield* setUp
        const { handle } = yield* Venue.Venue
        for (const entry of entries) {
          const rows = entry.refused?.rows.filter(isIn(dialect)) ?? []
          for (const row of rows) {
            if (entry.refused !== undefined) {
              yield* handle(asked(entry, dialect, brokenWire(entry, entry.refused, row, dialect)))
            }
          }
          yield* handle({ ...asked(entry, dialect, goldenIn(entry, dialect).wire.request), headers: {} })
        }
      }).pipe(Effect.provide(
        Control.layer.pipe(Layer.provideMerge(noting(noted)), Layer.provideMerge(Venue.layer({ dialect })))
      ))
      const refused = noted.filter(({ answer }) => answer._tag === "Answer" && answer.status >= 400)
      assert.isAbove(refused.length, entries.length)
      assert.deepStrictEqual(noted.flatMap((exchanged) => undescribed(dialect, exchanged)), [])
    }))
})
