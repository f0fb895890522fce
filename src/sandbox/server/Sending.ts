/** Sends responses over HTTP. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Http from "node:http"
import type { Reset, Streamed, Written } from "../gateway/Message.ts"

/** The time limit for a caller to finish sending after its body was refused, in milliseconds. */
const lingering = 1000

const writeHead = (
  response: Http.ServerResponse,
  { headers, status }: Written,
  length: number,
  more?: Http.OutgoingHttpHeaders
): void => {
  response.writeHead(status, { ...headers, "content-length": length, ...more })
}

/**
 * Resets the connection instead of closing it normally, because the caller must not mistake a partial response for a
 * complete one.
 */
const reset = (request: Http.IncomingMessage): void => {
  // Uses the request's socket, because a response that waits behind another one has none yet.
  request.socket.resetAndDestroy()
}

/** Writes a chunk, and waits until the next chunk can be written. */
const push = (response: Http.ServerResponse, chunk: Uint8Array): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const go = () => resume(Effect.void)
    if (response.write(chunk)) return go()
    response.once("drain", go)
    return Effect.sync(() => response.off("drain", go))
  })

/** Sends a response in chunks. Resets the connection if producing the body fails. */
export const sendStream = (
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  { body, headers, status }: Streamed
): Effect.Effect<void> =>
  Effect.suspend(() => {
    response.writeHead(status, headers)
    response.flushHeaders()
    return Effect.matchCause(Stream.runForEach(body, (chunk) => push(response, chunk)), {
      onSuccess: () => response.end(),
      onFailure: () => reset(request)
    })
  })

/** Sends a response. The caller must read the response within `within` milliseconds. */
export const send = (
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  answer: Written | Reset,
  within: number
): void => {
  if (answer._tag === "Reset") return reset(request)
  const length = Buffer.byteLength(answer.body)
  // A fault can set headers that are not valid in HTTP.
  if (Result.isFailure(Result.try(() => writeHead(response, answer, length)))) return reset(request)
  // Latin-1 and UTF-8 are equal for ASCII text, and Node writes Latin-1 without checking the text again.
  response.end(answer.body, length === answer.body.length ? "latin1" : "utf8")
  // A response that waits behind another one has no socket yet. It is sent after the other response.
  if (response.socket === null || response.socket.writableLength === 0) return
  const timer = setTimeout(() => request.socket.destroy(), within)
  response.on("close", () => clearTimeout(timer))
}

/** Responds to a request whose body is not read, and closes the connection. */
export const turnAway = (request: Http.IncomingMessage, response: Http.ServerResponse, answer: Written): void => {
  writeHead(response, answer, Buffer.byteLength(answer.body), { connection: "close" })
  response.write(answer.body)
  // Closing immediately would reset the connection of a caller that is still sending, and the caller would never read
  // the response.
  const timer = setTimeout(() => response.end(), lingering)
  request.on("end", () => response.end())
  response.on("close", () => clearTimeout(timer))
}
