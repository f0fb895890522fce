/** The rules about the server time, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import type { World } from "../world/World.ts"

const read = Effect.fnUntraced(function*(world: World) {
  const answer = yield* LivePublicCalls.get(world, Paths.time)
  const time = Json.isObject(answer.json) ? answer.json["time"] : undefined
  yield* Verdict.expect(
    answer,
    "HTTP 200 with a time in Unix seconds",
    answer.status === 200 && Kinds.seconds.holds(time)
  )
  return Number(time)
})

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("time.nonce", {
    statement: "Shows the time with which nonces are compared, in Unix seconds",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.reader
      // A nonce that no other call of this check uses, within the window of 5 seconds.
      const nonce = (yield* read(world)) * 1000 + 2500 + (yield* world.serverTime) % 1000
      const answer = yield* world.call(account, Paths.fees, {}, { envelope: { nonce, nonceWindow: true } })
      yield* Verdict.expect(answer, `success with the nonce ${nonce}`, Refusals.isSuccess(answer))
    })
  }),
  LiveCalls.section.always("time.runs", {
    statement: "Shows a later time two seconds later",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const first = yield* read(world)
      // The exchange may respond with a copy that is at most a second old.
      yield* Effect.sleep("2100 millis")
      const second = yield* read(world)
      yield* Verdict.conclude("a later time", { first, second }, second > first)
    })
  })
]
