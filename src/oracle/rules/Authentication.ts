/** Rules about the authentication of calls: key, payload, signature and envelope (document, "Authentication"). */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import { accepted, allPathsOf, envelopedPathsOf, faulty, faultyPathsOf, refused } from "../world/FaultyCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as Signing from "../world/Signing.ts"

const section = Section.of({ clause: "Authentication", profile: "read-only" })

const anyPath = (setting: Rule.Setting) => fc.constantFrom(...faultyPathsOf(setting))

/** Returns the text with upper and lower case swapped. */
const otherCase = (text: string): string =>
  text.replaceAll(/\p{L}/gu, (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())

/** Values of the `request` field that are not the path of a private call in the document. */
const otherRequests = ["", "/", Paths.version, Paths.ping, Paths.markets, Paths.limitOrder, 1, null] as const

/** Returns the text with the digit at this index changed. */
const flip = (hex: string, at: number): string => {
  const index = at % hex.length
  const digit = Number.parseInt(hex.charAt(index), 16)
  return hex.slice(0, index) + ((digit + 1) % 16).toString(16) + hex.slice(index + 1)
}

export const rules: ReadonlyArray<Rule.Rule> = [
  section.always("auth.public", {
    statement: "Accepts public calls without authentication",
    check: (world) => Effect.flatMap(world.get(Paths.ping), (answer) => accepted(answer, "without any header"))
  }),
  section.always("auth.public.headers", {
    statement: "Ignores authentication headers in public calls",
    level: "SHOULD",
    check: (world) => {
      const headers = { "x-txc-apikey": "nobody", "x-txc-payload": "e30=", "x-txc-signature": "00" }
      return Effect.flatMap(
        world.get(Paths.ping, undefined, headers),
        (answer) => accepted(answer, "because public calls ignore these headers")
      )
    }
  }),
  section.forEach("auth.accepts", {
    statement: "Accepts a call with the four headers, signed as the document says",
    values: Paths.reads,
    check: Effect.fnUntraced(function*(world, path) {
      yield* accepted(yield* world.call(yield* world.reader, path), "signed as the document says")
    })
  }),
  section.forAll("auth.accepts.any-text", {
    statement: "Accepts any character in a signed body: the signature covers the UTF-8 bytes",
    values: fc.string({ unit: "grapheme", maxLength: 12 }),
    examples: ["é", "漢字", "\u{1F600}", "\\\"/"],
    check: Effect.fnUntraced(function*(world, search) {
      const answer = yield* world.call(yield* world.reader, Paths.subAccounts, { search })
      yield* accepted(answer, "because a search term may contain any character")
    })
  }),
  refused({
    id: "auth.content-type",
    statement: "Refuses a Content-Type other than application/json",
    level: "SHOULD",
    tampering: { headers: { "content-type": "text/plain" } },
    why: "because the Content-Type is text/plain"
  }),
  refused({
    id: "auth.api-key.missing",
    statement: "Refuses a call without X-TXC-APIKEY",
    tampering: { headers: { "x-txc-apikey": undefined } },
    why: "because X-TXC-APIKEY is missing"
  }),
  section.forAll("auth.api-key.unknown", {
    statement: "Refuses an API key that the exchange has not issued",
    values: (setting: Rule.Setting) => fc.tuple(anyPath(setting), fc.uuid()),
    examples: (setting) => allPathsOf(setting).map((path): [string, string] => [path, "no-such-key"]),
    check: Effect.fnUntraced(function*(world, [path, key]) {
      const answer = yield* faulty(world, path, { headers: { "x-txc-apikey": key } })
      yield* Refusals.any(answer, "because this key does not exist")
    })
  }),
  section.forEach("auth.api-key.case", {
    statement: "Refuses an API key with upper and lower case swapped",
    values: faultyPathsOf,
    check: Effect.fnUntraced(function*(world, path) {
      const key = Redacted.value((yield* world.reader).apiKey)
      const other = otherCase(key)
      if (other === key) return yield* Verdict.skip("the key has no letters to change")
      const answer = yield* faulty(world, path, { headers: { "x-txc-apikey": other } })
      yield* Refusals.any(answer, "because this key does not exist")
    })
  }),
  refused({
    id: "auth.payload.missing",
    statement: "Refuses a call without X-TXC-PAYLOAD",
    tampering: { headers: { "x-txc-payload": undefined } },
    why: "because X-TXC-PAYLOAD is missing"
  }),
  refused({
    id: "auth.payload.base64",
    statement: "Refuses a payload that is not Base64, even if it was signed",
    tampering: { payload: (text) => text },
    why: "because the payload is not Base64"
  }),
  section.forAll("auth.payload.is-body", {
    statement: "Refuses a body that differs from the signed payload",
    values: (setting: Rule.Setting) =>
      fc.tuple(anyPath(setting), fc.constantFrom("x", "limit", "a", "search"), fc.nat(9)),
    examples: (setting) => faultyPathsOf(setting).map((path): [string, "x", number] => [path, "x", 1]),
    check: Effect.fnUntraced(function*(world, [path, key, value]) {
      const answer = yield* faulty(world, path, {
        body: (text) => text.replace(/\}$/u, `,${Json.stringify(key)}:${value}}`)
      })
      yield* Refusals.any(answer, "because the body is not the signed body")
    })
  }),
  refused({
    id: "auth.payload.is-body.nonce",
    statement: "Refuses a body that differs from the signed payload in one digit of the nonce",
    tampering: { body: (text) => text.replace(/[0-9]("?)(,"nonceWindow":true)?\}$/u, "$1$2}") },
    why: "because the body's nonce is not the signed nonce"
  }),
  refused({
    id: "auth.signature.missing",
    statement: "Refuses a call without X-TXC-SIGNATURE",
    tampering: { headers: { "x-txc-signature": undefined } },
    why: "because X-TXC-SIGNATURE is missing"
  }),
  section.forAll("auth.signature", {
    statement: "Refuses a signature with one changed digit",
    values: (setting: Rule.Setting) => fc.tuple(anyPath(setting), fc.nat(127)),
    examples: (setting) => allPathsOf(setting).map((path): [string, number] => [path, 127]),
    check: Effect.fnUntraced(function*(world, [path, at]) {
      const answer = yield* faulty(world, path, {
        signature: (payload, secret) => flip(Signing.hmac(secret, payload), at)
      })
      yield* Refusals.any(answer, "because the signature is wrong")
    })
  }),
  refused({
    id: "auth.signature.key",
    statement: "Refuses a signature made with the wrong secret",
    tampering: { signature: (payload, secret) => Signing.hmac(`${secret}.`, payload) },
    why: "because the signature was made with the wrong secret"
  }),
  refused({
    id: "auth.signature.hash",
    statement: "Refuses a signature made with a hash other than SHA-512",
    tampering: { signature: (payload, secret) => Signing.hmac(secret, payload, "sha256") },
    why: "because the signature is an HMAC-SHA256"
  }),
  refused({
    id: "auth.signature.of-payload",
    statement: "Refuses a signature of the plain body: the signature covers the Base64 payload",
    tampering: { signature: (_payload, secret, text) => Signing.hmac(secret, text) },
    why: "because the body was signed, not its Base64"
  }),
  refused({
    id: "auth.signature.hex",
    statement: "Refuses a signature in Base64: it must be hexadecimal",
    tampering: { signature: (payload, secret) => Buffer.from(Signing.hmac(secret, payload), "hex").toString("base64") },
    why: "because the signature is not hexadecimal"
  }),
  section.always("auth.signature.other-call", {
    statement: "Refuses the signature of another call with the same key",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.reader
      const nonce = yield* world.nonce(account)
      const { headers } = Signing.request(account, Paths.fees, {}, nonce)
      const answer = yield* world.call(account, Paths.mainBalance, {}, {
        headers: { "x-txc-signature": headers["x-txc-signature"] }
      })
      yield* Refusals.any(answer, "because the signature belongs to another call")
    })
  }),
  refused({
    id: "auth.request.required",
    statement: "Refuses a body without the request field",
    tampering: { envelope: { request: undefined } },
    why: "because request is missing in the body",
    paths: envelopedPathsOf
  }),
  section.forAll("auth.request.path", {
    statement: "Refuses a request field that is not the path of the called endpoint",
    values: (setting: Rule.Setting) =>
      fc.tuple(fc.constantFrom(...envelopedPathsOf(setting)), fc.constantFrom<unknown>(...otherRequests)),
    // A faulty target might skip the comparison on a single path, or for a single value.
    examples: (setting) => [
      ...envelopedPathsOf(setting).map((path): [string, unknown] => [
        path,
        path === Paths.limitOrder ? Paths.marketOrder : Paths.limitOrder
      ]),
      ...otherRequests.map((request): [string, unknown] => [Paths.mainBalance, request])
    ],
    check: Effect.fnUntraced(function*(world, [path, request]) {
      if (path === request) return
      const answer = yield* faulty(world, path, { envelope: { request } })
      yield* Refusals.any(answer, "because request is not the path")
    })
  }),
  section.forEach("auth.request.optional", {
    statement: "Refuses a wrong request field even where the field is optional",
    profile: "control",
    level: "SHOULD",
    live: Rule.notApplicable("the field is required"),
    values: Paths.unenveloped,
    check: Effect.fnUntraced(function*(world, path) {
      const answer = yield* faulty(world, path, { envelope: { request: Paths.limitOrder } })
      yield* Refusals.any(answer, "because request is not the path")
    })
  }),
  section.forEach("auth.request.prefix", {
    statement: `Refuses a request field that does not begin with ${Paths.version}`,
    values: envelopedPathsOf,
    check: Effect.fnUntraced(function*(world, path) {
      const answer = yield* faulty(world, path, { envelope: { request: path.slice(Paths.version.length) } })
      yield* Refusals.any(answer, `because request does not begin with ${Paths.version}`)
    })
  }),
  section.forEach("auth.body.spacing", {
    statement: "Accepts a signed body with or without spaces between its JSON tokens",
    level: "INFO",
    live: Rule.other("the payload is compact JSON; spaces are refused there, but accepted in the body"),
    values: [" ", "\n", "\t"],
    check: Effect.fnUntraced(function*(world, space) {
      const spaced = (text: string) => text.replaceAll(",", `,${space}`)
      const answer = yield* world.call(yield* world.reader, Paths.mainBalance, {}, { text: spaced })
      if (world.dialect.name !== "live") return yield* accepted(answer, "because JSON ignores spaces between tokens")
      yield* Refusals.any(answer, "because the payload is not compact")
      const compact = yield* world.call(yield* world.reader, Paths.mainBalance, {}, { body: spaced })
      yield* accepted(compact, "because the payload is compact")
    })
  }),
  section.forEach("auth.unauthorized.status", {
    statement: "Refuses a wrong signature, or an unknown key, with HTTP 401",
    document: Rule.notApplicable("the document shows no such refusal"),
    live: Rule.documented("HTTP 401"),
    values: Paths.reads.flatMap((path) => ["signature", "key"].map((wrong) => ({ path, wrong }))),
    check: Effect.fnUntraced(function*(world, { path, wrong }) {
      const tampering = wrong === "key"
        ? { headers: { "x-txc-apikey": "no-such-key" } }
        : { signature: () => "f".repeat(128) }
      const answer = yield* world.call(yield* world.reader, path, {}, tampering)
      yield* Verdict.expect(answer, `HTTP 401, because the ${wrong} is wrong`, answer.status === 401)
    })
  }),
  section.forEach("auth.refusal", {
    statement: "Refuses an unauthenticated call with HTTP 401, code 10",
    level: "SHOULD",
    values: Paths.reads,
    check: Effect.fnUntraced(function*(world, path) {
      const answer = yield* world.call(yield* world.reader, path, {}, { signature: () => "f".repeat(128) })
      yield* Refusals.exactly(answer, { status: 401, codes: [10] }, "because the signature is wrong")
    })
  })
]
