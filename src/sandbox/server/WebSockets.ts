/** The WebSockets of all servers of a process. Limits their number and the unread bytes. */
import type { Duplex } from "node:stream"
import type { Head, Written } from "../gateway/Message.ts"
import * as Quotas from "../gateway/Quotas.ts"
import * as Bounds from "./Bounds.ts"
import * as Refusal from "./Refusal.ts"

/** The WebSockets of all servers of a process. */
export interface WebSockets {
  /** Reserves a slot for a client until its connection closes. Returns a refusal if no slot is left. */
  readonly open: (socket: Duplex, head: Head) => Written | undefined
  /**
   * Records that bytes were written. If too many bytes are unread on all connections together, breaks the connection
   * with the most unread bytes.
   */
  readonly wrote: (bytes: number) => void
}

/**
 * Creates an empty collection. `maxUnread` is the maximum number of unread bytes on all connections together.
 */
export const make = (maxUnread: number = Bounds.maxUnread): WebSockets => {
  const sockets = new Set<Duplex>()
  const places = Quotas.make(Bounds.maxWebSockets)
  /** An upper bound on the number of unread bytes. */
  let atMost = 0

  const count = (): number => {
    let sum = 0
    for (const { writableLength } of sockets) sum += writableLength
    return sum
  }

  const breakLargest = (): void => {
    let largest: Duplex | undefined
    for (const socket of sockets) {
      if (largest === undefined || socket.writableLength > largest.writableLength) largest = socket
    }
    if (largest === undefined) return
    sockets.delete(largest)
    largest.destroy()
  }

  return {
    open: (socket, { from, path }) => {
      if (!places.take(from, 1)) {
        return places.isFull()
          ? Refusal.busy(path, "Overloaded", "The sandbox has too many connections")
          : Refusal.limited(path, "This address has too many connections")
      }
      sockets.add(socket)
      socket.on("close", () => {
        sockets.delete(socket)
        places.giveBack(from, 1)
      })
      return undefined
    },
    wrote: (bytes) => {
      atMost += bytes
      if (atMost <= maxUnread) return
      // Clients may have read some bytes since, so the exact number is computed here. Computing it on every write would
      // be slow.
      atMost = count()
      while (atMost > maxUnread) {
        breakLargest()
        atMost = count()
      }
    }
  }
}
