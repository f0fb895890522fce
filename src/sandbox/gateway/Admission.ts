/**
 * Decides whether a call is admitted (the document, "Authentication" and "Limits"). For a private call, admission
 * checks, in this order: payload header, key and signature, content type and body, permissions, rate limit, envelope,
 * nonce. The engine then checks whether the nonce has been used. For a public call, admission checks only the rate
 * limit.
 */
import * as Result from "effect/Result"
import { isUtf8 } from "node:buffer"
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"
import { nonceWindowMillis } from "../../domain/VenuePolicy.ts"
import * as CodeCreation from "../../endpoints/CodeCreation.ts"
import * as Codes from "../../endpoints/Codes.ts"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import * as Json from "../../protocol/Json.ts"
import * as Signature from "../../protocol/Signature.ts"
import type * as Command from "../engine/Command.ts"
import type { Key, State } from "../engine/State.ts"
import * as Limits from "./Limits.ts"
import { header, type Request } from "./Message.ts"
import type { Routed } from "./Routing.ts"

/** An admitted call. */
export interface Admitted {
  /** The key that signed the call; `undefined` for public calls. */
  readonly key: Key | undefined
  /** The nonce, if the call has one. */
  readonly nonce: Command.Nonce | undefined
  /** The request's fields, keyed by their wire keys. No endpoint has a field named like an envelope field. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The parts of the venue that admission depends on. */
export interface Context {
  /** The dialect of the venue. */
  readonly dialect: Dialect
  /** The state of the exchange: its keys and accounts. */
  readonly state: State
  /** The rate limits, with the calls counted so far. */
  readonly limits: Limits.Limits
  /** The time on the venue's clock, which rate limits use, in Unix microseconds. */
  readonly at: number
  /** The time on the clock that nonces are checked against, in Unix microseconds. */
  readonly serverTime: number
}

const prepare = (secret: string): KeyObject => createSecretKey(Buffer.from(secret))

/** Stands in for the secret of an unknown key, so that checking a call's signature takes as long as for a known key. */
const nobody = prepare("no secret")

/**
 * The secrets of keys, prepared for checking signatures. A key never changes its secret, and its entry here is dropped
 * together with the key.
 */
const prepared = new WeakMap<Key, KeyObject>()

const secretOf = (key: Key | undefined): KeyObject => {
  if (key === undefined) return nobody
  const known = prepared.get(key)
  if (known !== undefined) return known
  const secret = prepare(key.apiSecret)
  prepared.set(key, secret)
  return secret
}

const isSignedWith = (secret: KeyObject, payload: string, signature: string): boolean => {
  const expected = Buffer.from(createHmac("sha512", secret).update(payload).digest("hex"))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const isJson = (type: string): boolean =>
  type === "application/json" || type.split(";")[0]?.trim().toLowerCase() === "application/json"

/**
 * The text that was signed, if the payload encodes the body; `undefined` otherwise. In a dialect that signs compact
 * JSON, this is the body without the spaces between its tokens.
 */
const signedText = ({ policy }: Dialect, payload: string, body: Uint8Array): string | undefined => {
  if (!isUtf8(body)) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8")
  if (policy.payload === "body" || !/[\t\n\r ]/u.test(text)) {
    return payload === Signature.payloadOf(body) ? text : undefined
  }
  const compact = Json.compact(text)
  const isSigned = payload === Signature.payloadOf(Buffer.from(compact))
  // Without its spaces, an invalid body can become valid JSON, so the body itself is checked as well.
  return isSigned && Result.isSuccess(Json.parse(text)) ? compact : undefined
}

/**
 * The fields of a body; `undefined` if the body is not the JSON object that was signed, or if a key is duplicated.
 */
const toFields = (dialect: Dialect, payload: string, body: Uint8Array): Admitted["fields"] | undefined => {
  const text = signedText(dialect, payload, body)
  const json = text === undefined ? undefined : Result.getOrUndefined(Json.parseUnique(text))
  return Json.isObject(json) ? json : undefined
}

const hasWindow = ({ policy }: Dialect): boolean => policy.nonce === "increasing-or-window"

const digits = /^[0-9]{1,20}$/u

/** Whether a nonce with `nonceWindow` is too far from the clock. */
const isOutsideWindow = ({ value, window }: Command.Nonce, serverTime: number): boolean => {
  const distance = value - BigInt(Math.floor(serverTime / 1000))
  return window && (distance > nonceWindowMillis || distance < -nonceWindowMillis)
}

/**
 * Reads a nonce in the dialect's form: a string of digits in the document's dialect; an integer or such a string in the
 * live dialect. Returns `undefined` if the nonce is missing or has another form.
 */
const toNonce = (dialect: Dialect, nonce: unknown, window: unknown): Command.Nonce | undefined => {
  const counted = dialect.policy.nonce !== "unique" && (typeof nonce === "bigint" || Number.isSafeInteger(nonce))
  const text = typeof nonce === "string" || counted ? String(nonce) : ""
  return digits.test(text) ? { value: BigInt(text), window: window === true && hasWindow(dialect) } : undefined
}

/**
 * The type of the keys that can only read and trade. Keys of other types may also move funds in and out of the
 * exchange.
 */
export const tradingKeyType = "1"

/** The calls that move funds into or out of the account: applying a code and creating a code. */
const movesFunds: ReadonlySet<string> = new Set([CodeCreation.endpoint.path, Codes.endpoint.path])

/** Whether a key's restrictions and type allow a call (the document, "Authentication", 4). */
const isAllowed = ({ endpoints, type }: Key, { path }: Endpoint.Any): boolean =>
  (endpoints === undefined || endpoints.some(({ name }) => name === path)) &&
  !(type === tradingKeyType && movesFunds.has(path))

const admitPrivate = (
  { at, dialect, limits, serverTime, state }: Context,
  endpoint: Endpoint.Any,
  request: Request
): Result.Result<Admitted, RefusalKind> => {
  const payload = header(request, Signature.headers.payload)
  if (payload === "") return Result.fail("payloadMissing")
  // A header that does not have the format of a key matches no key.
  const key = state.keys.get(header(request, Signature.headers.apiKey) as never)
  const isSigned = isSignedWith(secretOf(key), payload, header(request, Signature.headers.signature))
  if (key === undefined || !isSigned) return Result.fail("unauthorized")

  if (!isJson(header(request, "content-type"))) return Result.fail("payloadInvalid")
  const body = toFields(dialect, payload, request.body)
  if (body === undefined) return Result.fail("payloadInvalid")

  if (!key.enabled) return Result.fail("keyDisabled")
  if (!isAllowed(key, endpoint)) return Result.fail("endpointNotAllowed")
  if (endpoint.b2b && state.accounts.get(key.account)?.b2b !== true) return Result.fail("noB2bAccess")
  if (!limits.admit(key.apiKey, Limits.countedAs(endpoint), endpoint.rateLimit, at)) return Result.fail("rateLimited")

  const { nonce: given, nonceWindow, request: path } = body
  const required = dialect.policy.envelope === "always" || endpoint.envelope === "required"
  if (path === undefined ? required : path !== endpoint.path) return Result.fail("requestMissing")
  if (hasWindow(dialect) && nonceWindow !== undefined && typeof nonceWindow !== "boolean") {
    return Result.fail("nonceWindowInvalid")
  }
  const nonce = toNonce(dialect, given, nonceWindow)
  if (nonce === undefined && (required || given !== undefined)) return Result.fail("nonceMissing")
  if (nonce !== undefined && isOutsideWindow(nonce, serverTime)) return Result.fail("nonceOutsideWindow")
  return Result.succeed({ key, nonce, fields: body })
}

const admitPublic = (
  { at, limits }: Context,
  endpoint: Endpoint.Any,
  inPath: Readonly<Record<string, string>>,
  { from, query = "" }: Request
): Result.Result<Admitted, RefusalKind> => {
  if (!limits.admit(from, Limits.countedAs(endpoint), endpoint.rateLimit, at)) return Result.fail("rateLimited")
  const fields = { ...Object.fromEntries(new URLSearchParams(query)), ...inPath }
  return Result.succeed({ key: undefined, nonce: undefined, fields })
}

/** Admits a call, or gives the reason for refusing it. Changes nothing except the number of counted calls. */
export const admit = (
  context: Context,
  { inPath, route: { endpoint } }: Routed,
  request: Request
): Result.Result<Admitted, RefusalKind> =>
  endpoint.access === "public"
    ? admitPublic(context, endpoint, inPath, request)
    : admitPrivate(context, endpoint, request)
