/** Checks that every endpoint in the contract fails with its declared errors and with no other errors. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Call from "../../../src/client/call/Call.ts"
import * as Nonce from "../../../src/client/Nonce.ts"
import * as RateLimits from "../../../src/client/RateLimits.ts"
import * as Region from "../../../src/client/Region.ts"
import * as Signer from "../../../src/client/Signer.ts"
import * as HttpClientTransport from "../../../src/client/transport/HttpClientTransport.ts"
import { all } from "../../../src/endpoints/all.ts"
import type { Dialect } from "../../../src/protocol/Dialect.ts"
import * as Endpoint from "../../../src/protocol/Endpoint.ts"
import * as Errors from "../../../src/protocol/Errors.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { entries, type Entry } from "../../endpoints/fixtures/all.ts"
import { request as requestOf, response as responseOf } from "../../support/arbitraries.ts"
import { passing } from "../../support/clock.ts"
import { alice, dialects, once } from "../../support/exchange.ts"
import { failure } from "../../support/http.ts"
import { property } from "../../support/property.ts"

// -----------------------------------------------------------------------------
// Arbitrary requests
// -----------------------------------------------------------------------------

/** Valid requests, and some that the client refuses because a field is unknown, missing or of the wrong type. */
const requests = (endpoint: Endpoint.Any, dialect: Dialect): fc.Arbitrary<object> => {
  const good: fc.Arbitrary<object> = requestOf(endpoint, dialect)
  const broken = fc.tuple(
    good,
    fc.constantFrom(...Object.keys(Endpoint.codec(endpoint, dialect).shape.fields), "extra")
  )
  return fc.oneof(
    { weight: 8, arbitrary: good },
    { weight: 1, arbitrary: broken.map(([request, field]) => ({ ...request, [field]: { no: "such value" } })) },
    { weight: 1, arbitrary: fc.constant({}) }
  )
}

// -----------------------------------------------------------------------------
// Arbitrary responses
// -----------------------------------------------------------------------------

const statuses = fc.oneof(
  fc.constantFrom(200, 201, 204, 301, 307, 400, 401, 403, 404, 408, 422, 429, 500, 502, 503),
  fc.integer({ min: 200, max: 599 })
)

const codes = fc.oneof(
  fc.constantFrom(0, 1, 2, 4, 9, 10, 116, 429),
  fc.integer({ min: 30, max: 43 }),
  fc.integer(),
  fc.constant("30")
)

/** Messages by which refusals are classified, and arbitrary text. */
const messages = (dialect: Dialect) =>
  fc.oneof(
    fc.constantFrom(
      "Validation failed",
      "Inner validation failed",
      "Too Many Attempts.",
      dialect.refusals.nonceUsed.message,
      dialect.refusals.nonceOutsideWindow.message,
      dialect.refusals.unauthorized.message
    ),
    fc.string()
  )

const fieldErrors = (endpoint: Endpoint.Any, dialect: Dialect) => {
  const { fields, keys } = Endpoint.codec(endpoint, dialect).shape
  const known = Object.keys(fields).map((field) => keys[field] ?? field)
  const names = fc.oneof(fc.constantFrom("reduceOnly", "orderHistory", ...known), fc.string())
  return fc.oneof(
    fc.dictionary(names, fc.oneof(fc.array(fc.string()), fc.string(), fc.jsonValue())),
    fc.jsonValue()
  )
}

/**
 * Possible responses: valid responses, refusals of every error family, and responses that only a proxy or gateway would
 * send.
 */
