/**
 * Receives the bodies of requests. Each body, all bodies of an address and all bodies together have a limit in bytes.
 */
import type * as Http from "node:http"
import * as Bounds from "./Bounds.ts"
import * as Quotas from "./Quotas.ts"

/** Callbacks for the outcome of one body. */
export interface Receiver {
  /** Called with the whole body. */
  readonly onReceived: (body: Uint8Array) => void
  /** Called when the body is too long, or no memory is available for it now. */
  readonly onRefused: (kind: "bodyTooLarge" | "unavailable") => void
}

/** The bodies in memory. */
export interface Bodies {
  /**
   * Receives the body of a request, and returns a function that releases its memory. Bodies from the owner have
   * their own limit.
   */
  readonly receive: (request: Http.IncomingMessage, isOwner: boolean, receiver: Receiver) => () => void
}

const empty = new Uint8Array()

/** A body in one piece of memory, however small its chunks are: the only chunk itself, or a copy of all chunks. */
class Body {
  private bytes: Uint8Array = empty
  private length = 0

  /** The size of the buffer that holds the body and `more` bytes. */
  roomWith(more: number): number {
    const length = this.length + more
    return length <= this.bytes.length ? this.bytes.length : Math.max(length, 2 * this.bytes.length)
  }

  get room(): number {
    return this.bytes.length
  }

  add(chunk: Uint8Array): void {
    if (this.length === 0) {
      this.bytes = chunk
      this.length = chunk.length
      return
    }
    const room = this.roomWith(chunk.length)
    if (room > this.bytes.length) {
      const grown = new Uint8Array(room)
      grown.set(this.whole)
      this.bytes = grown
    }
    this.bytes.set(chunk, this.length)
    this.length += chunk.length
  }

  get whole(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}

export const make = (): Bodies => {
  /** The bytes in memory, without those of the owner. */
  const pending = Quotas.make(Bounds.maxPending)

  const receive: Bodies["receive"] = (request, isOwner, { onReceived, onRefused }) => {
    const most = isOwner ? Bounds.maxOwnerBody : Bounds.maxBody
    // A broken socket no longer knows its address.
    const address = request.socket.remoteAddress ?? ""
    let body: Body | undefined = new Body()
    let length = 0
    const release = () => {
      if (!isOwner) pending.giveBack(address, body?.room ?? 0)
      body = undefined
    }
    const refuse = (kind: "bodyTooLarge" | "unavailable") => {
      release()
      onRefused(kind)
    }
    if (Number(request.headers["content-length"] ?? 0) > most) refuse("bodyTooLarge")
    request.on("data", (chunk: Uint8Array) => {
      if (body === undefined) return
      length += chunk.length
      if (length > most) return refuse("bodyTooLarge")
      const more = body.roomWith(chunk.length) - body.room
      if (!isOwner && !pending.take(address, more)) return refuse("unavailable")
      body.add(chunk)
    })
    request.on("end", () => {
      if (body !== undefined) onReceived(body.whole)
    })
    return release
  }

  return { receive }
}
