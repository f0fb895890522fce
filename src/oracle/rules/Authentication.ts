/**
 * Who may call (document, "Authentication").
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Signing from "../world/Signing.ts"
import * as Spelling from "../world/Spelling.ts"
import type { Account, World } from "../world/World.ts"
import { issue } from "./Codes.ts"
import { createSubAccount } from "./SubAccounts.ts"

const clause = "Authentication"

/** With somebody's own key only reads are tried: what accepts a wrong signature would carry out anything else. */
const pathsOf = ({ profile }: Rule.Setting): ReadonlyArray<string> =>
  profile === "control" ? Paths.all : [...Paths.reads, Paths.interest]

/** Cancel-all has rules of its own about this. */
const enveloped = (setting: Rule.Setting): ReadonlyArray<string> =>
  pathsOf(setting).filter((path) => path !== Paths.cancelAll)

/**
 * Fields that the call accepts, so that nothing but the fault can be why it is refused. With somebody's own key only
 * reads are tried, which need none.
 */
const fieldsOf = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string
): Effect.fn.Return<Readonly<Record<string, unknown>>, Rule.Stop> {
  if (world.profile !== "control") return {}
  switch (path) {
    case Paths.oco:
      return Orders.oco(yield* world.market, "buy")
    case Paths.stopLimit:
      return Orders.stopLimit(yield* world.market, "buy")
    case Paths.applyCode:
      return { code: (yield* issue(world, "1")).code }
    case Paths.deleteSubAccount:
      return { id: yield* createSubAccount(world, account) }
    default:
      return {}
  }
})

/** A call that is right but for what is done otherwise. */
const faulty = Effect.fnUntraced(function*(world: World, path: string, but: Signing.Tampering) {
  const account = yield* world.reader
  const answer = yield* world.call(account, path, yield* fieldsOf(world, account, path), but)
  // Else a target that takes no more calls would seem to refuse each for its fault.
  return answer.status === 429 ? yield* Rule.skip("the target says that there are too many calls") : answer
})

const anyPath = (setting: Rule.Setting) => fc.constantFrom(...pathsOf(setting))

/** How a call that nobody can prove to have made is refused. */
const unauthorized = { status: 401, codes: [10] }

const stance = { level: "SHOULD", profile: "read-only", clause } as const

/** A call that is right but for one thing must be refused. */
const refused = (
  id: string,
  statement: string,
  but: Signing.Tampering,
  why: string,
  values: (setting: Rule.Setting) => ReadonlyArray<string> = pathsOf
): Rule.Rule =>
  Rule.forEach({
    id,
    statement,
    clause,
    profile: "read-only",
    values,
    check: (world, path) =>
      Effect.gen(function*() {
        yield* Refusals.some(yield* faulty(world, path, but), why)
      })
  })

const flip = (hex: string, at: number): string => {
  const index = at % hex.length
  const digit = Number.parseInt(hex.charAt(index), 16)
  return hex.slice(0, index) + ((digit + 1) % 16).toString(16) + hex.slice(index + 1)
}

const isSuccess = ({ json, status }: Target.Answer): boolean => status === 200 && json !== undefined

const accepted = (answer: Target.Answer, why: string) =>
  Rule.expect(answer, `accepted, ${why}: HTTP 200 with JSON`, isSuccess(answer))

