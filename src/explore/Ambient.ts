/**
 * The parts of the JavaScript platform that a program can reach without Effect. While a history runs, the platform's
 * clock and random functions return the history's time and seeded random numbers. The seed cannot control asynchronous
 * work such as promises, microtasks, timers and sockets, so it is detected instead. Output is neither: it can't affect
 * the history.
 */
import * as Result from "effect/Result"
import { createHook } from "node:async_hooks"
import nodeCrypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { setTimeout } from "node:timers"
import type { Seeded } from "./Seeded.ts"

/** A resource that a program created and that the seed does not control. */
export interface Foreign {
  /** The kind of resource, as Node names it, such as `PROMISE`, `Timeout` or `TCPWRAP`. */
  readonly kind: string
  /** The line of code that created the resource. */
  readonly at: string
}

/** Controls the platform while a history runs. */
export interface Ambient {
  /** The resources found so far that the seed does not control; at most ten. */
  readonly foreign: ReadonlyArray<Foreign>
  /**
   * Whether the program has created a resource that the seed does not control, such as a promise or a timer, since the
   * previous call of this function. The resource's work may still be pending.
   */
  readonly isPending: () => boolean
  /** Runs work, and records each resource that it creates and that the seed does not control. */
  readonly detect: <A>(work: () => A) => A
  /** Restores the platform's clock and random functions. */
  readonly leave: () => void
}

/** The ignored kind of resource: every fiber creates one. The history itself creates no other resource. */
const own = "effect/Fiber"

const most = 10

const places = /^\s*at (.*)$/u

/** Returns the first stack line that is not in Node, a library or an `explore` module. */
const placeOf = (stack: string): string => {
  const lines = stack.split("\n").flatMap((line) => places.exec(line)?.[1] ?? [])
  const isOutside = (line: string) => !/node:|node_modules|src\/explore\/|explore\/Ambient\.[jt]s/u.test(line)
  return lines.find(isOutside) ?? lines.at(-1) ?? "an unknown place"
}

/** Replaces an object's property. Returns a function that restores the original property. */
const replace = (target: object, name: string, value: unknown): () => void => {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
  return () => {
    if (before === undefined) Reflect.deleteProperty(target, name)
    else Object.defineProperty(target, name, before)
  }
}

const bytesFrom = (random: Seeded) => <A extends ArrayBufferView>(view: A): A => {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (let index = 0; index < bytes.length; index++) bytes[index] = random.below(256)
  return view
}

const uuidFrom = (random: Seeded) => (): string => {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

/**
 * Replaces the random functions of `node:crypto`. Functions that are called with a callback or unusual arguments stay
 * Node's own, so they are detected.
 */
const nodeRandom = (random: Seeded): ReadonlyArray<() => void> => {
  const { randomBytes, randomInt } = nodeCrypto
  const fill = bytesFrom(random)
  const isInt = (value: unknown): value is number => Number.isSafeInteger(value)
  const undo = [
    replace(nodeCrypto, "randomUUID", uuidFrom(random)),
    replace(
      nodeCrypto,
      "randomBytes",
      (...given: ReadonlyArray<unknown>) =>
        given.length === 1 && isInt(given[0]) && given[0] >= 0
          ? fill(Buffer.alloc(given[0]))
          : Reflect.apply(randomBytes, nodeCrypto, given)
    ),
    replace(nodeCrypto, "randomInt", (...given: ReadonlyArray<unknown>) => {
      const [min, max] = given.length === 1 ? [0, given[0]] : given
      return given.length <= 2 && isInt(min) && isInt(max) && min < max
        ? min + random.below(max - min)
        : Reflect.apply(randomInt, nodeCrypto, given)
    })
  ]
  // Modules that import these functions by name see the replacements only after this call.
  syncBuiltinESMExports()
  return [...undo, syncBuiltinESMExports]
}

/** Creates Node's monotonic clock from a function that returns a time in milliseconds. */
const hrtimeOf = (millis: () => number): NodeJS.HRTime => {
  const bigint = () => BigInt(millis()) * 1_000_000n
  const hrtime = ([seconds, nanos]: readonly [number, number] = [0, 0]): [number, number] => {
    const passed = bigint() - BigInt(seconds) * 1_000_000_000n - BigInt(nanos)
    return [Number(passed / 1_000_000_000n), Number(passed % 1_000_000_000n)]
  }
  return Object.assign(hrtime, { bigint })
}

/**
 * Lets the program write, each time within `write`. Its output goes to the standard error stream, because the standard
 * output may be a report. Returns functions that restore the streams and the console.
 */
const output = (write: (work: () => unknown) => unknown): ReadonlyArray<() => void> => {
  const { stderr, stdout } = process
  const writeError = stderr.write.bind(stderr)
  const writing = (...given: ReadonlyArray<unknown>) => write(() => Reflect.apply(writeError, undefined, given))
  // A test runner's console starts timers before it writes.
  const writingConsole = new Proxy(console, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      return typeof member === "function"
        ? (...given: ReadonlyArray<unknown>) => write(() => Reflect.apply(member, target, given))
        : member
    }
  })
  return [
    replace(stdout, "write", writing),
    replace(stderr, "write", writing),
    replace(globalThis, "console", writingConsole)
  ]
}

/** The time and the random numbers of a history. */
export interface Sources {
  /** Returns the time that the program's clock shows, in Unix milliseconds. */
  readonly date: () => number
  /** Returns the history's time, in Unix milliseconds. It never goes back, even if the program's clock does. */
  readonly now: () => number
  /** The source of random numbers. */
  readonly random: Seeded
}

/** Replaces the platform's clock and random numbers until `leave` is called. */
export const enter = ({ date, now, random }: Sources): Ambient => {
  const RealDate = Date
  const HistoryDate: DateConstructor = new Proxy(RealDate, {
    apply: () => new RealDate(date()).toString(),
    construct: (_target, given: ReadonlyArray<number>, target): object =>
      Reflect.construct(RealDate, given.length === 0 ? [date()] : given, target === HistoryDate ? RealDate : target),
    get: (target, name) => name === "now" ? date : Reflect.get(target, name)
  })
  const start = now()
  const passed = () => now() - start
  const foreign: Array<Foreign> = []
  let isPending = false
  let isWriting = false
  const write = (work: () => unknown): unknown => {
    const before = isWriting
    isWriting = true
    const result = Result.try(work)
    isWriting = before
    return Result.getOrThrow(result)
  }
  const restore = [
    replace(globalThis, "Date", HistoryDate),
    replace(Math, "random", random.next),
    replace(performance, "now", passed),
    replace(process, "hrtime", hrtimeOf(passed)),
    replace(crypto, "getRandomValues", bytesFrom(random)),
    replace(crypto, "randomUUID", uuidFrom(random)),
    ...nodeRandom(random),
    ...output(write)
  ]
  const hook = createHook({
    init: (_id, kind) => {
      if (isWriting || kind === own) return
      isPending = true
      if (foreign.length < most) foreign.push({ kind, at: placeOf(new Error("foreign").stack ?? "") })
    }
  })
  return {
    foreign,
    isPending: () => {
      const was = isPending
      isPending = false
      return was
    },
    detect: (work) => {
      hook.enable()
      const result = Result.try(work)
      hook.disable()
      return Result.getOrThrow(result)
    },
    leave: () => {
      for (const undo of restore) undo()
    }
  }
}

/** Calls `done` after at least `millis` milliseconds of real time, and at least one turn of the event loop. */
export const turn = (millis: number, done: () => void): void => {
  setTimeout(done, millis)
}
