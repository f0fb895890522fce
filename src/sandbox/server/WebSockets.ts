/** The WebSockets of all servers of a process: bounds their number, and the bytes that wait for their clients. */
import type { Duplex } from "node:stream"
import type { Head, Written } from "../gateway/Message.ts"
import * as Quotas from "../gateway/Quotas.ts"
import * as Bounds from "./Bounds.ts"
import * as Refusal from "./Refusal.ts"

/** The WebSockets of all servers of a process. */
export interface WebSockets {
  /** Takes a place for a client until its connection closes. Returns the refusal if there is none. */
  readonly open: (socket: Duplex, head: Head) => Written | undefined
  /**
   * Notes that bytes were written. If too many bytes wait on all connections together, breaks the connection with the
   * most.
   */
  readonly wrote: (bytes: number) => void
}

/** Creates an empty collection. `maxUnread` is the maximum number of bytes that may wait for all clients together. */
export const make = (maxUnread: number = Bounds.maxUnread): WebSockets => {
  const sockets = new Set<Duplex>()
  const places = Quotas.make(Bounds.maxWebSockets)
  /** An upper bound on the number of bytes that wait. */
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
      // Clients may have read since, so the exact number is counted. Counting on every write would be slow.
      atMost = count()
      while (atMost > maxUnread) {
        breakLargest()
        atMost = count()
      }
    }
  }
}
