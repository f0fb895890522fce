/** The time of a history. It stands still while anything is ready, then jumps to the next thing that can happen. */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Tasks } from "./Tasks.ts"

/** The time of a history, in Unix milliseconds. */
export interface Timeline {
  /** The time. */
  readonly now: () => number
  /** Runs work as a task after some milliseconds. Returns a function that cancels it. */
  readonly after: (millis: number, run: () => void) => () => void
  /** The time at which the next work is due; `undefined` if none is. */
  readonly next: () => number | undefined
  /** Moves the time on to `to`, and makes all work that is due then ready. */
  readonly advance: (to: number) => void
  /** A clock that shows the time plus an offset in milliseconds. */
  readonly clock: (offset: () => number) => Clock.Clock
}

interface Timer {
  readonly at: number
  run: (() => void) | undefined
}

/** The index at which a timer belongs: behind all that are due earlier or at the same time. The last is due first. */
const indexOf = (timers: ReadonlyArray<Timer>, at: number): number => {
  let [low, high] = [0, timers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((timers[middle]?.at ?? 0) > at) low = middle + 1
    else high = middle
  }
  return low
}

/** Starts a time line. */
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
