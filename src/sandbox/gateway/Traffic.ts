/** The requests and responses of the latest calls, stored as sent. Secrets are removed when a call is shown. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Json from "../../protocol/Json.ts"
import * as Signature from "../../protocol/Signature.ts"
import * as CallLog from "./CallLog.ts"
import type { Answer, Request, Written } from "./Message.ts"

/** A call's request and response, without keys, signatures, passphrases or codes. */
export interface Shown {
  /** The URL's query; empty if there was none. */
  readonly query: string
  /** The request headers. A secret value is shown as `***`. */
  readonly headers: Readonly<Record<string, string>>
  /** The request body, truncated to 4000 characters. */
  readonly body: string
  /** The HTTP status; absent if the connection was reset. */
  readonly status?: number
  /** The response headers. */
  readonly answerHeaders: Readonly<Record<string, string>>
  /** The response body, truncated to 4000 characters; empty if the response was sent in parts. */
  readonly answer: string
}

/** The schema of {@link Shown}. */
export const Shown: Schema.Codec<Shown, unknown> = Schema.Struct({
  query: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  answerHeaders: Schema.Record(Schema.String, Schema.String),
  answer: Schema.String
})

/** A call's request and response, as sent. */
export interface Kept {
  /** The call's number in the log. */
  readonly number: number
  /**
   * The request. If its body exceeds 4096 bytes, or the entire request 8192 bytes, the body is truncated to 4096 bytes,
   * and only the first 256 characters of the path, the query and each of the first 32 headers are stored.
   */
  readonly request: Request
  /** Whether the request was stored in full. */
  readonly whole: boolean
  /**
   * The response; `undefined` if the connection was reset. The body is truncated to 4096 characters, and is empty if it
   * was sent in parts.
   */
  readonly answer: Written | undefined
}

/** The requests and responses of the latest calls, as sent. */
export interface Traffic {
  /** Adds a call with its number in the log. The request and the response must not change afterwards. */
  readonly add: (number: number, request: Request, answer: Answer) => void
  /** Returns a call by its number; `undefined` if the call is no longer stored. */
  readonly get: (number: number) => Kept | undefined
}

/** The maximum number of calls that are stored. */
export const kept = 1000

const longest = 4096

/** The maximum length of a string in a request that is not stored in full, in characters. */
const longestPart = 256

/** Truncates a string. A truncated string is a copy, because a slice would keep the entire string alive. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(text.slice(0, most)).toString()

const sizeOf = ({ body, headers, path, query = "" }: Request): number => {
  let size = body.length + path.length + query.length
  for (const name in headers) {
    const value = headers[name]
    size += name.length + (typeof value === "string" ? value : String(value)).length
  }
  return size
}

/**
 * Copies a body that is part of a larger buffer, such as a connection's read buffer, because a slice would keep the
 * entire buffer alive.
 */
const keptBody = (body: Uint8Array): Uint8Array =>
  body.length <= longest && body.length === body.buffer.byteLength ? body : new Uint8Array(body.subarray(0, longest))

const cutHeaders = (headers: Request["headers"]): Request["headers"] =>
  Object.fromEntries(
    Object.entries(headers).slice(0, 32).map(([name, value]) =>
      [cut(name, longestPart), cut(String(value), longestPart)] as const
    )
  )

/**
 * A slot for a call. A later call overwrites the slot's fields. If it got a new slot instead, the old slot would become
 * garbage in the old generation: it would be collected late, and keep its references alive until then.
 */
class Slot {
  private number = 0
  private method = ""
  private path = ""
  private query = ""
  private headers: Request["headers"] = {}
  private body: Uint8Array = new Uint8Array()
  private from = ""
  private whole = false
  private status: number | undefined
  private answerHeaders: Written["headers"] = {}
  private answerBody = ""

  set(number: number, request: Request, answer: Answer): void {
    const { body, from, headers, method, path, query = "" } = request
    const whole = body.length <= longest && sizeOf(request) <= 2 * longest
    this.number = number
    this.method = method
    this.path = whole ? path : cut(path, longestPart)
    this.query = whole ? query : cut(query, longestPart)
    this.headers = whole ? headers : cutHeaders(headers)
    this.body = keptBody(body)
    this.from = from
    this.whole = whole
    this.status = answer._tag === "Reset" ? undefined : answer.status
    this.answerHeaders = answer._tag === "Reset" ? {} : answer.headers
    this.answerBody = answer._tag === "Answer" ? cut(answer.body, longest) : ""
  }

  get(number: number): Kept | undefined {
    if (this.number !== number) return undefined
    const { answerBody, answerHeaders, body, from, headers, method, path, query, status, whole } = this
    return {
      number,
      request: { method, path, query, headers, body, from },
      whole,
      answer: status === undefined ? undefined : { _tag: "Answer", status, headers: answerHeaders, body: answerBody }
    }
  }
}

/** Creates an empty traffic log. */
export const make = (): Traffic => {
  const slots: Array<Slot> = []
  return {
    add: (number, request, answer) => (slots[number % kept] ??= new Slot()).set(number, request, answer),
    get: (number) => slots[number % kept]?.get(number)
  }
}

const hidden = "***"

const secretHeader = /^(?:authorization|cookie|set-cookie)$/iu

const headersOf = (headers: Request["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      [name, secretHeader.test(name) || Signature.secretHeaders.test(name) ? hidden : String(value)] as const
    )
  )

/** Matches a JSON field whose value is secret, even if the text ends within the value. */
const secretField = /"(code|passphrase|apiKey|apiSecret|publicKey|secretKey|secret)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/giu

/** Removes secrets from a string. JSON is first parsed and written again, so that escapes can't hide a field's name. */
const scrubbed = (text: string, secrets: Iterable<string>): string => {
  const json = Json.parse(text)
  const plain = Result.isSuccess(json) ? Json.stringify(json.success as object) : text
  return CallLog.scrub(plain.replace(secretField, `"$1"$2"${hidden}"`), [...secrets], 4000)
}

/** A call's request and response, as the owner may see them. */
export const show = ({ answer, request }: Kept, secrets: Iterable<string>): Shown => ({
  query: scrubbed(request.query ?? "", secrets),
  headers: headersOf(request.headers),
  body: scrubbed(Buffer.from(request.body).toString("utf8"), secrets),
  ...(answer === undefined ? {} : { status: answer.status }),
  answerHeaders: answer === undefined ? {} : headersOf(answer.headers),
  answer: scrubbed(answer?.body ?? "", secrets)
})
