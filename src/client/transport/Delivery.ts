/**
 * A request on its way over callbacks or promises, as an effect: it ends in time, and ends early when nobody waits for it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Transport from "./Transport.ts"

/** How a request ended. */
export type End = Effect.Effect<Transport.Answer, Transport.SendFailed>

/** A request that can be handed over once. */
export interface Delivery {
  /** Hands the request over. Runs `onEnd` once, unless the request is abandoned. */
  readonly begin: (onEnd: (end: End) => void) => void
  /** Ends it because its time has passed. */
  readonly late: () => void
  /** Ends it because nobody waits for it. */
  readonly abandon: () => void
}

/**
 * How many chunks a platform may read of a body that is a stream before it has a connection: Node's `fetch` copies it. So many
 * chunks without a byte come first. A body whose own bytes were never read was never delivered.
 */
export const readAhead = 4

/** A chunk without a byte. */
export const nothing: Uint8Array = new Uint8Array(0)

/** The clock of this machine. A test may have another. */
const machineClock = Context.get(Context.empty(), Clock.Clock)

/** A timer takes no more. */
const longest = 2 ** 31 - 1

const noStop = () => {}

/**
 * A timer that does nothing and keeps no process alive. Node keeps the timers of one duration in a list. Without this one, each of
 * several calls in a row would make the list anew, which costs as much again as its timer.
 */
let companion: NodeJS.Timeout | undefined

const accompany = (millis: number): void => {
  if (companion !== undefined) return
  companion = setTimeout(() => companion = undefined, millis)
  // Where a timer is a number, it would keep the process alive.
  if (typeof companion === "object") companion.unref()
  else clearTimeout(companion)
}

/** Runs it when so much time has passed on this machine; gives what prevents that. */
const after = (millis: number, run: () => void): () => void => {
  if (!Number.isFinite(millis)) return noStop
  const duration = Math.min(millis, longest)
  const timer = setTimeout(run, duration)
  accompany(duration)
  return () => clearTimeout(timer)
}

/** Hands a request over and waits for its end, for no longer than its timeout on the clock of the fiber. */
export const run = (timeout: Duration.Input, make: () => Delivery): End =>
  Effect.clockWith((clock) => {
    const duration = Duration.fromInputUnsafe(timeout)
    const delivery = make()
    const end: End = Effect.callback((resume) => {
      // A timer costs far less than a fiber that sleeps.
      const stop = clock === machineClock ? after(Duration.toMillis(duration), () => delivery.late()) : noStop
      delivery.begin((end) => {
        stop()
        resume(end)
      })
      return Effect.sync(() => {
        stop()
        delivery.abandon()
      })
    })
    if (clock === machineClock) return end
    return Effect.raceFirst(
      end,
      Effect.flatMap(clock.sleep(duration), () => {
        delivery.late()
        return Effect.never
      })
    )
  })
