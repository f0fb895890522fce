/**
 * A history's time. While a task is ready, the time stands still. When no task is left, the time jumps to the next
 * scheduled work.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Tasks } from "./Tasks.ts"

/** A history's time, in Unix milliseconds. */
export interface Timeline {
  /** Returns the current time. */
  readonly now: () => number
  /** Runs work as a task after `millis` milliseconds. Returns a function that cancels the work. */
  readonly after: (millis: number, run: () => void) => () => void
  /** Returns the time at which the next work is due, or `undefined` if no work is scheduled. */
  readonly next: () => number | undefined
  /** Advances the time to `to`, and turns all work that is due by then into ready tasks. */
  readonly advance: (to: number) => void
  /** Creates a clock that shows the time plus an offset in milliseconds. */
  readonly clock: (offset: () => number) => Clock.Clock
}

interface Timer {
  readonly at: number
  run: (() => void) | undefined
}

/**
 * Returns the index at which to insert a new timer that is due at `at`. The list is sorted from latest to earliest; the
 * timer at the end runs first, so the new timer comes before timers that are due at the same time.
 */
const indexOf = (timers: ReadonlyArray<Timer>, at: number): number => {
  let [low, high] = [0, timers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((timers[middle]?.at ?? 0) > at) low = middle + 1
    else high = middle
  }
  return low
}

/** Creates a timeline. */
export const make = (start: number, { add }: Pick<Tasks, "add">): Timeline => {
  const timers: Array<Timer> = []
  let now = start

  const after = (millis: number, run: () => void): () => void => {
    const timer: Timer = { at: now + Math.max(0, Math.ceil(millis)), run }
    timers.splice(indexOf(timers, timer.at), 0, timer)
    return () => {
      timer.run = undefined
    }
  }

  const next = (): number | undefined => {
    for (;;) {
      const timer = timers.at(-1)
      if (timer === undefined || timer.run !== undefined) return timer?.at
      timers.pop()
    }
  }

  const clock = (offset: () => number): Clock.Clock => {
    const millis = () => now + offset()
    const nanos = () => BigInt(millis()) * 1_000_000n
    const monotonic = () => BigInt(now) * 1_000_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => {
        const millis = Duration.toMillis(duration)
        if (millis <= 0) return Effect.yieldNow
        if (!Number.isFinite(millis)) return Effect.never
        return Effect.callback((resume) => Effect.sync(after(millis, () => resume(Effect.void))))
      }
    }
  }

  return {
    now: () => now,
    after,
    next,
    advance: (to) => {
      now = Math.max(now, to)
      for (let due = next(); due !== undefined && due <= now; due = next()) {
        const { run } = timers.pop() ?? {}
        if (run !== undefined) add(run)
      }
    },
    clock
  }
}
