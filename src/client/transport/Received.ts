/**
 * Builds a response from the headers and bytes of a connection: joins repeated headers, and decompresses and decodes
 * the body.
 */
import * as Effect from "effect/Effect"
import type * as Delivery from "./Delivery.ts"
import * as Transport from "./Transport.ts"

/** Headers by lower-case name, in Node's format. */
export type Headers = Record<string, string | Array<string> | undefined>

/** Joins the values of a repeated header. */
const joined = (headers: Headers): Transport.Answer["headers"] => {
  for (const name in headers) {
    const value = headers[name]
    if (Array.isArray(value)) headers[name] = value.join(", ")
  }
  return headers as Transport.Answer["headers"]
}

/** Decodes UTF-8, and removes a byte order mark. */
const textOf = (bytes: Buffer): string => {
  const text = bytes.toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/**
 * Decoders for servers that compress their responses although no compression was requested. `node:zlib` is loaded on
 * demand, because few programs need it, and importing it would slow down every start.
 */
const decoders = {
  gzip: "gunzipSync",
  "x-gzip": "gunzipSync",
  deflate: "inflateSync",
  br: "brotliDecompressSync"
} as const

const isKnown = (encoding: string): encoding is keyof typeof decoders => Object.hasOwn(decoders, encoding)

/** Decompresses a response's body, up to the maximum size. */
const decompress = (
  status: number,
  encoding: string,
  bytes: Buffer,
  request: Transport.Request
): Effect.Effect<Buffer, Transport.SendFailed> => {
  const unreadable = (why: string) => new Transport.SendFailed({ proof: { kind: "lost" }, reason: why })
  if (!isKnown(encoding))
    return Effect.fail(unreadable(`the response is encoded as ${encoding}, which was not requested`))
  return Effect.try({
    try: () =>
      process.getBuiltinModule("node:zlib")[decoders[encoding]](bytes, {
        maxOutputLength: Math.max(1, request.maxAnswerBytes)
      }),
    catch: (error) =>
      error instanceof RangeError
        ? Transport.tooLarge(status, request)
        : unreadable(`the response is encoded as ${encoding}, but can't be decoded`)
  })
}

/**
 * Builds the response from its status, headers and body. Fails with `SendFailed` when the body can't be decompressed,
 * or is larger than the maximum size after decompression.
 */
export const answer = (
  request: Transport.Request,
  status: number,
  received: Headers,
  chunks: ReadonlyArray<Buffer>
): Delivery.End => {
  const [first] = chunks
  const headers = joined(received)
  const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first
  if (bytes === undefined) return Effect.succeed({ status, headers, text: "" })
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity"
  return encoding === "identity"
    ? Effect.succeed({ status, headers, text: textOf(bytes) })
    : Effect.map(decompress(status, encoding, bytes, request), (bytes) => ({ status, headers, text: textOf(bytes) }))
}
