/**
 * A request and an answer, whatever carried them: a socket, or a call within the process.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Json from "../../protocol/Json.ts"

/**
 * A request without its body.
 *
 * @category models
 * @since 0.1.0
 */
export interface Head {
  /** The HTTP method, in upper case. */
  readonly method: string
  /** The path without the query. */
  readonly path: string
  /** The query without its question mark. */
  readonly query?: string
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The caller's address. The rate limit of public endpoints counts by it. */
  readonly from: string
  /** The id that the node of a cluster gave it which passed it on. A request with the same id is the same request. */
  readonly delivery?: string
}

/**
 * A request as the sandbox reads it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request extends Head {
  /** The bytes of the body; empty when there is none. */
  readonly body: Uint8Array
}

/**
 * One header of a request; the empty text when it is missing or repeated.
 *
 * @category requests
 * @since 0.1.0
 */
export const header = (request: Head, name: string): string => {
  const value = request.headers[name]
  return typeof value === "string" ? value : ""
}

/**
 * Whether a request only reads. `HEAD` asks for what `GET` gives, without the body, which HTTP leaves out.
 *
 * @category requests
 * @since 0.1.0
 */
export const isReading = ({ method }: Head): boolean => method === "GET" || method === "HEAD"

/**
 * The connection breaks before the body ends.
 *
 * @category errors
 * @since 0.1.0
 */
export class BodyLost extends Schema.TaggedError<BodyLost>()("BodyLost", {}) {
  override readonly message = "the connection breaks before the body ends"
}

/**
 * An answer whose whole body is known.
 *
 * @category models
 * @since 0.1.0
 */
export interface Written {
  readonly _tag: "Answer"
  /** The HTTP status. */
  readonly status: number
  /** The headers, without `content-length`. */
  readonly headers: Readonly<Record<string, string>>
  /** The body. */
  readonly body: string
}

/**
 * An answer whose body arrives in parts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Streamed {
  readonly _tag: "Stream"
  /** The HTTP status. */
  readonly status: number
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The body. When it fails, the connection is reset. */
  readonly body: Stream.Stream<Uint8Array, BodyLost>
}

/**
 * The connection is reset without an answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reset {
  readonly _tag: "Reset"
}

/**
 * What a caller gets: an answer, an answer in parts, or a connection that breaks.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = Written | Streamed | Reset

/** @category constructors */
export const reset: Answer = { _tag: "Reset" }

/**
 * An answer as text, so that it can be given once more. Of one that does not arrive whole, what is kept is that it breaks.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toText = (answer: Answer): string => JSON.stringify(answer._tag === "Answer" ? answer : reset)

/**
 * The answer of a text that `toText` has made.
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromText = (text: string): Answer => JSON.parse(text) as Answer

const jsonHeaders = { "content-type": "application/json" }

/**
 * An answer whose body is JSON.
 *
 * @category constructors
 * @since 0.1.0
 */
export const json = (status: number, body: unknown): Written => ({
  _tag: "Answer",
  status,
  headers: jsonHeaders,
  body: Json.stringify(body as object)
})
