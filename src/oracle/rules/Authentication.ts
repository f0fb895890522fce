/** How calls are authenticated: key, payload, signature and envelope (document, "Authentication"). */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import { accepted, envelopedPathsOf, faulty, pathsOf, refused } from "../world/SignedCalls.ts"
import * as Signing from "../world/Signing.ts"

const clause = "Authentication"

const anyPath = (setting: Rule.Setting) => fc.constantFrom(...pathsOf(setting))

/** The text with each letter in the other case. */
const otherCase = (text: string): string =>
  text.replaceAll(/\p{L}/gu, (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())

/** Values of `request` that are the path of no private call of the document. */
const otherRequests = ["", "/", Paths.version, Paths.ping, Paths.markets, Paths.limitOrder, 1, null] as const

/** The digits with the one at this place changed. */
const flip = (hex: string, at: number): string => {
  const index = at % hex.length
  const digit = Number.parseInt(hex.charAt(index), 16)
  return hex.slice(0, index) + ((digit + 1) % 16).toString(16) + hex.slice(index + 1)
}

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "auth.public",
    statement: "Public endpoints need no authentication",
    clause,
    profile: "read-only",
    check: (world) => Effect.flatMap(world.get(Paths.ping), (answer) => accepted(answer, "without any header"))
  }),
  Rule.always({
    id: "auth.public.headers",
    statement: "Public endpoints ignore the headers of signed calls",
    clause,
    level: "SHOULD",
    profile: "read-only",
    check: (world) => {
      const headers = { "x-txc-apikey": "nobody", "x-txc-payload": "e30=", "x-txc-signature": "00" }
      return Effect.flatMap(
        world.get(Paths.ping, undefined, headers),
        (answer) => accepted(answer, "with headers that are ignored")
      )
    }
  }),
  Rule.forEach({
    id: "auth.accepts",
    statement: "A call with the four headers, signed as the document says, is accepted",
    clause,
    profile: "read-only",
    values: Paths.reads,
    check: (world, path) =>
      Effect.gen(function*() {
        yield* accepted(yield* world.call(yield* world.reader, path), "signed as the document says")
      })
  }),
  Rule.forAll({
    id: "auth.accepts.any-text",
    statement: "The signature covers the body's UTF-8 bytes: a signed body may hold any character",
    clause,
    profile: "read-only",
    values: fc.string({ unit: "grapheme", maxLength: 12 }),
    examples: ["é", "漢字", "\u{1F600}", "\\\"/"],
    check: (world, search) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, Paths.subAccounts, { search })
        yield* accepted(answer, "whatever the search term is")
      })
  }),
  refused({
    id: "auth.content-type",
    statement: "Content-type is application/json; a call with another one is refused",
    level: "SHOULD",
    tampering: { headers: { "content-type": "text/plain" } },
    why: "because Content-type is text/plain"
  }),
  refused({
    id: "auth.api-key.missing",
    statement: "X-TXC-APIKEY is required",
    tampering: { headers: { "x-txc-apikey": undefined } },
    why: "because there is no X-TXC-APIKEY"
  }),
  Rule.forAll({
    id: "auth.api-key.unknown",
    statement: "X-TXC-APIKEY is the public key: a key that the exchange has not issued is refused",
    clause,
    profile: "read-only",
    values: (setting) => fc.tuple(anyPath(setting), fc.uuid()),
    examples: (setting) => pathsOf(setting).map((path): [string, string] => [path, "no-such-key"]),
    check: (world, [path, key]) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, { headers: { "x-txc-apikey": key } })
        yield* Refusals.any(answer, "because nobody has this key")
      })
  }),
  Rule.forEach({
    id: "auth.api-key.case",
    statement: "X-TXC-APIKEY is the public key itself: the same letters in the other case are refused",
    clause,
    profile: "read-only",
    values: pathsOf,
    check: (world, path) =>
      Effect.gen(function*() {
        const key = Redacted.value((yield* world.reader).apiKey)
        const other = otherCase(key)
        if (other === key) return yield* Verdict.skip("the key has no letters")
        const answer = yield* faulty(world, path, { headers: { "x-txc-apikey": other } })
        yield* Refusals.any(answer, "because nobody has this key")
      })
  }),
  refused({
    id: "auth.payload.missing",
    statement: "X-TXC-PAYLOAD is required",
    tampering: { headers: { "x-txc-payload": undefined } },
    why: "because there is no X-TXC-PAYLOAD"
  }),
  refused({
    id: "auth.payload.base64",
    statement: "X-TXC-PAYLOAD is Base64: the plain body in its place is refused, even if that is what was signed",
    tampering: { payload: (text) => text },
    why: "because the payload is not Base64"
  }),
  Rule.forAll({
    id: "auth.payload.is-body",
    statement: "X-TXC-PAYLOAD is the body: a body other than the signed one is refused",
    clause,
    profile: "read-only",
    values: (setting) => fc.tuple(anyPath(setting), fc.constantFrom("x", "limit", "a", "search"), fc.nat(9)),
    examples: (setting) => pathsOf(setting).map((path): [string, "x", number] => [path, "x", 1]),
    check: (world, [path, key, value]) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, {
          body: (text) => text.replace(/\}$/u, `,${JSON.stringify(key)}:${value}}`)
        })
        yield* Refusals.any(answer, "because the body is not what was signed")
      })
  }),
  refused({
    id: "auth.payload.is-body.nonce",
    statement: "X-TXC-PAYLOAD is the body: a body that differs in one digit of the nonce is refused",
    tampering: { body: (text) => text.replace(/[0-9]("?)(,"nonceWindow":true)?\}$/u, "$1$2}") },
    why: "because the body's nonce is not the one that was signed"
  }),
  refused({
    id: "auth.signature.missing",
    statement: "X-TXC-SIGNATURE is required",
    tampering: { headers: { "x-txc-signature": undefined } },
    why: "because there is no X-TXC-SIGNATURE"
  }),
  Rule.forAll({
    id: "auth.signature",
    statement: "X-TXC-SIGNATURE is the payload's HMAC: a signature with one changed digit is refused",
    clause,
    profile: "read-only",
    values: (setting) => fc.tuple(anyPath(setting), fc.nat(127)),
    examples: (setting) => pathsOf(setting).map((path): [string, number] => [path, 127]),
    check: (world, [path, at]) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, {
          signature: (payload, secret) => flip(Signing.hmac(secret, payload), at)
        })
        yield* Refusals.any(answer, "because the signature is wrong")
      })
  }),
  refused({
    id: "auth.signature.key",
    statement: "The key of the HMAC is the API secret: a signature with another key is refused",
    tampering: { signature: (payload, secret) => Signing.hmac(`${secret}.`, payload) },
    why: "because it is signed with another secret"
  }),
  refused({
    id: "auth.signature.hash",
    statement: "The hash of the HMAC is SHA-512: a signature with another hash is refused",
    tampering: { signature: (payload, secret) => Signing.hmac(secret, payload, "sha256") },
    why: "because it is an HMAC-SHA256"
  }),
  refused({
    id: "auth.signature.of-payload",
    statement: "The signature covers the payload, which is the Base64 text: a signature of the plain body is refused",
    tampering: { signature: (_payload, secret, text) => Signing.hmac(secret, text) },
    why: "because the body was signed, not its Base64"
  }),
  refused({
    id: "auth.signature.hex",
    statement: "The signature is hexadecimal: the same bytes in Base64 are refused",
    tampering: { signature: (payload, secret) => Buffer.from(Signing.hmac(secret, payload), "hex").toString("base64") },
    why: "because the signature is not hexadecimal"
  }),
  Rule.always({
    id: "auth.signature.other-call",
    statement: "A signature belongs to one payload: that of another call with the same key is refused",
    clause,
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
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
    statement: "request is required in the body",
    tampering: { envelope: { request: undefined } },
    why: "because there is no request in the body",
    paths: envelopedPathsOf
  }),
  Rule.forAll({
    id: "auth.request.path",
    statement: "request is the path of the called endpoint; any other value is refused",
    clause,
    profile: "read-only",
    values: (setting) =>
      fc.tuple(fc.constantFrom(...envelopedPathsOf(setting)), fc.constantFrom<unknown>(...otherRequests)),
    // A target may forget the comparison on one path, or for one value.
    examples: (setting) => [
      ...envelopedPathsOf(setting).map((path): [string, unknown] => [path, Paths.limitOrder]),
      ...otherRequests.map((request): [string, unknown] => [Paths.mainBalance, request])
    ],
    check: (world, [path, request]) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, { envelope: { request } })
        yield* Refusals.any(answer, "because request is not the path")
      })
  }),
  Rule.forEach({
    id: "auth.request.optional",
    statement: "Where a body may be without request, it is the path of the called endpoint all the same if it is there",
    clause,
    level: "SHOULD",
    values: (setting) => pathsOf(setting).filter((path) => !envelopedPathsOf(setting).includes(path)),
    check: (world, path) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, { envelope: { request: Paths.limitOrder } })
        yield* Refusals.any(answer, "because request is not the path")
      })
  }),
  Rule.forEach({
    id: "auth.request.prefix",
    statement: `request begins with ${Paths.version}: a path without it is refused`,
    clause,
    profile: "read-only",
    values: envelopedPathsOf,
    check: (world, path) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, { envelope: { request: path.slice(Paths.version.length) } })
        yield* Refusals.any(answer, `because request does not begin with ${Paths.version}`)
      })
  }),
  Rule.forEach({
    id: "auth.body.spacing",
    statement: "The body may be any JSON text, with or without spaces, if it is the text that was signed",
    clause,
    level: "INFO",
    profile: "read-only",
    live: Rule.other("the body is compact JSON; spaces between its parts are refused"),
    values: [" ", "\n", "\t"],
    check: (world, space) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, Paths.mainBalance, {}, {
          text: (text) => text.replaceAll(",", `,${space}`)
        })
        const isCompactOnly = world.dialect.name === "live"
        yield* isCompactOnly
          ? Refusals.any(answer, "because the body is not compact")
          : accepted(answer, "because spaces have no meaning in JSON")
      })
  }),
  Rule.forEach({
    id: "auth.refusal",
    statement: "A call that is not authenticated is refused with HTTP 401, code 10",
    clause,
    level: "SHOULD",
    profile: "read-only",
    values: Paths.reads,
    check: (world, path) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, path, {}, { signature: () => "f".repeat(128) })
        yield* Refusals.exactly(answer, { status: 401, codes: [10] }, "because the signature is wrong")
      })
  })
]