const windowed = (world: World, value: number) => Spelling.nonce(world.dialect, value, true)

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "auth.public",
    statement: "Public endpoints need no authentication, and do not mind headers of it",
    clause,
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        const bare = yield* world.get(Paths.ping)
        yield* accepted(bare, "without any header")
        const signed = yield* world.send({
          method: "GET",
          path: Paths.ping,
          headers: { "x-txc-apikey": "nobody", "x-txc-payload": "e30=", "x-txc-signature": "00" }
        })
        yield* accepted(signed, "with headers that nobody looks at")
      })
  }),
  Rule.forEach({
    id: "auth.accepts",
    statement: "A call with the four headers, signed as described, is accepted",
    clause,
    profile: "read-only",
    values: Paths.reads,
    check: (world, path) =>
      Effect.gen(function*() {
        yield* accepted(yield* world.call(yield* world.reader, path), "signed as described")
      })
  }),
  Rule.forAll({
    id: "auth.accepts.any-text",
    statement: "What is signed is the body's UTF-8 bytes: a body of any characters is accepted when it is signed",
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
  refused(
    "auth.content-type",
    "Content-type is application/json; a call that says otherwise is refused",
    { headers: { "content-type": "text/plain" } },
    "because Content-type is text/plain"
  ),
  refused(
    "auth.api-key.missing",
    "X-TXC-APIKEY is required",
    { headers: { "x-txc-apikey": undefined } },
    "because there is no X-TXC-APIKEY"
  ),
  Rule.forAll({
    id: "auth.api-key.unknown",
    statement: "X-TXC-APIKEY is the public key: one that the exchange has not given away is refused",
    clause,
    profile: "read-only",
    values: (setting) => fc.tuple(anyPath(setting), fc.uuid()),
    check: (world, [path, key]) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, { headers: { "x-txc-apikey": key } })
        yield* Refusals.some(answer, "because nobody has this key")
      })
  }),
  refused(
    "auth.payload.missing",
    "X-TXC-PAYLOAD is required",
    { headers: { "x-txc-payload": undefined } },
    "because there is no X-TXC-PAYLOAD"
  ),
  refused(
    "auth.payload.base64",
    "X-TXC-PAYLOAD is Base64: the body itself in its place is refused, though it is what was signed",
    { payload: (text) => text },
    "because the payload is not Base64"
  ),
  Rule.forAll({
    id: "auth.payload.is-body",
    statement: "X-TXC-PAYLOAD is the body: a body that is not the one that was signed is refused",
    clause,
    profile: "read-only",
    values: (setting) => fc.tuple(anyPath(setting), fc.constantFrom("x", "limit", "a", "search"), fc.nat(9)),
    check: (world, [path, key, value]) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, {
          body: (text) => text.replace(/\}$/u, `,${JSON.stringify(key)}:${value}}`)
        })
        yield* Refusals.some(answer, "because the body is not what was signed")
      })
  }),
  refused(
    "auth.payload.is-body.nonce",
    "X-TXC-PAYLOAD is the body: one that differs from it in a digit of the nonce is refused",
    { body: (text) => text.replace(/[0-9]("?)(,"nonceWindow":true)?\}$/u, "$1$2}") },
    "because the body's nonce is not the one that was signed"
  ),
  refused(
    "auth.signature.missing",
    "X-TXC-SIGNATURE is required",
    { headers: { "x-txc-signature": undefined } },
    "because there is no X-TXC-SIGNATURE"
  ),
  Rule.forAll({
    id: "auth.signature",
    statement: "X-TXC-SIGNATURE is the payload's HMAC: with any of its digits changed it is refused",
    clause,
    profile: "read-only",
    values: (setting) => fc.tuple(anyPath(setting), fc.nat(127)),
    examples: (setting) => pathsOf(setting).map((path): [string, number] => [path, 127]),
    check: (world, [path, at]) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, {
          signature: (payload, secret) => flip(Signing.hmac(secret, payload), at)
        })
        yield* Refusals.some(answer, "because the signature is wrong")
      })
  }),
  refused(
    "auth.signature.key",
    "The HMAC is keyed with the API secret: one that is keyed with anything else is refused",
    { signature: (payload, secret) => Signing.hmac(`${secret}.`, payload) },
    "because it is signed with another secret"
  ),
  refused(
    "auth.signature.hash",
    "The HMAC's hash is SHA-512: another one is refused",
    { signature: (payload, secret) => Signing.hmac(secret, payload, "sha256") },
    "because it is an HMAC-SHA256"
  ),
  refused(
    "auth.signature.of-payload",
    "What is signed is the payload, that is, the Base64 text: a signature of the body is refused",
    { signature: (_payload, secret, text) => Signing.hmac(secret, text) },
    "because the body was signed, not its Base64"
  ),
  refused(
    "auth.signature.hex",
    "The signature is hexadecimal: the same in Base64 is refused",
    { signature: (payload, secret) => Buffer.from(Signing.hmac(secret, payload), "hex").toString("base64") },
    "because the signature is not hexadecimal"
  ),
  Rule.always({
    id: "auth.signature.other-call",
    statement: "A signature is of one payload: that of another call of the same key is refused",
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
        yield* Refusals.some(answer, "because the signature is of another call")
      })
  }),
  refused(
    "auth.request.required",
    "The body holds request; without it a call is refused",
    { envelope: { request: undefined } },
    "because there is no request in the body",
    enveloped
  ),
  Rule.forAll({
    id: "auth.request.path",
    statement: "request is the path of the endpoint that is called; any other is refused",
    clause,
    profile: "read-only",
    values: (setting) =>
      fc.tuple(
        anyPath(setting),
        fc.constantFrom<Array<unknown>>(
          "",
          "/",
          "/api/v4",
          Paths.ping,
          Paths.markets,
          "/api/v4/order/new",
          1,
          null
        )
      ),
    check: (world, [path, request]) =>
      Effect.gen(function*() {
        const answer = yield* faulty(world, path, { envelope: { request } })
        yield* Refusals.some(answer, "because request is not the path")
      })
  }),
  Rule.always({
    id: "auth.request.prefix",
    statement: "request begins with /api/v4: the path without it is refused",
    clause,
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, Paths.mainBalance, {}, {
          envelope: { request: Paths.mainBalance.replace("/api/v4", "") }
        })
        yield* Refusals.some(answer, "because request does not begin with /api/v4")
      })
  }),
  refused(
    "auth.nonce.required",
    "The body holds nonce; without it a call is refused",
    { envelope: { nonce: undefined } },
    "because there is no nonce in the body",
    enveloped
  ),
  Rule.forEach({
    id: "auth.nonce.form",
    statement: "The nonce is a numeric string",
    clause,
    profile: "read-only",
    live: Rule.other("an integer is accepted too; anything that is neither is refused"),
    values: ["", "abc", "1e9", " 1", true, [], {}, null, 1.5],
    check: (world, nonce) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, Paths.mainBalance, {}, { envelope: { nonce } })
        yield* Refusals.some(answer, "because the nonce is no number in a string")
      })
  }),
  Rule.forEach({
    id: "auth.nonce.unique",
    statement: "A nonce is unique per request: the second call with it is refused, whatever either of them asks for",
    clause,
    profile: "read-only",
    values: (
      setting
    ) => [[Paths.fees, Paths.subAccounts], ...pathsOf(setting).map((path) => [Paths.mainBalance, path])],
    check: (world, [first = "", second = ""]) =>
      Effect.gen(function*() {
        const account = yield* world.reader
        const envelope = yield* world.nonce(account)
        yield* accepted(yield* world.call(account, first, {}, { envelope }), "with a nonce that is new")
        const answer = yield* world.call(account, second, yield* fieldsOf(world, account, second), { envelope })
        yield* Refusals.some(answer, "because the nonce was used")
      })
  }),
  Rule.always({
    id: "auth.nonce.unique.refused-call",
    statement: "A call that is refused for its fields has used its nonce",
    ...stance,
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.reader
        const envelope = yield* world.nonce(account)
        yield* world.call(account, Paths.subAccounts, { limit: 0 }, { envelope })
        const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope })
        yield* Refusals.some(answer, "because the nonce was used by a call that was refused")
      })
  }),
  Rule.always({
    id: "auth.nonce.unused",
    statement: "A call whose signature is wrong has used no nonce: nobody can use up the nonces of another's key",
    ...stance,
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.reader
        const envelope = yield* world.nonce(account)
        yield* world.call(account, Paths.mainBalance, {}, { envelope, signature: () => "0".repeat(128) })
        const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope })
        yield* accepted(answer, "because nobody who may has used this nonce")
      })
  }),
  Rule.always({
    id: "auth.nonce.per-key",
    statement: "Nonces are counted per key: two keys may use the same one",
    clause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const [one, two] = [yield* world.open({ isPoor: true }), yield* world.open({ isPoor: true })]
        const envelope = yield* world.nonce(one)
        yield* accepted(yield* world.call(one, Paths.mainBalance, {}, { envelope }), "the first key's nonce is new")
        yield* accepted(yield* world.call(two, Paths.mainBalance, {}, { envelope }), "the other key's is too")
      })
  }),
  Rule.always({
    id: "auth.nonce.race",
    statement: "Of several calls that arrive together with one nonce exactly one is accepted",
    clause,
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isPoor: true })
        const envelope = yield* world.nonce(account)
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => world.call(account, Paths.mainBalance, {}, { envelope })),
          { concurrency: "unbounded" }
        )
        const count = answers.filter(isSuccess).length
        yield* Rule.conclude("one of eight calls with one nonce is accepted", `${count} are`, count === 1, answers[0])
      })
  }),
  Rule.forAll({
    id: "auth.nonce.any-order",
    statement: "Nonces need not arrive in order, as long as each is new",
    ...stance,
    live: Rule.other("as long as they ask for it with nonceWindow and are near the clock"),
    values: fc.shuffledSubarray([3, 1, 4, 5, 9, 2, 6], { minLength: 7 }),
    profile: "control",
    check: (world, offsets) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isPoor: true })
        const now = yield* world.now
        for (const offset of offsets) {
          const envelope = windowed(world, now + offset)
          yield* accepted(yield* world.call(account, Paths.mainBalance, {}, { envelope }), "with a nonce that is new")
        }
      })
  }),
  Rule.forAll({
    id: "auth.nonce.interleaved",
    statement: "Calls that run side by side, each with a nonce of its own, are all accepted",
    ...stance,
    profile: "control",
    values: fc.integer({ min: 2, max: 24 }),
    check: (world, count) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isPoor: true })
        const now = yield* world.now
        const answers = yield* Effect.all(
          Array.from({ length: count }, (_, index) =>
            world.call(account, Paths.mainBalance, {}, { envelope: windowed(world, now + index) })),
          { concurrency: "unbounded" }
        )
        yield* Effect.forEach(answers, (answer) =>
          accepted(answer, "with a nonce of its own"), { discard: true })
      })
  }),
  Rule.always({
    id: "auth.nonce.increasing",
    statement: "Without nonceWindow nonces increase: one that is not above the greatest so far is refused",
    clause,
    level: "SHOULD",
    document: Rule.notApplicable("the document asks for unique nonces only"),
    live: Rule.other("nonces of a key increase unless nonceWindow is true"),
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isPoor: true })
        const now = yield* world.now
        yield* accepted(
          yield* world.call(account, Paths.mainBalance, {}, { envelope: { nonce: now } }),
          "with the first nonce"
        )
        const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope: { nonce: now - 1 } })
        yield* Refusals.as(answer, { status: 429, codes: [0] }, "because the nonce is below the last one")
      })
  }),
  Rule.forEach({
    id: "auth.nonce.window",
    statement: "With nonceWindow a nonce is a time in milliseconds, at most five seconds from the exchange's clock",
    clause,
    level: "SHOULD",
    document: Rule.notApplicable("the document shows no acceptance window"),
    live: Rule.other("refused when it is more than five seconds off"),
    values: [-3_600_000, -60_000, 60_000, 3_600_000],
    check: (world, off) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isPoor: true })
        const envelope = { nonce: (yield* world.now) + off, nonceWindow: true }
        const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope })
        yield* Refusals.as(answer, { status: 400, codes: [9] }, "because the nonce is far from the clock")
      })
  }),
  Rule.forEach({
    id: "auth.body.spacing",
    statement: "Any JSON text of the body is as good as another, as long as it is what was signed",
    clause,
    level: "SHOULD",
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
          ? Refusals.some(answer, "because the body is not compact")
          : accepted(answer, "because spaces mean nothing in JSON")
      })
  }),
  Rule.always({
    id: "auth.key.disabled",
    statement: "A key that is switched off opens nothing, and opens again when it is switched on",
    clause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isPoor: true })
        const apiKey = Redacted.value(account.apiKey)
        yield* world.control("SetKey", { apiKey, enabled: false })
        const answer = yield* world.call(account, Paths.mainBalance)
        yield* Refusals.as(answer, { status: 401, codes: [2] }, "because the key is disabled")
        yield* world.control("SetKey", { apiKey, enabled: true })
        yield* accepted(yield* world.call(account, Paths.mainBalance), "because the key is enabled again")
      })
  }),
  Rule.forAll({
    id: "auth.key.endpoints",
    statement: "A key that is restricted to a list of endpoints may call those and no others",
    clause,
    values: fc.tuple(fc.subarray([...Paths.reads]), fc.constantFrom(...Paths.reads)),
    examples: [[[Paths.fees], Paths.mainBalance], [[Paths.fees], Paths.fees], [[], Paths.fees]],
    check: (world, [endpoints, path]) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isPoor: true, endpoints })
        const answer = yield* world.call(account, path)
        yield* endpoints.includes(path)
          ? accepted(answer, "because the endpoint is on the key's list")
          : Refusals.some(answer, "because the endpoint is not on the key's list")
      })
  }),
  Rule.always({
    id: "auth.key.endpoints.refusal",
    statement: "A call that the key's list does not hold is refused with HTTP 401, code 4",
    clause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isPoor: true, endpoints: [Paths.fees] })
        const answer = yield* world.call(account, Paths.mainBalance)
        yield* Refusals.as(answer, { status: 401, codes: [4] }, "because the endpoint is not on the key's list")
      })
  }),
  Rule.always({
    id: "auth.b2b",
    statement: "Fixed-term lending is for business partners: others are refused",
    clause,
    check: (world) =>
      Effect.gen(function*() {
        const [other, partner] = [yield* world.open({ isPoor: true, b2b: false }), yield* world.open({ isPoor: true })]
        yield* Refusals.some(yield* world.call(other, Paths.interest), "because the account is no partner's")
        yield* accepted(yield* world.call(partner, Paths.interest), "because the account is a partner's")
      })
  }),
  Rule.always({
    id: "auth.b2b.refusal",
    statement: "Who has no partner access is refused with HTTP 403, code 0",
    clause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.open({ isPoor: true, b2b: false }), Paths.interest)
        yield* Refusals.as(answer, { status: 403, codes: [0] }, "because the account is no partner's")
      })
  }),
  Rule.forEach({
    id: "auth.refusal",
    statement: "A call that is not authenticated is refused with HTTP 401, code 10",
    ...stance,
    values: Paths.reads,
    check: (world, path) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, path, {}, { signature: () => "f".repeat(128) })
        yield* Refusals.as(answer, unauthorized, "because the signature is wrong")
      })
  }),
  Rule.always({
    id: "auth.nonce.refusal",
    statement: "A nonce that was used is refused with HTTP 429, code 0, and words of its own",
    ...stance,
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.reader
        const envelope = yield* world.nonce(account)
        yield* world.call(account, Paths.mainBalance, {}, { envelope })
        const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope })
        yield* Refusals.as(answer, { status: 429, codes: [0] }, "because the nonce was used")
        yield* Rule.expect(
          answer,
          "the message Too many requests.",
          Json.isObject(answer.json) && answer.json["message"] === "Too many requests."
        )
      })
  }),
  Rule.forEach({
    id: "auth.isolation",
    statement: "A key shows the balance of its own account, not of another's",
    clause,
    values: ["1", "2.5"],
    check: (world, amount) =>
      Effect.gen(function*() {
        const [rich, poor] = [yield* world.open({ isPoor: true }), yield* world.open({ isPoor: true })]
        yield* world.control("Fund", { account: rich.id, wallet: "main", ticker: "ETH", amount })
        const answer = yield* world.call(poor, Paths.mainBalance)
        yield* Rule.expect(answer, "no ETH", Json.isObject(answer.json) && answer.json["ETH"] === undefined)
      })
  })
]
