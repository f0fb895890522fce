/**
 * The parts of the JavaScript platform that a program can reach without Effect. While a history runs, the
 * platform's clock and random functions return the history's time and seeded random numbers. The seed cannot control
 * promises, timers, sockets and files, so they are detected instead.
 */
import * as Result from "effect/Result"
import { createHook } from "node:async_hooks"
import { setTimeout } from "node:timers"
import type { Seeded } from "./Seeded.ts"

/** A resource that a program created and that the seed does not control. */
export interface Foreign {
  /** The kind of resource, as Node names it, such as `PROMISE`, `Timeout` or `TCPWRAP`. */
  readonly kind: string
  /** The line of code that created the resource. */
  readonly at: string
}

/** The platform while a history runs. */
export interface Ambient {
  /** The foreign resources found so far; at most ten. */
  readonly foreign: ReadonlyArray<Foreign>
  /** Whether foreign work has been created since the previous call of this function, and may still be pending. */
  readonly isPending: () => boolean
  /** Runs work, and detects the foreign resources that it creates. */
  readonly detect: <A>(work: () => A) => A
  /** Restores the platform. */
  readonly leave: () => void
}

/** Resources that the runtime creates for its own purposes. */
const own = new Set(["effect/Fiber", "TickObject", "Microtask"])

const most = 10

const places = /^\s*at (.*)$/u

/** Returns the first line of the stack outside of Node, libraries and the `explore` modules. */
const placeOf = (stack: string): string => {
  const lines = stack.split("\n").flatMap((line) => places.exec(line)?.[1] ?? [])
  const isOutside = (line: string) => !/node:|node_modules|src\/explore\/|explore\/Ambient/u.test(line)
  return lines.find(isOutside) ?? lines.at(-1) ?? "an unknown place"
}

/** Replaces a property temporarily. Returns a function that restores it. */
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
 * Replaces the platform's clock and random numbers until `leave` is called. `now` returns the time in Unix
 * milliseconds.
 */
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

/** Waits until the event loop has run once, and for at least `millis` milliseconds of real time. */
export const turn = (millis: number, done: () => void): void => {
  setTimeout(done, millis)
}
