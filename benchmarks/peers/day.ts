/**
 * Runs the market maker's day that the sandbox's docs show. The message is the number of minutes between the maker's
 * ticks.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { day, world } from "../../test/readme/day.ts"
import { serve } from "../harness/children.ts"
import type { Sample } from "../harness/operation.ts"

/** The cost of a day in microseconds, and its numbers of ticks and orders. */
export interface Day extends Sample {
  readonly ticks: number
  readonly orders: number
}

serve("ready", async (every: number): Promise<Day> => {
  const before = process.cpuUsage()
  const start = performance.now()
  // Every day has a new exchange and clock. Logging is off, because a day's faults would fill the log.
  const layer = Layer.fresh(world).pipe(Layer.provideMerge([TestClock.layer(), Logger.layer([])]))
  const { report } = await Effect.runPromise(Effect.provide(day(every), layer))
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { cpu: user + system, wall, ticks: report.ticks, orders: report.placed + report.found }
})
