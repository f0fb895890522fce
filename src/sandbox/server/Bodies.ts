/**
 * Receives request bodies. The size of each body, of all bodies from an address, and of all bodies together is limited.
 * If memory for a body runs out, the server refuses the oldest incomplete body to make room: a body from the same
 * address if that address has reached its limit, otherwise a body from the address with the most bytes.
 */
import type * as Http from "node:http"
import * as Quotas from "../gateway/Quotas.ts"
import * as Bounds from "./Bounds.ts"

/** Callbacks for the outcome of one body. */
export interface Receiver {
  /** Called with the complete body. */
  readonly onReceived: (body: Uint8Array) => void
  /** Called when the body is too long, when no memory is available for it, or when a later body needs its memory. */
  readonly onRefused: (kind: "bodyTooLarge" | "unavailable") => void
}

/** The request bodies that are in memory. */
export interface Bodies {
  /**
   * Receives the body of a request, and returns a function that releases its memory. Bodies from the owner have
   * their own limit.
   */
  readonly receive: (request: Http.IncomingMessage, isOwner: boolean, receiver: Receiver) => () => void
}

const empty = new Uint8Array()

/**
 * Collects the chunks of a body in one buffer, however small the chunks are. A single chunk is used as it is; several
 * chunks are copied.
 */
class Body {
  private bytes: Uint8Array = empty
  private length = 0

  /** The size of a buffer that holds the body and `more` additional bytes. */
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

/** A body that has not arrived completely. */
interface Arriving {
  readonly address: string
  /** Refuses the request and releases the memory of its body. */
  readonly giveUp: () => void
}

export const make = (): Bodies => {
  /** The number of bytes in memory, excluding the owner's. */
  const pending = Quotas.make(Bounds.maxPending)
  /** The incomplete bodies that have bytes in memory, excluding the owner's; oldest first. */
  const arriving = new Set<Arriving>()

  /** Reserves memory for a body. If no memory is left, refuses older incomplete bodies to free their memory. */
  const take = (own: Arriving, amount: number): boolean => {
    while (!pending.take(own.address, amount)) {
      const debtor = pending.debtorFor(own.address, amount)
      const oldest = Iterator.from(arriving).find(({ address }) => address === debtor)
      if (oldest === undefined || oldest === own) return false
      oldest.giveUp()
    }
    arriving.add(own)
    return true
  }

  const receive: Bodies["receive"] = (request, isOwner, { onReceived, onRefused }) => {
    const most = isOwner ? Bounds.maxOwnerBody : Bounds.maxBody
    // A broken socket no longer has a remote address.
    const address = request.socket.remoteAddress ?? ""
    let body: Body | undefined = new Body()
    let length = 0
    const release = () => {
      if (!isOwner) pending.giveBack(address, body?.room ?? 0)
      arriving.delete(own)
      body = undefined
    }
    const refuse = (kind: "bodyTooLarge" | "unavailable") => {
      release()
      onRefused(kind)
    }
    const own: Arriving = { address, giveUp: () => refuse("unavailable") }
    if (Number(request.headers["content-length"] ?? 0) > most) refuse("bodyTooLarge")
    request.on("data", (chunk: Uint8Array) => {
      if (body === undefined) return
      length += chunk.length
      if (length > most) return refuse("bodyTooLarge")
      const more = body.roomWith(chunk.length) - body.room
      if (!isOwner && !take(own, more)) return refuse("unavailable")
      body.add(chunk)
    })
    request.on("end", () => {
      arriving.delete(own)
      if (body !== undefined) onReceived(body.whole)
    })
    return release
  }

  return { receive }
}
