/** The parts that the preparation of the exchange and a history share: tasks, a time, and a way to run effects. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scheduler from "effect/Scheduler"
import { Tasks } from "./Tasks.ts"
import * as Timeline from "./Timeline.ts"

/** Runs effects outside of the program, in one thread. */
export interface Runtime {
  readonly tasks: Tasks
  readonly timeline: Timeline.Timeline
  /** Starts an effect. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Runs an effect until it completes. Also runs other tasks as they become ready. */
  readonly finish: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

const silent = new Set<Logger.Logger<unknown, unknown>>()

/** Creates a runtime. Its time begins at `start` (Unix ms); `order` decides in which order tasks run. */
export const make = (start: number, order: number): Runtime => {
  const tasks = new Tasks(order)
  const timeline = Timeline.make(start, tasks)
  const context = Context.empty().pipe(
    Context.add(Scheduler.Scheduler, tasks.scheduler()),
    Context.add(Clock.Clock, timeline.clock(() => 0)),
    Context.add(Logger.CurrentLoggers, silent)
  )
  const fork: Runtime["fork"] = (effect) => Effect.runForkWith(context)(effect)
  const finish: Runtime["finish"] = (effect) =>
    Effect.suspend(() => {
      const fiber = fork(effect)
      while (fiber.pollUnsafe() === undefined && tasks.runOne()) continue
      return fiber.pollUnsafe() ?? Effect.die("The history's exchange waits for something outside of the history")
    })
  return { tasks, timeline, fork, finish }
}
