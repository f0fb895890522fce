/**
 * Converts a request based on callbacks or promises into an effect. The request ends at its timeout or when the caller
 * is interrupted.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Transport from "./Transport.ts"

/** The result of a request. */
export type End = Effect.Effect<Transport.Answer, Transport.SendFailed>

/** A request that can be sent once. */
export interface Delivery {
  /** Sends the request. Calls `onEnd` once, unless the request is abandoned. */
  readonly begin: (onEnd: (end: End) => void) => void
  /** Ends the request at its timeout. */
  readonly late: () => void
  /** Ends the request because its caller was interrupted. */
  readonly abandon: () => void
}

/**
 * The maximum number of chunks that a platform reads from a streamed body before it has a connection. Node's `fetch`,
 * for example, reads ahead to copy the body. Bodies begin with this number of empty chunks, so a body whose real bytes
 * were never read was never delivered.
 */
export const readAhead = 4

/** An empty chunk. */
export const nothing: Uint8Array = new Uint8Array(0)

/** This machine's clock. A test can provide a different clock. */
const machineClock = Context.get(Context.empty(), Clock.Clock)

/** A timer's maximum duration, in milliseconds. */
const longest = 2 ** 31 - 1

const noStop = () => {}

/**
 * A timer that does nothing and does not keep the process alive. Node keeps one timer list per duration, and removes an
 * empty list. Without this timer, every call would create the list again, which would double the cost of the call's
 * timer.
 */
let companion: NodeJS.Timeout | undefined

const accompany = (millis: number): void => {
  if (companion !== undefined) return
  companion = setTimeout(() => companion = undefined, millis)
  // On platforms whose timers are numbers, such a timer can't be unreferenced and would keep the process alive.
  if (typeof companion === "object") companion.unref()
  else clearTimeout(companion)
}

/** Calls a function after some milliseconds on this machine's clock. Returns a function that cancels the timer. */
const after = (millis: number, run: () => void): () => void => {
  if (!Number.isFinite(millis)) return noStop
  const duration = Math.min(millis, longest)
  const timer = setTimeout(run, duration)
  accompany(duration)
  return () => clearTimeout(timer)
}

/** Sends a request and waits for its result, for at most `timeout` on the fiber's clock. */
export const run = (timeout: Duration.Input, make: () => Delivery): End =>
  Effect.clockWith((clock) => {
    const duration = Duration.fromInputUnsafe(timeout)
    const delivery = make()
    const end: End = Effect.callback((resume) => {
      // A timer costs far less than a sleeping fiber.
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
