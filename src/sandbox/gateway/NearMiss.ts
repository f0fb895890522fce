/**
 * Finds the mistake that probably led to a call's refusal. Real exchanges give no such hints, although client
 * developers need them.
 */
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import { createHmac } from "node:crypto"
import { nonceWindowMillis } from "../../domain/VenuePolicy.ts"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import * as Json from "../../protocol/Json.ts"
import * as Signature from "../../protocol/Signature.ts"
import type { Key, State } from "../engine/State.ts"
import { tradingKeyType } from "./Admission.ts"
import { header, type Request } from "./Message.ts"
import * as Unserved from "./Unserved.ts"

/** A refused call, with the facts that explain the refusal. */
export interface Refused {
  /** The refused request. */
  readonly request: Request
  /** The venue's dialect. */
  readonly dialect: Dialect
  /** The state of the exchange: its keys, and the nonces that they have used. */
  readonly state: State
  /** The endpoint with the request's path, if there is one. */
  readonly endpoint: Endpoint.Any | undefined
  /** The paths of all endpoints. */
  readonly paths: Iterable<string>
  /** The endpoint's current rate limit. */
  readonly limit: Endpoint.RateLimit | undefined
  /** The time on the clock that nonces are checked against, in Unix microseconds. */
  readonly at: number
}

const keyOf = ({ request, state }: Refused): Key | undefined =>
  state.keys.get(header(request, Signature.headers.apiKey) as never)

const hmac = (algorithm: string, secret: string, text: string | Uint8Array) =>
  createHmac(algorithm, secret).update(text).digest()

const instant = (micros: number): string => DateTime.formatIso(DateTime.makeUnsafe(micros / 1000))

/**
 * A refused signature is compared with the secrets of at most this many keys, so that the number of hashes does not
 * grow with the number of keys.
 */
const triedSecrets = 100

const signature = (refused: Refused): string => {
  const { request, state } = refused
  const given = header(request, Signature.headers.signature)
  const apiKey = header(request, Signature.headers.apiKey)
  const key = keyOf(refused)
  if (apiKey === "") return "there is no X-TXC-APIKEY header"
  if (key === undefined) {
    const trimmed = apiKey.trim().toLowerCase()
    for (const known of state.keys.keys()) {
      if (known.toLowerCase() === trimmed) return "the key differs from a known one only in case or spaces"
    }
    return "the key is unknown"
  }
  if (given === "") return "there is no X-TXC-SIGNATURE header"
  const payload = header(request, Signature.headers.payload)
  const right = hmac("sha512", key.apiSecret, payload)
  if (given.toLowerCase() === right.toString("hex")) return "the signature is right, but must be in lower case"
  if (given === right.toString("base64")) return "the signature is right, but must be hexadecimal, not Base64"
  const mistakes: ReadonlyArray<readonly [string, Buffer]> = [
    ["the body was signed instead of the payload header", hmac("sha512", key.apiSecret, request.body)],
    ["it was signed with HMAC-SHA256 instead of HMAC-SHA512", hmac("sha256", key.apiSecret, payload)],
    ["it was signed with the secret followed by a line feed", hmac("sha512", `${key.apiSecret}\n`, payload)],
    ["it was signed with the API key instead of the secret", hmac("sha512", key.apiKey, payload)],
    [
      "the signature is for a different payload: the one that matches the body",
      hmac("sha512", key.apiSecret, Signature.payloadOf(request.body))
    ]
  ]
  for (const [hint, digest] of mistakes) if (given.toLowerCase() === digest.toString("hex")) return hint
  for (const other of state.keys.values().take(triedSecrets)) {
    if (other !== key && given.toLowerCase() === hmac("sha512", other.apiSecret, payload).toString("hex")) {
      return `it was signed with the secret of another key, "${other.title}"`
    }
  }
  return "the signature does not match this payload and this key's secret"
}

const payload = ({ dialect, request }: Refused): string => {
  const given = header(request, Signature.headers.payload)
  const type = header(request, "content-type").split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json") return `the content type is "${type?.slice(0, 100) ?? ""}", not application/json`
  const decoded = Buffer.from(given, "base64")
  const body = Buffer.from(request.body)
  const isCanonical = dialect.policy.payload === "compact-body"
  const compact = Json.compact(body.toString("utf8"))
  if (given !== Signature.payloadOf(body) && !(isCanonical && given === Signature.payloadOf(Buffer.from(compact)))) {
    if (decoded.equals(body)) return "the payload header is the body, but not in standard Base64 with its padding"
    if (given === body.toString("utf8")) return "the payload header is the body itself; it must be the body in Base64"
    if (body.length === 0) return "there is no body: send the one that the payload header encodes"
    const [there, here] = [decoded, body].map((bytes) => objectOf(bytes))
    const fields = there === undefined || here === undefined ? [] : differences(there, here)
    return fields.length === 0
      ? "the payload header decodes to a different body: send exactly the bytes that were encoded"
      : `the payload header decodes to a different body; they differ in ${fields.join(", ")}`
  }
  const parsed = Json.parse(body.toString("utf8"))
  if (Result.isFailure(parsed)) return "the body is not JSON"
  if (!Json.isObject(parsed.success)) return "the body is JSON, but not an object"
  if (!Json.isUnique(body.toString("utf8"), parsed.success)) return "the body contains a duplicate key"
  return isCanonical && compact !== decoded.toString("utf8")
    ? "the payload header has spaces between its JSON tokens; this dialect requires compact JSON there"
    : "the body is not well-formed UTF-8"
}

const objectOf = (bytes: Buffer): Readonly<Record<string, unknown>> | undefined => {
  const parsed = Json.parse(bytes.toString("utf8"))
  return Result.isSuccess(parsed) && Json.isObject(parsed.success) ? parsed.success : undefined
}

