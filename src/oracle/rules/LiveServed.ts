/**
 * The rule that a target of the live dialect serves the calls that only the live exchange's documentation describes.
 */
import * as Effect from "effect/Effect"
import * as Features from "../Features.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import type { World } from "../world/World.ts"

/**
 * Makes a private call without its fields, or a public call with only a market. A correct target serves a read or names
 * its missing field, and refuses every other call.
 */
const ask = Effect.fnUntraced(function*(world: World, path: string, market: string) {
  return path.includes("/public/")
    ? yield* world.get(Paths.ofMarkets.includes(path) ? `${path}/${market}` : path, `market=${market}`)
    : yield* world.call(yield* world.reader, path)
})

/**
 * Returns the calls to make, except those that the target declares missing. On a target that is not a sandbox, returns
 * only reads.
 */
const pathsOf = ({ declares, profile }: World): ReadonlyArray<string> =>
  (profile === "control" ? Paths.liveCalls : Paths.liveReads).filter(declares)

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("live-calls.served", {
    statement: "Serves every call that the live exchange's documentation describes: no call gets HTTP 404 or 501",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { name } = yield* world.market
      const paths = pathsOf(world)
      if (paths.length === 0) return yield* Verdict.skip("the target declares that it serves none of these calls")
      const missing: Array<string> = []
      for (const path of paths) {
        const isMissing = Effect.map(ask(world, path, name), Refusals.isNotServed)
        // Without a key, only public calls can be evaluated.
        if (yield* Effect.catchTag(isMissing, "Skipped", () => Effect.succeed(false))) missing.push(path)
      }
      yield* Verdict.conclude(
        `from every call, any response other than HTTP 404 or 501; ${Features.remedy}`,
        `HTTP 404 or 501 from ${missing.join(", ")}`,
        missing.length === 0
      )
    })
  })
]