const texts = (endpoint: Endpoint.Any, dialect: Dialect): fc.Arbitrary<string> => {
  const { encodeResponse } = Endpoint.codec(endpoint, dialect)
  const errors = fieldErrors(endpoint, dialect)
  const optional = { requiredKeys: [] }
  const refusals = fc.record({ code: codes, message: messages(dialect), errors }, optional)
  const words = fc.oneof(messages(dialect), errors)
  const publicRefusals = fc.record({ success: fc.boolean(), message: words, params: fc.jsonValue() }, optional)
  const ids = fc.record({ id: fc.nat(), order_id: fc.nat(), orderId: fc.nat(), result: fc.jsonValue() }, optional)
  const values = responseOf(endpoint, dialect).map((value) => Result.getOrThrow(encodeResponse(value)))
  const json = fc.oneof(refusals, publicRefusals, ids, values, errors, fc.jsonValue())
    .map((body) => Json.stringify(body as object) ?? "")
  return fc.oneof(
    { weight: 6, arbitrary: json },
    { weight: 1, arbitrary: fc.tuple(json, fc.nat(40)).map(([text, length]) => text.slice(0, length)) },
    { weight: 1, arbitrary: fc.constantFrom("", html, "null", "\u0000") },
    { weight: 1, arbitrary: fc.string() }
  )
}

const html = "<html><body>502 Bad Gateway</body></html>"

/** How an attempt ends: with a response, with a transport failure, without a response, or before it is sent. */
type Course =
  | { readonly _tag: "Answered"; readonly status: number; readonly text: string; readonly retryAfter?: string }
  | { readonly _tag: "Failed"; readonly cause: object }
  | { readonly _tag: "Silent" | "NotSigned" | "NeverSigned" | "NoNonce" | "OutOfTurn" }

const courses = (endpoint: Endpoint.Any, dialect: Dialect): fc.Arbitrary<Course> => {
  const retryAfter = fc.constantFrom("1", "0", "soon", "Wed, 21 Oct 2015 07:28:00 GMT")
  const errorCodes = fc.constantFrom("ECONNRESET", "ENOTFOUND", "ECONNREFUSED", "CERT_HAS_EXPIRED", "EPIPE")
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record(
        { _tag: fc.constant("Answered"), status: statuses, text: texts(endpoint, dialect), retryAfter },
        { requiredKeys: ["_tag", "status", "text"] }
      )
    },
    {
      weight: 2,
      arbitrary: fc.record({
        _tag: fc.constant("Failed"),
        cause: fc.record({
          code: errorCodes,
          syscall: fc.constantFrom("connect", "getaddrinfo", "read"),
          message: fc.string()
        })
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        _tag: fc.constantFrom("Silent", "NotSigned", "NeverSigned", "NoNonce", "OutOfTurn")
      })
    }
  )
}

// -----------------------------------------------------------------------------
// Making the call
// -----------------------------------------------------------------------------

const withoutBody = [204, 205, 304]

const responding = (course: Course) =>
  HttpClient.make((request) => {
    if (course._tag === "Failed") return Effect.fail(failure(request, course.cause))
    if (course._tag !== "Answered") return Effect.never
    const { retryAfter, status, text } = course
    const body = withoutBody.includes(status) ? null : text
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter }
    return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status, headers })))
  })

const signing = (course: Course): Signer.Signer["Service"] => ({
  apiKey: Redacted.make(alice.apiKey),
  sign: () =>
    course._tag === "NotSigned"
      ? Effect.fail(new Signer.SigningFailed({ reason: "no" }))
      : course._tag === "NeverSigned"
      ? Effect.never
      : Effect.succeed("signature"),
  scrub: (text) => text
})

const numbering = (course: Course): Nonce.Nonce["Service"] => ({
  window: true,
  use: (_of, call) =>
    course._tag === "NoNonce" ? Effect.fail(new Nonce.NonceUnavailable({ reason: "no lease" })) : call(1)
})

const counting = (course: Course): RateLimits.RateLimits["Service"] => ({
  bucket: (_of, { name }) => ({
    take: course._tag === "OutOfTurn"
      ? Effect.fail(new Errors.RateLimited({ endpoint: name, origin: "local", status: 429, reason: "too many" }))
      : Effect.succeed(0),
    refused: () => Effect.succeed(1000),
    retries: 0
  })
})

