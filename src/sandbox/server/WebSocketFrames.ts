/**
 * Reads and writes WebSocket frames on the server side (RFC 6455). The exchange uses only text messages, and no
 * extensions.
 */
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"

/** Input from a client: a message, a control frame, or invalid data. */
export type Received =
  | { readonly _tag: "Message"; readonly text: string }
  | { readonly _tag: "Ping"; readonly payload: Uint8Array }
  | { readonly _tag: "Pong" }
  | { readonly _tag: "Close"; readonly payload: Uint8Array }
  /** The data violates the protocol, or is a message that is too long or is not text. */
  | { readonly _tag: "Invalid" }

const opcodes = { continuation: 0x0, text: 0x1, close: 0x8, ping: 0x9, pong: 0xa } as const

const isControl = (opcode: number): boolean => opcode >= 0x8

/** The maximum length of a control frame's payload, in bytes. */
const longestControl = 125

const empty = Buffer.alloc(0)

const invalid: Received = { _tag: "Invalid" }

/** A frame from a client. */
interface Frame {
  readonly opcode: number
  readonly isFinal: boolean
  readonly payload: Buffer
}

/** Reads the frames of one connection, from chunks of any size. */
export class Reader {
  private readonly longest: number
  private buffer: Buffer = empty
  /**
   * The chunks that are not read yet. They are joined only when they might contain a complete frame, so many small
   * chunks cost little.
   */
  private chunks: Array<Buffer> = []
  private waiting = 0
  /** The number of bytes needed to read the next frame, or its header. */
  private needed = 2
  /** The parts of the incomplete message. */
  private parts: Array<Buffer> = []
  private length = 0
  private isText = false
  private isBroken = false

  /** `longest` is the maximum length of a message, in bytes. */
  constructor(longest: number) {
    this.longest = longest
  }

  /** Reads the next chunk. After an invalid frame, ignores all later chunks. */
  *read(chunk: Buffer): Generator<Received, undefined> {
    this.chunks.push(chunk)
    this.waiting += chunk.length
    if (this.waiting < this.needed) return
    this.buffer = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks)
    while (!this.isBroken) {
      const frame = this.next()
      if (frame === undefined) break
      const received = frame === "invalid" ? invalid : this.received(frame)
      if (received === invalid) this.isBroken = true
      if (received !== undefined) yield received
    }
    if (this.isBroken) this.buffer = empty
    this.chunks = this.buffer.length === 0 ? [] : [this.buffer]
    this.waiting = this.buffer.length
  }

  /** Takes a complete frame from the buffer; `undefined` if the buffer has no complete frame yet. */
  private next(): Frame | "invalid" | undefined {
    const { buffer } = this
    const [first, second] = [buffer[0], buffer[1]]
    this.needed = 2
    if (first === undefined || second === undefined) return undefined
    const opcode = first & 0x0f
    const isFinal = (first & 0x80) !== 0
    const short = second & 0x7f
    // No extension is in use, so the first byte's other bits must be 0. A client must mask every frame.
    if ((first & 0x70) !== 0 || (second & 0x80) === 0) return "invalid"
    if (isControl(opcode) && (!isFinal || short > longestControl)) return "invalid"
    const begin = short === 126 ? 4 : short === 127 ? 10 : 2
    this.needed = begin
    if (buffer.length < begin) return undefined
    const length = short === 126 ? buffer.readUInt16BE(2) : short === 127 ? Number(buffer.readBigUInt64BE(2)) : short
    if (!isControl(opcode) && this.length + length > this.longest) return "invalid"
    const end = begin + 4 + length
    this.needed = end
    if (buffer.length < end) return undefined
    const payload = Buffer.from(buffer.subarray(begin + 4, end))
    for (let index = 0; index < length; index++)
      payload[index] = (payload[index] ?? 0) ^ (buffer[begin + index % 4] ?? 0)
    this.buffer = buffer.subarray(end)
    return { opcode, isFinal, payload }
  }

  private received({ isFinal, opcode, payload }: Frame): Received | undefined {
    switch (opcode) {
      case opcodes.ping:
        return { _tag: "Ping", payload }
      case opcodes.pong:
        return { _tag: "Pong" }
      case opcodes.close:
        return { _tag: "Close", payload }
      case opcodes.text:
      case opcodes.continuation:
        return this.add(payload, isFinal, opcode === opcodes.text)
      default:
        return invalid
    }
  }

  /** Adds a part of a message. The first part is a text frame, and every other part a continuation frame. */
  private add(payload: Buffer, isFinal: boolean, isFirst: boolean): Received | undefined {
    if (isFirst === this.isText) return invalid
    this.isText = true
    this.parts.push(payload)
    this.length += payload.length
    // Empty parts don't add to the length, so the number of parts must be limited separately.
    if (this.parts.length > this.longest) return invalid
    if (!isFinal) return undefined
    const whole = this.parts.length === 1 ? payload : Buffer.concat(this.parts)
    this.parts = []
    this.length = 0
    this.isText = false
    return isUtf8(whole) ? { _tag: "Message", text: whole.toString("utf8") } : invalid
  }
}

const frame = (opcode: number, payload: Uint8Array): Buffer => {
  const { length } = payload
  const head = Buffer.alloc(length > 0xffff ? 10 : length > longestControl ? 4 : 2)
  head[0] = 0x80 | opcode
  if (length > 0xffff) {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
  } else if (length > longestControl) {
    head[1] = 126
    head.writeUInt16BE(length, 2)
  } else head[1] = length
  return Buffer.concat([head, payload])
}

/** Encodes a text message as a frame. */
export const message = (text: string): Buffer => frame(opcodes.text, Buffer.from(text))

/** Encodes the pong that replies to a ping. */
export const pong = (payload: Uint8Array): Buffer => frame(opcodes.pong, payload)

/** Encodes a close frame with a two-byte code: the exchange's code, or the code that the client sent. */
export const close = (payload: Uint8Array): Buffer => frame(opcodes.close, payload.subarray(0, 2))

/** The bytes of a close code. */
export const codeOf = (code: number): Buffer => Buffer.from([code >> 8, code & 0xff])

/** The constant from RFC 6455 with which a server proves that it has read the client's key. */
const salt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/** The head of the response that accepts a WebSocket handshake, given the client's `sec-websocket-key`. */
export const accept = (key: string): string =>
  [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${createHash("sha1").update(key + salt).digest("base64")}`,
    "\r\n"
  ].join("\r\n")

/** Whether a string can be a client's `sec-websocket-key`: sixteen bytes in Base64. */
export const isKey = (key: string): boolean => /^[A-Za-z0-9+/]{22}==$/u.test(key)
