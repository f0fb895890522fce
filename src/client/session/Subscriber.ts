/** One subscriber of a topic: what it gets, and how it goes on after it may have missed something. */
import type * as Clock from "effect/Clock"
import * as Time from "../../domain/Time.ts"
import type * as Continuity from "./Continuity.ts"
import * as Item from "./Item.ts"
import * as Mailbox from "./Mailbox.ts"

/**
 * - `waiting`: gets nothing until its topic is acknowledged
 * - `reading`: its state is being read; messages wait for the answer
 * - `following`: gets every message
 */
type Phase = "waiting" | "reading" | "following"

/** Settings that all subscribers of a session share. */
export interface Settings {
  /** The maximum number of items that wait for a subscriber. */
  readonly bound: number
  readonly clock: Clock.Clock
}

/** A subscriber of a topic. */
export class Subscriber {
  readonly kind: Continuity.Any
  readonly mailbox: Mailbox.Mailbox
  readonly #follower: Continuity.Follower<unknown, unknown, unknown, unknown>
  readonly #settings: Settings
  #phase: Phase = "waiting"
  /** The messages that wait for the answer. */
  #pushed: Array<unknown> = []
  /** An interruption that is only announced if the next state can't prove that nothing was missed. */
  #unproven: Item.Interrupted | undefined
  /** Whether the items so far are complete up to now, interrupted, or not begun. */
  #told: "nothing" | "all" | "interrupted" = "nothing"
  /** The number of times that it has begun, so that an answer for an earlier one is ignored. */
  #round = 0
  /** The last time when nothing was missing. */
  #completeAt: Item.Interrupted["since"]

  /** `resume` is called when the subscriber needs a new state while its topic may be acknowledged. */
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

  /** Whether it needs a new state, and can take one. */
  get isWaiting(): boolean {
    return this.#phase === "waiting" && !this.mailbox.hasOverflowed
  }

  /** The round of reading that has begun; `undefined` if no state needs to be read. */
  get reads(): number | undefined {
    return this.#phase === "reading" ? this.#round : undefined
  }

  /**
   * The time up to which nothing is missing, in Unix milliseconds; `heardAt` is the time of the connection's last message.
   * While a state has yet to prove that nothing was missed, the new connection's messages say nothing about it.
   */
  completeAt(heardAt: number | undefined): number | undefined {
    return this.#unproven === undefined ? heardAt : Time.toMicros(this.#unproven.since) / 1000
  }

  /** Begins: its topic is acknowledged. */
  begin(): void {
    this.#round++
    this.#pushed = []
    this.#phase = this.kind.read === undefined ? "following" : "reading"
    this.#follower.begin(this.#told !== "all")
  }

  /** Handles a message about its topic. Returns false if it needs a new state. */
  push(message: unknown): boolean {
    if (this.#phase === "reading") return this.#keep(message)
    return this.#phase === "waiting" || this.#emit(this.#follower.follow(message))
  }

  /** Keeps a message until the state has been read. If too many messages wait, the state is read again. */
  #keep(message: unknown): boolean {
    if (this.#pushed.length >= this.#settings.bound) {
      this.interrupt("slow")
      return false
    }
    this.#pushed.push(message)
    return true
  }

  /** Handles the answer to the query of a round. */
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
    // A state that proves that nothing was missed may have no items.
    this.#unproven = undefined
    this.#completeAt = Mailbox.timeOf(this.#settings.clock)
    if (this.mailbox.hasOverflowed) this.#phase = "waiting"
    return true
  }

  /** Messages may be missing since a time: by default since the last message. */
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

  /** Ends the stream, after the items that wait. */
  end(exit: Mailbox.Ending): void {
    this.#phase = "waiting"
    this.mailbox.end(exit)
  }
}