/** Makes one call and returns the tag of its error, or `undefined` when it succeeds. */
const tagOf = (endpoint: Endpoint.Any, dialect: Dialect, request: object, course: Course) => {
  const call: Effect.Effect<unknown, Errors.CallError, Call.Call | Call.PublicCall> = endpoint.access === "public"
    ? Call.PublicCall.use(({ make }) => make(endpoint)(request))
    : Call.Call.use(({ make }) => make(endpoint)(request))
  const layer = Layer.merge(Call.layer, Call.layerPublic).pipe(
    Layer.provide(HttpClientTransport.layer),
    Layer.provide([
      Region.layer({ baseUrl: "https://exchange.invalid", dialect }),
      Layer.succeed(HttpClient.HttpClient, responding(course)),
      Layer.succeed(Signer.Signer, signing(course)),
      Layer.succeed(Nonce.Nonce, numbering(course)),
      Layer.succeed(RateLimits.RateLimits, counting(course))
    ])
  )
  const tag = Effect.match(call, { onSuccess: () => undefined, onFailure: ({ _tag }) => _tag })
  return passing(tag.pipe(once, Effect.provide(layer)), 10_000)
}

for (const dialect of dialects) {
  describe(`a call fails only with declared errors in the ${dialect.name} dialect`, () => {
    for (const endpoint of all) {
      const declared: ReadonlySet<string> = Endpoint.failureTags(endpoint)
      property(
        `${endpoint.name} fails only with declared errors`,
        [requests(endpoint, dialect), courses(endpoint, dialect)],
        (request, course) =>
          Effect.map(tagOf(endpoint, dialect, request, course), (tag) => {
            if (tag !== undefined) assert.include([...declared], tag)
          }),
        { runs: 50 }
      )
    }
  })
}

// -----------------------------------------------------------------------------
// Every declared error can occur
// -----------------------------------------------------------------------------

const refused = (status: number, code: number, message: string): Course => ({
  _tag: "Answered",
  status,
  text: JSON.stringify({ code, message, errors: { market: ["no"] } })
})

/** A request with an unknown field. If the client does not reject the request, the request gets no response. */
const tooMany = { request: { extra: 1 }, course: { _tag: "Silent" } } as const

/** For each error, the request and the attempt that cause it in endpoints that declare it. */
const provoking = (
  dialect: Dialect
): { readonly [T in Errors.CallError["_tag"]]: { readonly request?: object; readonly course: Course } } => ({
  ValidationFailed: tooMany,
  InvalidFields: tooMany,
  ReduceOnlyRejected: { course: refused(400, 116, "Validation failed") },
  RequestRejected: { course: refused(422, 10, "Not enough balance.") },
  PublicRequestRejected: { course: { _tag: "Answered", status: 422, text: JSON.stringify({ message: "No." }) } },
  NotAuthorized: { course: refused(401, 10, "Unauthorized request.") },
  NonceRejected: { course: refused(429, 0, dialect.refusals.nonceUsed.message) },
  RateLimited: { course: { _tag: "OutOfTurn" } },
  AcceptedUnreadable: { course: { _tag: "Answered", status: 200, text: JSON.stringify({ order_id: 7 }) } },
  OutcomeUnknown: { course: { _tag: "Silent" } },
  ExchangeUnreachable: { course: { _tag: "Failed", cause: { code: "ECONNREFUSED", syscall: "connect" } } },
  UnexpectedResponse: { course: { _tag: "Answered", status: 502, text: html } }
})

/**
 * Checks whether the endpoint never fails with `AcceptedUnreadable`, because its responses have no order id or because
 * any JSON is a valid response.
 */
const neverUnreadable = ({ documented, golden }: Entry) =>
  documented.errorFamily === "account" || golden.response === undefined

describe("every declared error can occur, and no undeclared error can", () => {
  for (const entry of entries) {
    const { endpoint, golden: { request } } = entry
    it.effect(`${endpoint.name} fails with each of its declared errors`, () =>
      Effect.gen(function*() {
        const declared = Endpoint.failureTags(endpoint)
        for (const dialect of dialects) {
          for (const [tag, { course, request: other = request }] of Object.entries(provoking(dialect))) {
            const found = yield* tagOf(endpoint, dialect, other, course)
            const happens = [...declared].some((each) => each === tag) &&
              !(tag === "AcceptedUnreadable" && neverUnreadable(entry))
            if (happens) assert.strictEqual(found, tag)
            else if (found !== undefined) assert.isTrue(declared.has(found), `${tag} became ${found}`)
          }
        }
      }))
  }
})
