/** The latest messages that a connection has sent, so that the sandbox's owner can inspect them. */
import type { SentMessage } from "../gateway/OpenConnections.ts"
import * as Bounds from "./Bounds.ts"

/** The latest messages that one connection has sent. */
export interface RecentMessages {
  /** Adds a message. */
  readonly add: (message: SentMessage) => void
  /** The number of messages sent so far. */
  readonly count: () => number
  /** The latest messages, oldest first. */
  readonly all: () => ReadonlyArray<SentMessage>
}

/** Creates an empty list of messages. */
export const make = (): RecentMessages => {
  const { length: maxLength, messages: most } = Bounds.recent
  const messages: Array<SentMessage> = []
  let [count, length] = [0, 0]
  return {
    add: (message) => {
      count++
      length += message.text.length
      messages.push(message)
      while (messages.length > most || (length > maxLength && messages.length > 1)) {
        length -= messages.shift()?.text.length ?? 0
      }
    },
    count: () => count,
    all: () => [...messages]
  }
}
