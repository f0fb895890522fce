/** A market maker's day, as the page of the sandbox has it. Its message is how many minutes the maker lets pass. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { day, world } from "../../test/readme/day.ts"
import { serve } from "../harness/children.ts"
import type { Sample } from "../harness/operation.ts"

/** What a day took, in microseconds, and what happened on it. */
export interface Day extends Sample {
  readonly ticks: number
  readonly orders: number
}

serve("ready", async (every: number): Promise<Day> => {
  const before = process.cpuUsage()
  const start = performance.now()
  // Every day has an exchange and a clock of its own, and says nothing of what goes wrong.
  const layer = Layer.fresh(world).pipe(Layer.provideMerge([TestClock.layer(), Logger.layer([])]))
  const { report } = await Effect.runPromise(Effect.provide(day(every), layer))
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { cpu: user + system, wall, ticks: report.ticks, orders: report.placed + report.found }
})