/** Whether two values differ. Values nested too deeply to be serialized are treated as equal. */
const isOther = (a: unknown, b: unknown): boolean =>
  Result.getOrElse(Result.try(() => Json.stringify({ value: a }) !== Json.stringify({ value: b })), () => false)

/** The names of up to five fields in which two objects differ. Names that do not look like field names are left out. */
const differences = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => /^\w{1,40}$/u.test(name) && isOther(a[name], b[name]))
    .slice(0, 5)

const bodyOf = ({ body }: Request): Readonly<Record<string, unknown>> => objectOf(Buffer.from(body)) ?? {}

const envelope = ({ endpoint, request }: Refused): string => {
  const { request: path } = bodyOf(request)
  return path === undefined
    ? "the body has no field \"request\""
    : `the body's "request" is not the path that was called, ${endpoint?.path ?? request.path}`
}

const numericNonce = "; the live dialect sends a number: set TXC_DIALECT=document, or serve --dialect live"

const nonceForm = ({ dialect, request }: Refused): string => {
  const { nonce } = bodyOf(request)
  if (nonce === undefined) return "the body has no field \"nonce\""
  return dialect.policy.nonce === "unique"
    ? `the nonce must be a string of digits${typeof nonce === "number" ? numericNonce : ""}`
    : "the nonce must be an integer or a string of digits"
}

const nonceOf = (request: Request): bigint | undefined => {
  const { nonce } = bodyOf(request)
  const text = String(nonce)
  return /^\d{1,20}$/u.test(text) ? BigInt(text) : undefined
}

const usedNonce = (refused: Refused): string | undefined => {
  const nonce = nonceOf(refused.request)
  const key = keyOf(refused)
  if (nonce === undefined || key === undefined) return undefined
  const used = key.usedNonces.get(nonce)
  if (used !== undefined) return `signed with the right secret, but the nonce was used at ${instant(used)}`
  return `signed with the right secret, but the nonce must be greater than ${key.greatestNonce}, the greatest so far`
}

const distantNonce = ({ at, request }: Refused): string | undefined => {
  const nonce = nonceOf(request)
  if (nonce === undefined) return undefined
  const now = BigInt(Math.floor(at / 1000))
  const apart = nonce > now ? nonce - now : now - nonce
  const [unit] =
    ([["seconds", nonce * 1000n], ["microseconds", nonce / 1000n], ["nanoseconds", nonce / 1_000_000n]] as const)
      .find(([, millis]) => (millis > now ? millis - now : now - millis) < 86_400_000n) ?? []
  if (unit !== undefined) return `the nonce counts ${unit}; it must be Unix milliseconds`
  const seconds = Number(apart) / 1000
  return `the nonce is ${seconds} s ${nonce > now ? "ahead of" : "behind"} the exchange's clock, which is ` +
    `${instant(at)}; it may differ by ${nonceWindowMillis / 1000} s`
}

const notAllowed = (refused: Refused): string => {
  const { endpoints, type } = keyOf(refused) ?? {}
  const { endpoint } = refused
  if (endpoints !== undefined && !endpoints.some(({ name }) => name === endpoint?.path)) {
    return `the key may only call ${endpoints.map(({ name }) => name).join(", ") || "nothing"}`
  }
  // With a trading key, admission refuses only the calls that move funds. Calls about orders are refused by the engine,
  // if the sub-account lacks a permission.
  return type === tradingKeyType && !endpoint?.path.includes("/order/")
    ? `the key is of type ${tradingKeyType}: it can read and trade, but not move funds`
    : "the sub-account has no permission for such orders"
}

/** The edit distance between two strings, or `most + 1` if their lengths already differ by more than `most`. */
export const distance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? most + 1
}

/** The maximum edit distance between a misspelled path and the known path that is suggested. */
const misspelling = 6

/** Suggests a known path that is similar to an unknown one; `undefined` if no path is similar. */
export const suggestion = (path: string, paths: Iterable<string>): string | undefined => {
  const near = [...paths].map((known) => [known, distance(path.slice(0, 200), known, misspelling)] as const)
    .toSorted(([, a], [, b]) => a - b)[0]
  return near !== undefined && near[1] <= misspelling ? `did you mean ${near[0]}?` : undefined
}

/** Explains the caller's probable mistake; `undefined` if the refusal already explains it. */
export const explain = (kind: RefusalKind, refused: Refused): string | undefined => {
  const { endpoint } = refused
  switch (kind) {
    case "unauthorized":
      return signature(refused)
    case "payloadMissing":
      return "the X-TXC-PAYLOAD header is missing; it must contain the body in Base64"
    case "payloadInvalid":
      return payload(refused)
    case "requestMissing":
      return envelope(refused)
    case "nonceMissing":
      return nonceForm(refused)
    case "nonceUsed":
      return usedNonce(refused)
    case "nonceWindowInvalid":
      return "nonceWindow must be true or false, without quotes"
    case "nonceOutsideWindow":
      return distantNonce(refused)
    case "keyDisabled":
      return "the key is disabled"
    case "endpointNotAllowed":
      return notAllowed(refused)
    case "noB2bAccess":
      return "the endpoint is B2B-only, and the account is not a business partner"
    case "rateLimited":
      return refused.limit && `more than ${refused.limit.calls} calls in ${refused.limit.perSeconds} s`
    case "notFound":
      return endpoint === undefined ? suggestion(refused.request.path, refused.paths) ?? "no such path" : undefined
    case "notServed":
      return `this sandbox does not serve ${Unserved.find(refused.request.path)?.name ?? "this"}`
    case "methodNotAllowed":
      return endpoint && `the method of this path is ${endpoint.method}`
    default:
      return undefined
  }
}
