/** The messages that a connection has yet to send. Each leaves once the state that it was made from is durable. */
import type { Wire } from "../gateway/Socket.ts"
import type * as Journal from "../store/Journal.ts"
import * as Bounds from "./Bounds.ts"

/** The messages that a connection has yet to send. */
export interface Output {
  /** Adds a message. */
  readonly send: (text: string) => void
  /** Ends the connection after the messages added so far. */
  readonly endAfter: () => void
  /** Drops all messages. */
  readonly drop: () => void
}

/** The parts of a venue that an output needs. */
interface Source {
  readonly journal: Pick<Journal.Journal, "sequence" | "whenCommitted">
  /** The number of commands so far. */
  readonly sequence: () => number
}

interface Message {
  /** The number of the last command that the message can reflect. */
  readonly sequence: number
  /** The text; `undefined` for the end of the connection. */
  readonly text: string | undefined
}

/** An empty output. `end` ends the connection, and drops the messages. */
export const make = ({ journal, sequence }: Source, wire: Wire, end: () => void): Output => {
  let messages: Array<Message> = []
  let length = 0

  const isTooLong = (): boolean => length + wire.waiting() > Bounds.maxWaiting

  const flush = (error: unknown): void => {
    if (error !== undefined) return end()
    const durable = journal.sequence()
    const later = messages.findIndex(({ sequence }) => sequence > durable)
    const sent = messages.splice(0, later === -1 ? messages.length : later)
    for (const { text } of sent) {
      if (text === undefined) return end()
      length -= text.length
      wire.send(text)
    }
    if (isTooLong()) return end()
    if (messages.length > 0) journal.whenCommitted(flush)
  }

  const add = (text: string | undefined): void => {
    if (messages.push({ sequence: sequence(), text }) === 1) journal.whenCommitted(flush)
  }

  return {
    send: (text) => {
      length += text.length
      if (isTooLong()) end()
      else add(text)
    },
    endAfter: () => add(undefined),
    drop: () => {
      messages = []
      length = 0
    }
  }
}
