/** Requests and responses, whether they are sent over a socket or stay within the process. */
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Duplex } from "node:stream"
import * as Json from "../../protocol/Json.ts"
import type { Connect } from "./Socket.ts"

/** The time of an event on several clocks. */
export interface Moment {
  /** The time on the venue's clock, in Unix microseconds. */
  readonly at: number
  /** The time on the clock that callers see and that nonces are checked against, in Unix microseconds. */
  readonly serverTime: number
  /** The time that has passed since the event, in milliseconds on a monotonic clock. */
  readonly took: () => number
}

/** A request without its body. */
export interface Head {
  /** The HTTP method, in upper case. */
  readonly method: string
  /** The path without the query. */
  readonly path: string
  /** The query string, without the question mark. */
  readonly query?: string
  /** The headers, keyed by their lower-case names. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The caller's address, to which the rate limits of public endpoints apply. */
  readonly from: string
  /**
   * The id given by the cluster node that forwarded the request. Two requests with the same id are the same request,
   * sent twice.
   */
  readonly delivery?: string
  /** The time left for the request to reach its venue, in milliseconds; set when a cluster node forwards it. */
  readonly patience?: number
}

/** A request with its body. */
export interface Request extends Head {
  /** The bytes of the body; empty if there is no body. */
  readonly body: Uint8Array
}

/** The value of a request header; empty if the header is missing or repeated. */
export const header = (request: Head, name: string): string => {
  const value = request.headers[name]
  return typeof value === "string" ? value : ""
}

/** Whether a request only reads. `HEAD` gets the same response as `GET`, but HTTP sends no body. */
export const isReading = ({ method }: Head): boolean => method === "GET" || method === "HEAD"

/** The connection broke before the end of the body. */
export class BodyLost extends Schema.TaggedError<BodyLost>()("BodyLost", {}) {
  override readonly message = "the connection breaks before the body ends"
}

/** A response whose complete body is known. */
export interface Written {
  readonly _tag: "Answer"
  /** The HTTP status. */
  readonly status: number
  /** The headers, without `content-length`. */
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body. */
  readonly body: string
  /** The reason for a host's 503, for the host's metrics. This reason is not sent to the caller. */
  readonly reason?: string
}

/** A response whose body arrives in parts. */
export interface Streamed {
  readonly _tag: "Stream"
  /** The HTTP status. */
  readonly status: number
  /** The response headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The parts of the body. If this stream fails, the connection is reset. */
  readonly body: Stream.Stream<Uint8Array, BodyLost>
}

/** The connection is reset without a response. */
export interface Reset {
  readonly _tag: "Reset"
}

/** The outcome that a caller sees: a response, a response in parts, or a reset connection. */
export type Answer = Written | Streamed | Reset

/** The connection becomes a WebSocket. */
export interface Upgraded {
  readonly _tag: "Upgraded"
  /** Runs the WebSocket connection over a socket. Must be called once, unless the connection is declined. */
  readonly connect: Connect
  /** Releases the resources reserved for the connection, without connecting. */
  readonly decline: () => void
}

/** The connection becomes a WebSocket that another process serves. */
export interface Tunneled {
  readonly _tag: "Tunneled"
  /**
   * Carries the connection's bytes, starting with the handshake response. The caller must use or destroy this stream.
   */
  readonly far: Duplex
}

/** The outcome of a request to a server: a response, or a WebSocket. */
export type Outcome = Answer | Upgraded | Tunneled

export const reset: Answer = { _tag: "Reset" }

/** Serializes a response as text, so that it can be repeated. A response in parts is stored as a reset. */
export const toText = (answer: Answer): string => JSON.stringify(answer._tag === "Answer" ? answer : reset)

/** Parses text written by `toText`. */
export const fromText = (text: string): Answer => JSON.parse(text) as Answer

const jsonHeaders = { "content-type": "application/json" }

/** A response with a JSON body. */
export const json = (status: number, body: unknown): Written => ({
  _tag: "Answer",
  status,
  headers: jsonHeaders,
  body: Json.stringify(body as object)
})
