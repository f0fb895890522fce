/**
 * What the latest calls sent and what they were answered, for whoever looks at a call closely. It is kept as it was, and
 * loses its secrets when it is shown.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Json from "../../protocol/Json.ts"
import * as Signature from "../../protocol/Signature.ts"
import type { Answer, Request } from "./Message.ts"
import * as Requests from "./Requests.ts"

/**
 * What a call sent and what it was answered, without keys, signatures, passphrases and codes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Shown {
  /** The query of the URL; empty when there was none. */
  readonly query: string
  /** The headers of the request. A secret value is written `***`. */
  readonly headers: Readonly<Record<string, string>>
  /** The body of the request, at most its first 4000 characters. */
  readonly body: string
  /** The HTTP status of the answer; absent when the connection was reset. */
  readonly status?: number
  /** The headers of the answer. */
  readonly answerHeaders: Readonly<Record<string, string>>
  /** The body of the answer, at most its first 4000 characters; empty when it arrived in parts. */
  readonly answer: string
}

/**
 * The schema of {@link Shown}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Shown: Schema.Codec<Shown, unknown> = Schema.Struct({
  query: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  answerHeaders: Schema.Record(Schema.String, Schema.String),
  answer: Schema.String
})

/**
 * A call as it was.
 *
 * @category models
 * @since 0.1.0
 */
export interface Kept {
  /** The number of the call in the log. */
  readonly number: number
  /** The request. A body longer than 4096 bytes is cut. */
  readonly request: Request
  /** Whether the body is whole. */
  readonly whole: boolean
  /** The answer. */
  readonly answer: Answer
}

/**
 * The latest calls as they were.
 *
 * @category models
 * @since 0.1.0
 */
export interface Exchanged {
  /** Adds a call by its number in the log. */
  readonly add: (number: number, request: Request, answer: Answer) => void
  /** A call by its number; `undefined` when it is no longer kept. */
  readonly get: (number: number) => Kept | undefined
}

/** How many calls are kept. */
export const kept = 1000

const longest = 4096

/** What is long is cut and copied: a slice would keep the whole alive. */
const cutRequest = (request: Request): Request =>
  request.body.length <= longest ? request : { ...request, body: new Uint8Array(request.body.subarray(0, longest)) }

const cutAnswer = (answer: Answer): Answer =>
  answer._tag === "Answer" && answer.body.length > longest
    ? { ...answer, body: Buffer.from(answer.body.slice(0, longest)).toString() }
    : answer

/**
 * A log of calls as they were, without any.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Exchanged => {
  const ring: Array<Kept> = []
  return {
    add: (number, request, answer) => {
      ring[number % kept] = {
        number,
        request: cutRequest(request),
        whole: request.body.length <= longest,
        answer: cutAnswer(answer)
      }
    },
    get: (number) => {
      const found = ring[number % kept]
      return found?.number === number ? found : undefined
    }
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

/** A field whose text is worth something, also when the JSON ends within it. */
const secretField = /"(code|passphrase|apiKey|apiSecret|publicKey|secretKey|secret)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/giu

/** JSON is written anew, so that no name of a field can hide behind escapes. */
const scrubbed = (text: string, secrets: Iterable<string>): string => {
  const json = Json.parse(text)
  const plain = Result.isSuccess(json) ? Json.stringify(json.success as object) : text
  return Requests.scrub(plain.replace(secretField, `"$1"$2"${hidden}"`), [...secrets], 4000)
}

/**
 * A call as its owner may see it.
 *
 * @category showing
 * @since 0.1.0
 */
export const show = ({ answer, request }: Kept, secrets: Iterable<string>): Shown => ({
  query: scrubbed(request.query ?? "", secrets),
  headers: headersOf(request.headers),
  body: scrubbed(Buffer.from(request.body).toString("utf8"), secrets),
  ...(answer._tag === "Reset" ? {} : { status: answer.status }),
  answerHeaders: answer._tag === "Reset" ? {} : headersOf(answer.headers),
  answer: answer._tag === "Answer" ? scrubbed(answer.body, secrets) : ""
})
