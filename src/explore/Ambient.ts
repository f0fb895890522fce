/**
 * The parts of the JavaScript platform that a program can reach around Effect. While a history runs, the platform's
 * time and random numbers are the history's own. Promises, timers, sockets and files can't be brought under the seed,
 * so they are detected.
 */
import * as Result from "effect/Result"
import { createHook } from "node:async_hooks"
import { setTimeout } from "node:timers"
import type { Seeded } from "./Seeded.ts"

/** Something that a program started and that the seed does not control. */
export interface Foreign {
  /** The kind of resource, as Node names it, such as `PROMISE`, `Timeout` or `TCPWRAP`. */
  readonly kind: string
  /** The line of code that started it. */
  readonly at: string
}

/** The platform of a history. */
export interface Ambient {
  /** The foreign resources so far; at most ten. */
  readonly foreign: ReadonlyArray<Foreign>
  /** Whether foreign work may still be pending. Each call forgets what it has reported. */
  readonly isPending: () => boolean
  /** Runs work, and detects what it starts. */
  readonly detect: <A>(work: () => A) => A
  /** Gives the platform back. */
  readonly leave: () => void
}

/** Resources that the runtime creates for its own purposes. */
const own = new Set(["effect/Fiber", "TickObject", "Microtask"])

const most = 10

const places = /^\s*at (.*)$/u

/** The first line of the stack that is neither this module's nor a library's. */
const placeOf = (stack: string): string => {
  const lines = stack.split("\n").flatMap((line) => places.exec(line)?.[1] ?? [])
  const isOutside = (line: string) => !/node:|node_modules|src\/explore\/|explore\/Ambient/u.test(line)
  return lines.find(isOutside) ?? lines.at(-1) ?? "an unknown place"
}

/** Replaces a property for a while. Returns a function that restores it. */
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

/** Takes the platform over until `leave` is called. `now` is the time in Unix milliseconds. */
export const enter = (now: () => number, random: Seeded): Ambient => {
  const RealDate = Date
  const HistoryDate: DateConstructor = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (_target, given: ReadonlyArray<number>, target): object =>
      Reflect.construct(RealDate, given.length === 0 ? [now()] : given, target === HistoryDate ? RealDate : target),
    get: (target, name) => name === "now" ? now : Reflect.get(target, name)
  })
  const start = now()
  const restore = [
    replace(globalThis, "Date", HistoryDate),
    replace(Math, "random", random.next),
    replace(performance, "now", () => now() - start),
    replace(crypto, "getRandomValues", bytesFrom(random)),
    replace(crypto, "randomUUID", uuidFrom(random))
  ]
  const foreign: Array<Foreign> = []
  let isPending = false
  const hook = createHook({
    init: (_id, kind) => {
      if (own.has(kind)) return
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

/** Waits until the event loop has turned, and for at least some milliseconds of the machine's time. */
export const turn = (millis: number, done: () => void): void => {
  setTimeout(done, millis)
}
