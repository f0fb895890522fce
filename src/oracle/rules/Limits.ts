/** Rules about rate limits: the number of calls that a target must accept (document, "Limits"). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Connection from "../world/Connection.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as Throttling from "../world/Throttling.ts"
import type { World } from "../world/World.ts"

const section = Section.of({ clause: "Limits" })

/** The fraction of calls that must get a response for a limit to be evaluated. */
const leastAnswered = 0.8

/**
 * Makes a call `count` times, one at a time, because nonces may have to increase. The target's clock is frozen, so all
 * calls fall into one window, no matter how slow the target or this machine is. Calls without a response are left out,
 * because the target may have counted them. Skips the value if more than a fifth of the calls get no response.
 */
const times = Effect.fnUntraced(function*(
  { whileFrozen }: World,
  count: number,
  call: Effect.Effect<Answer, Verdict.CheckError>
) {
  const answered = Effect.catchIf(Effect.asSome(call), Connection.isUnanswered, () => Effect.succeedNone)
  const answers = yield* whileFrozen(Effect.all(Array.from({ length: count }, () => answered)))
  const found = Arr.getSomes(answers)
  return found.length < count * leastAnswered
    ? yield* Verdict.skip(`not evaluated: the connection failed in ${count - found.length} of ${count} calls`)
    : found
})

/** Expects that all calls succeed. Any other response is treated as a refusal. */
const areAccepted = (answers: ReadonlyArray<Answer>) => {
  const refused = answers.filter(({ status }) => status !== 200)
  return Verdict.conclude("no refusals", `${refused.length} refusals`, refused.length === 0, refused[0])
}

/** The number of calls to the interest payment history that are allowed in ten seconds. */
const interestLimit = 1000

/** The number of public calls that are allowed in ten seconds. */
const publicLimit = 2000

/** The number of calls that a rule makes once the time of a limit is over. */
const moreCalls = 200

/** Expects that no call is refused because of a rate limit. The calls may be refused for other reasons. */
const areNotThrottled = (answers: ReadonlyArray<Answer>) => {
  const refused = answers.filter(Throttling.isThrottled)
  return Verdict.conclude("no HTTP 429", `${refused.length} times HTTP 429`, refused.length === 0, refused[0])
}

/** The numbers of calls that the live exchange's documentation allows in a second, or in a minute. */
const liveLimits = { codes: 60, tokens: 10 }

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("limits.codes", {
    statement: `Accepts ${liveLimits.codes} applications of codes in a second`,
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const call = world.attempt(account, Paths.applyCode, { code: "no-such-code" })
      yield* areNotThrottled(yield* times(world, liveLimits.codes, call))
    })
  }),
  LiveCalls.section.always("limits.tokens", {
    statement: `Accepts ${liveLimits.tokens} requests for a WebSocket token in a minute`,
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      // Other rules create tokens, and the limit may count all calls from this address, perhaps by real time.
      yield* world.advance(61_000)
      const account = yield* world.open({ isFunded: false })
      const answers = yield* times(world, liveLimits.tokens, world.attempt(account, Paths.webSocketToken))
      yield* areNotThrottled(answers)
      yield* world.onEnd(world.advance(61_000))
    })
  }),
  section.always("limits.interest", {
    statement: "Accepts 1000 requests for the interest payment history in 10 seconds",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      yield* areAccepted(yield* times(world, interestLimit, world.attempt(account, Paths.interest, { limit: 1 })))
    })
  }),
  section.always("limits.exceeded", {
    statement: "Refuses a call beyond the limit: HTTP 429, code 0, and a message other than that for a used nonce",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      // The target might not have counted a call without a response, so the call is made again.
      const call = Connection.retry(world.attempt(account, Paths.interest, { limit: 1 }))
      const answers = yield* times(world, interestLimit + 1, call)
      const refused = answers.find(({ status }) => status === 429)
      if (refused === undefined) {
        return yield* Verdict.conclude("a call refused with HTTP 429", "none", false, answers[0])
      }
      yield* Refusals.exactly(refused, { status: 429, codes: [0] }, "because there were too many calls")
      yield* Verdict.expect(
        refused,
        "a message other than Too many requests.",
        Json.isObject(refused.json) && refused.json["message"] !== "Too many requests."
      )
    })
  }),
  section.always("limits.public", {
    statement: "Accepts 2000 public requests in 10 seconds, and more after that",
    check: Effect.fnUntraced(function*(world) {
      // The limit counts all calls from this address, so this check must not share its window with other calls.
      yield* world.advance(11_000)
      yield* world.onEnd(world.advance(11_000))
      const ping = world.send({ method: "GET", path: Paths.ping, headers: {} })
      yield* areAccepted(yield* times(world, publicLimit, ping))
      yield* world.advance(11_000)
      const markets = world.send({ method: "GET", path: Paths.markets, headers: {} })
      for (const call of world.declares(Paths.markets) ? [ping, markets] : [ping]) {
        const answers = yield* times(world, moreCalls, call)
        if (answers.some(Throttling.isThrottled)) {
          // The limit may follow real time instead of the target's clock.
          yield* Effect.sleep(11_000)
          yield* areAccepted(yield* times(world, moreCalls, call))
        } else yield* areAccepted(answers)
      }
    })
  })
]
