/**
 * Who may make a call: the headers, the payload, the signature, the key and what it may do, the rate, the envelope
 * (document, "Authentication" and "Limits"). Whether the nonce can be used is for the engine to say.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHmac, timingSafeEqual } from "node:crypto"
import { ApiKey } from "../../domain/Identifiers.ts"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import * as Json from "../../protocol/Json.ts"
import * as Signature from "../../protocol/Signature.ts"
import type * as Command from "../engine/Command.ts"
import type { Key, State } from "../engine/State.ts"
import type { Limits } from "./Limits.ts"
import type { Request } from "./Message.ts"

/**
 * A call that may be made: by which key, with which nonce, and the body without its envelope.
 *
 * @category models
 * @since 0.1.0
 */
export interface Admitted {
  readonly key: Key
  readonly nonce: Command.Nonce | undefined
  readonly fields: Readonly<Record<string, unknown>>
}

const header = (request: Request, name: string): string => {
  const value = request.headers[name]
  return typeof value === "string" ? value : ""
}

/** What an unknown key's signature is compared with, so that it takes as long as a known one's. */
const nobody = "no secret"

const isSignedWith = (secret: string, payload: string, signature: string): boolean => {
  const expected = createHmac("sha512", secret).update(payload).digest()
  const given = Buffer.from(signature, "hex")
  return given.length === expected.length && /^[0-9a-f]+$/u.test(signature) && timingSafeEqual(given, expected)
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The fields of a body; none when it is no JSON object, or one whose fields are not beyond doubt. */
const toFields = (dialect: Dialect, body: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  const text = Result.try(() => decoder.decode(body))
  if (Result.isFailure(text)) return undefined
  const json = Json.parse(text.success)
  if (Result.isFailure(json) || !Json.isObject(json.success)) return undefined
  const { isCompact, repeatsKey } = Json.inspect(text.success)
  return repeatsKey || (dialect.policy.compactJson && !isCompact) ? undefined : json.success
}

const digits = /^[0-9]{1,20}$/u

/** The nonce as the dialect writes it: a text of digits in the document's, an integer or such a text in the live one. */
const toNonce = (dialect: Dialect, nonce: unknown, window: unknown): Command.Nonce | undefined => {
  const counted = dialect.policy.nonce !== "unique" && (typeof nonce === "bigint" || Number.isSafeInteger(nonce))
  const text = typeof nonce === "string" || counted ? String(nonce) : ""
  return digits.test(text) ? { value: BigInt(text), window: window === true } : undefined
}

/**
 * Admits a call of a private endpoint, or says why it is refused. Changes nothing but the count of calls.
 *
 * @category admission
 * @since 0.1.0
 */
export const admit = (
  dialect: Dialect,
  state: State,
  limits: Limits,
  endpoint: Endpoint.Any,
  request: Request,
  at: number
): Result.Result<Admitted, RefusalKind> => {
  const payload = header(request, Signature.headers.payload)
  if (payload === "") return Result.fail("payloadMissing")
  const apiKey = Schema.decodeResult(ApiKey)(header(request, Signature.headers.apiKey))
  const key = Result.isSuccess(apiKey) ? state.keys.get(apiKey.success) : undefined
  const signed = isSignedWith(key?.apiSecret ?? nobody, payload, header(request, Signature.headers.signature))
  if (key === undefined || !signed) return Result.fail("unauthorized")

  const type = header(request, "content-type").split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json" || payload !== Signature.payloadOf(request.body)) return Result.fail("payloadInvalid")
  const body = toFields(dialect, request.body)
  if (body === undefined) return Result.fail("payloadInvalid")

  if (!key.enabled) return Result.fail("keyDisabled")
  if (key.endpoints !== undefined && !key.endpoints.some(({ name }) => name === endpoint.path)) {
    return Result.fail("endpointNotAllowed")
  }
  if (endpoint.b2b && state.accounts.get(key.account)?.b2b !== true) return Result.fail("noB2bAccess")
  if (!limits.admit(key.apiKey, endpoint.path, endpoint.rateLimit, at)) return Result.fail("rateLimited")

  const { nonce: given, nonceWindow, request: path, ...fields } = body
  const required = dialect.policy.envelope === "always" || endpoint.envelope === "required"
  if (path === undefined ? required : path !== endpoint.path) return Result.fail("requestMissing")
  const nonce = toNonce(dialect, given, nonceWindow)
  if (nonce === undefined && (required || given !== undefined)) return Result.fail("nonceMissing")
  return Result.succeed({ key, nonce, fields })
}
