/** The messages that a connection has not sent yet. Each message is sent once the state that it shows is durable. */
import type { Ending, Wire } from "../gateway/Socket.ts"
import type * as Journal from "../store/Journal.ts"
import * as Bounds from "./Bounds.ts"

/** The messages that a connection has not sent yet. */
export interface Output {
  /**
   * Adds a message. If `bytesPerSecond` is given, the message arrives slowly, and the messages behind it wait until it
   * has arrived.
   */
  readonly send: (text: string, bytesPerSecond?: number) => void
  /** Closes the connection once the messages added so far have been sent. */
  readonly endAfter: (ending: Ending) => void
  /** Makes the connection ignore all messages that are added after this call. */
  readonly stall: () => void
  /** Whether no further messages will be sent, because the connection is stalled or about to close. */
  readonly isStalled: () => boolean
  /**
   * The total length of the client's unread messages, in characters. A byte in a socket's buffer counts as one
   * character.
   */
  readonly waiting: () => number
  /** Discards all unsent messages. */
  readonly drop: () => void
}

/** The parts of a venue that an output needs. */
interface Source {
  readonly journal: Pick<Journal.Journal, "sequence" | "whenCommitted">
  /** The number of commands so far. */
  readonly sequence: () => number
}

/** The parts of the connection and its runtime that an output uses. */
interface Surroundings {
  /** Closes the connection, and discards the unsent messages. */
  readonly end: (ending: Ending) => void
  /** Calls a function after the given number of milliseconds. The returned function cancels this timer. */
  readonly later: (millis: number, run: () => void) => () => void
}

interface Message {
  /** The number of the last command whose effects the message can show. */
  readonly sequence: number
  /** The message's text; empty if this entry closes the connection. */
  readonly text: string
  /** How the connection closes; absent if this entry does not close the connection. */
  readonly ending?: Ending
  /** The time that a slow message takes to arrive, in milliseconds. */
  readonly millis: number
}

/** The unsent messages of one connection. */
class Messages implements Output {
  private readonly source: Source
  private readonly wire: Wire
  private readonly surroundings: Surroundings
  private messages: Array<Message> = []
  /** The total length of the unsent messages, in characters. */
  private length = 0
  private hasStalled = false
  /** Stops the message that is arriving slowly; `undefined` if no message is arriving slowly. */
  private stopArriving: (() => void) | undefined

  constructor(source: Source, wire: Wire, surroundings: Surroundings) {
    this.source = source
    this.wire = wire
    this.surroundings = surroundings
  }

  send(text: string, bytesPerSecond = Infinity): void {
    if (this.hasStalled) return
    this.length += text.length
    if (this.isTooLong()) this.surroundings.end("abrupt")
    else this.add({ sequence: this.source.sequence(), text, millis: text.length * 1000 / bytesPerSecond })
  }

  endAfter(ending: Ending): void {
    this.add({ sequence: this.source.sequence(), text: "", ending, millis: 0 })
    this.hasStalled = true
  }

  stall(): void {
    this.hasStalled = true
  }

  isStalled(): boolean {
    return this.hasStalled
  }

  drop(): void {
    this.stopArriving?.()
    this.messages = []
    this.length = 0
  }

  waiting(): number {
    return this.length + this.wire.waiting()
  }

  private isTooLong(): boolean {
    return this.waiting() > Bounds.maxWaiting
  }

  private add(message: Message): void {
    if (this.messages.push(message) === 1) this.source.journal.whenCommitted(this.flush)
  }

  private readonly flush = (error: unknown): void => {
    if (error !== undefined) return this.surroundings.end("abrupt")
    this.leave()
    if (this.messages.length > 0 && this.stopArriving === undefined) this.source.journal.whenCommitted(this.flush)
  }

  /** Sends the messages whose state is durable, up to the first message that takes time to arrive. */
  private leave(): void {
    if (this.stopArriving !== undefined) return
    const durable = this.source.journal.sequence()
    const isReady = ({ millis, sequence }: Message) => sequence <= durable && millis === 0
    const stop = this.messages.findIndex((message) => !isReady(message))
    for (const { ending, text } of this.messages.splice(0, stop === -1 ? this.messages.length : stop)) {
      if (ending !== undefined) return this.surroundings.end(ending)
      this.length -= text.length
      this.wire.send(text)
    }
    if (this.isTooLong()) return this.surroundings.end("abrupt")
    const [next] = this.messages
    if (next === undefined || next.sequence > durable) return
    this.stopArriving = this.surroundings.later(next.millis, () => {
      this.stopArriving = undefined
      this.messages[0] = { ...next, millis: 0 }
      this.flush(undefined)
    })
  }
}

/** Creates an empty output. */
export const make = (source: Source, wire: Wire, surroundings: Surroundings): Output =>
  new Messages(source, wire, surroundings)
