/** A subscriber to a topic: queues its items, and requests a new state when messages may have been missed. */
import type * as Clock from "effect/Clock"
import * as Time from "../../domain/Time.ts"
import type * as Continuity from "./Continuity.ts"
import * as Item from "./Item.ts"
import * as Mailbox from "./Mailbox.ts"

/**
 * - `waiting`: gets no messages until its topic is acknowledged
 * - `reading`: its state is being read; messages are stored until the response arrives
 * - `following`: gets every message
 */
type Phase = "waiting" | "reading" | "following"

/** Settings that all of a session's subscribers share. */
export interface Settings {
  /** The maximum number of items that wait for a subscriber. */
  readonly bound: number
  readonly clock: Clock.Clock
}

/** A topic's subscriber. */
export class Subscriber {
  readonly kind: Continuity.Any
  readonly mailbox: Mailbox.Mailbox
  readonly #follower: Continuity.Follower<unknown, unknown, unknown, unknown>
  readonly #settings: Settings
  #phase: Phase = "waiting"
  /** The messages stored until the state has been read. */
  #pushed: Array<unknown> = []
  /** An interruption that is only reported if the next state can't prove that nothing was missed. */
  #unproven: Item.Interrupted | undefined
  /** The items so far: none yet (`nothing`), complete (`all`), or ended by an `Interrupted` (`interrupted`). */
  #told: "nothing" | "all" | "interrupted" = "nothing"
  /** The number of the current round; `begin` starts a new round. Responses from earlier rounds are ignored. */
  #round = 0
  /** The latest time up to which no item is missing. */
  #completeAt: Item.Interrupted["since"]

  /** `resume` is called when the subscriber needs a new state and its topic may already be acknowledged. */
  constructor(kind: Continuity.Any, settings: Settings, resume: (subscriber: Subscriber) => void) {
    this.kind = kind
    this.#settings = settings
    this.#follower = kind.follower()
    this.#completeAt = Mailbox.timeOf(settings.clock)
    this.mailbox = new Mailbox.Mailbox(settings, kind.conflates, () => {
      this.#told = "interrupted"
      resume(this)
    })
  }

  /** Whether the subscriber waits for a new round to start, and its mailbox accepts items. */
  get isWaiting(): boolean {
    return this.#phase === "waiting" && !this.mailbox.hasOverflowed
  }

  /** The current round, if its state must be read; otherwise `undefined`. */
  get reads(): number | undefined {
    return this.#phase === "reading" ? this.#round : undefined
  }

  /**
   * The time up to which nothing is missing, in Unix milliseconds; `heardAt` is the time of the connection's latest
   * message. After a lost connection, messages on the new connection do not change this time until a state shows that
   * nothing was missed.
   */
  completeAt(heardAt: number | undefined): number | undefined {
    return this.#unproven === undefined ? heardAt : Time.toMicros(this.#unproven.since) / 1000
  }

  /** Starts a new round. The topic has been acknowledged. */
  begin(): void {
    this.#round++
    this.#pushed = []
    this.#phase = this.kind.read === undefined ? "following" : "reading"
    this.#follower.begin(this.#told !== "all")
  }

  /** Handles a message of the topic. Returns `false` if the subscriber needs a new state. */
  push(message: unknown): boolean {
    if (this.#phase === "reading") return this.#keep(message)
    return this.#phase === "waiting" || this.#emit(this.#follower.follow(message))
  }

  /** Stores a message until the state has been read. If too many messages wait, the state is read again. */
  #keep(message: unknown): boolean {
    if (this.#pushed.length >= this.#settings.bound) {
      this.interrupt("slow")
      return false
    }
    this.#pushed.push(message)
    return true
  }

  /** Handles the state that a round's query returned. Returns `false` if the subscriber needs a new state. */
  answer(round: number, state: unknown): boolean {
    if (round !== this.reads) return true
    this.#phase = "following"
    const pushed = this.#pushed
    this.#pushed = []
    return this.#emit(this.#follower.join(state, pushed))
  }

  #emit(followed: Continuity.Followed<unknown, unknown>): boolean {
    if (followed === "gap") {
      this.interrupt("gap")
      return false
    }
    for (const item of followed) {
      if (item._tag === "Snapshot" && this.#unproven !== undefined) this.mailbox.offer(this.#unproven)
      this.#unproven = undefined
      this.#told = "all"
      this.mailbox.offer(item)
    }
    // If the state proves that nothing was missed, there may be no items to emit.
    this.#unproven = undefined
    this.#completeAt = Mailbox.timeOf(this.#settings.clock)
    if (this.mailbox.hasOverflowed) this.#phase = "waiting"
    return true
  }

  /**
   * Notes that messages may be missing from the time `since` on. By default, `since` is the latest time up to which no
   * message is missing.
   */
  interrupt(reason: Item.Reason, since = this.#completeAt): void {
    this.#phase = "waiting"
    this.#pushed = []
    if (this.#told === "interrupted") return
    const interrupted = Item.interrupted(reason, since)
    if (this.kind.mayProve && this.#told === "all") this.#unproven ??= interrupted
    else {
      this.#told = "interrupted"
      this.mailbox.offer(interrupted)
    }
  }

  /** Ends the stream after the waiting items. */
  end(exit: Mailbox.Ending): void {
    this.#phase = "waiting"
    this.mailbox.end(exit)
  }
}
