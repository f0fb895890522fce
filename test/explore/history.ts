import * as Effect from "effect/Effect"
import { Explore, Scenario } from "../../src/explore/index.ts"
import * as World from "../../src/explore/World.ts"

/** Runs one history of a program, without events and random choices unless the scenario states them. */
export const history = Effect.fnUntraced(function*(
  run: Explore.Program["run"],
  scenario: Partial<Scenario.Scenario> = {},
  more: Partial<Explore.ProgramOptions> = {}
) {
  const program = Explore.program({ name: "a program", run, invariants: [], ...more })
  return yield* World.run(program, yield* World.prepare(program), { ...Scenario.calm, ...scenario })
})
