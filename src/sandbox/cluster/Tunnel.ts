/**
 * Carries a client's WebSocket over a connection between two nodes, byte for byte. The node that has the venue reads
 * and writes the frames of the WebSocket; the node that the client is connected to only forwards bytes.
 *
 * Each end sends a heartbeat every second, and breaks the tunnel if the other end is silent. An end stops reading while
 * its own reader is slow. So unread bytes accumulate at the venue, which disconnects a client that leaves too many
 * bytes unread.
 */
import { Duplex } from "node:stream"
import { lingering } from "../server/Upgrades.ts"
import * as Frames from "./Frames.ts"

/** The time between heartbeats, in milliseconds. */
const aliveEvery = 1000

/** The maximum number of heartbeat intervals without any byte from the other end, after which the tunnel breaks. */
const maxSilent = 3

/** One end of a tunnel. */
export interface Tunnel {
  /** The bytes of the WebSocket. The stream never fails: when the connection breaks, the stream closes. */
  readonly bytes: Duplex
  /** Sends a message to the other node, before the WebSocket's bytes. */
  readonly send: (message: Uint8Array) => void
}

/** Opens one end of a tunnel over a connection. Calls `receive` with each message from the other node. */
export const open = (connection: Duplex, receive: (message: Uint8Array) => void, beat = aliveEvery): Tunnel => {
  const decode = Frames.decoder()
  /** The number of heartbeat intervals since the last byte arrived. */
  let silent = 0

  const bytes = new Duplex({
    allowHalfOpen: false,
    read: () => {
      silent = 0
      connection.resume()
    },
    write: (chunk: Uint8Array, _encoding, done) => connection.write(Frames.encode(Frames.kinds.part, chunk), done),
    final: (done) => connection.end(done),
    destroy: (_error, done) => {
      clearInterval(beating)
      clearTimeout(ending)
      connection.destroy()
      done(null)
    }
  })
  const end = (): void => void bytes.destroy()
  let hasEnded = false
  let ending: NodeJS.Timeout | undefined

  const beating = setInterval(() => {
    // A paused connection receives no heartbeats either, so its silence is ignored.
    if (!connection.isPaused() && ++silent > maxSilent) return end()
    // Bytes that are waiting to be sent serve as a heartbeat.
    if (connection.writableLength === 0) connection.write(Frames.encode(Frames.kinds.alive))
  }, beat)

  connection.on("data", (chunk: Uint8Array) => {
    silent = 0
    for (const { bytes: content, kind } of decode(chunk)) {
      if (kind === Frames.kinds.head) receive(content)
      else if (kind === Frames.kinds.part && !bytes.push(content)) connection.pause()
    }
  })
  connection.on("end", () => {
    hasEnded = true
    clearInterval(beating)
    bytes.push(null)
  })
  connection.on("error", end)
  connection.on("close", () => {
    if (!hasEnded) return end()
    // A slow reader gets the bytes that have arrived, and the stream then closes automatically.
    if (!bytes.destroyed) ending = setTimeout(end, lingering)
  })
  connection.resume()
  return { bytes, send: (message) => void connection.write(Frames.encode(Frames.kinds.head, message)) }
}
