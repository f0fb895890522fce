/**
 * How many calls are not too many (document, "Limits").
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"

const clause = "Limits"

/** So many calls, one after the other: nonces that must increase do. */
const many = <E>(count: number, call: Effect.Effect<Answer, E>): Effect.Effect<ReadonlyArray<Answer>, E> =>
  Effect.all(Array.from({ length: count }, () => call))

const isTooMany = ({ status }: Answer): boolean => status === 429

/** All of them are answered with a success; whatever else they are answered with, they were too many. */
const areAccepted = (answers: ReadonlyArray<Answer>) => {
  const refused = answers.filter(({ status }) => status !== 200)
  return Verdict.conclude("none refused", `${refused.length} refused`, refused.length === 0, refused[0])
}

const interestLimit = 1000

const publicLimit = 2000

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "limits.interest",
    statement: "1000 requests in 10 seconds of the interest payment history are not too many",
    clause,
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isFunded: false })
        const answers = yield* many(
          interestLimit,
          world.call(account, Paths.interest, { limit: 1 })
        )
        yield* areAccepted(answers)
      })
  }),
  Rule.always({
    id: "limits.exceeded",
    statement: "A call beyond the limit is refused with HTTP 429, code 0, in other words than a nonce that was used",
    clause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isFunded: false })
        const startedAt = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        // Twice as many as are allowed: in whatever window they fall, one holds too many.
        const answers = yield* many(
          2 * interestLimit + 1,
          world.call(account, Paths.interest, { limit: 1 })
        )
        const took = (yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - startedAt
        if (took > 9_000) return yield* Verdict.skip(`the target, or the rate allowed, is too slow: ${took} ms`)
        const refused = answers.find(isTooMany)
        if (refused === undefined)
          return yield* Verdict.conclude("a call refused with HTTP 429", "none", false, answers[0])
        yield* Refusals.exactly(refused, { status: 429, codes: [0] }, "because there were too many")
        yield* Verdict.expect(
          refused,
          "another message than Too many requests.",
          Json.isObject(refused.json) && refused.json["message"] !== "Too many requests."
        )
      })
  }),
  Rule.always({
    id: "limits.public",
    statement: "2000 requests in 10 seconds of public endpoints are not too many",
    clause,
    check: (world) =>
      Effect.gen(function*() {
        // The limit is the caller's, not an account's: nothing may be left of earlier calls, nor for later ones.
        yield* world.advance(11_000)
        yield* world.onEnd(world.advance(11_000))
        const answers = yield* many(publicLimit, world.get(Paths.ping))
        yield* areAccepted(answers)
      })
  })
]
