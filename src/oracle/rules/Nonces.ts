/** Rules about the nonces that a target accepts (document, "Authentication"). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import { accepted, envelopedPathsOf, fieldsOf, isSuccess, refused } from "../world/FaultyCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import type { World } from "../world/World.ts"

const section = Section.of({ clause: "Authentication", level: "SHOULD" })

/** Returns a nonce near the target's clock, sent with an acceptance window. It need not be the greatest so far. */
const windowed = (world: World, value: number) => Dialects.nonce(world.dialect, value, true)

/** The number of calls after which a used nonce is sent again. */
const laterCalls = 24

export const rules: ReadonlyArray<Rule.Rule> = [
  refused({
    id: "auth.nonce.required",
    statement: "Refuses a body without the nonce field",
    tampering: { envelope: { nonce: undefined } },
    why: "because nonce is missing in the body",
    paths: envelopedPathsOf
  }),
  section.forEach("auth.nonce.form", {
    statement: "Refuses a nonce that is not a numeric string",
    profile: "read-only",
    live: Rule.other("an integer is accepted too"),
    values: ["", "abc", "1e9", " 1", true, [], {}, null, 1.5],
    check: Effect.fnUntraced(function*(world, nonce) {
      const answer = yield* world.call(yield* world.reader, Paths.mainBalance, {}, { envelope: { nonce } })
      yield* Refusals.any(answer, "because the nonce is not a numeric string")
    })
  }),
  section.forEach("auth.nonce.unique", {
    statement: "Refuses the second call with the same nonce, on the same endpoint or another one",
    level: "MUST",
    profile: "read-only",
    values: (setting: Rule.Setting) => [
      ...[Paths.fees, ...envelopedPathsOf(setting)].map((path) => [Paths.mainBalance, path]),
      [Paths.fees, Paths.fees]
    ],
    check: Effect.fnUntraced(function*(world, [first = "", second = ""]) {
      const account = yield* world.reader
      const fields = yield* fieldsOf(world, account, second)
      const envelope = yield* world.nonce(account)
      yield* accepted(yield* world.call(account, first, {}, { envelope }), "because the nonce is new")
      const answer = yield* world.call(account, second, fields, { envelope })
      yield* Refusals.any(answer, "because the nonce was used")
    })
  }),
  section.always("auth.nonce.unique.later", {
    statement: "Refuses a used nonce after many other calls, and a day later",
    level: "MUST",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const envelope = yield* world.nonce(account)
      const call = world.call(account, Paths.mainBalance, {}, { envelope })
      yield* accepted(yield* call, "because the nonce is new")
      for (let count = 0; count < laterCalls; count++) yield* world.call(account, Paths.mainBalance)
      yield* Refusals.any(yield* call, `because the nonce was used ${laterCalls} calls ago`)
      yield* world.advance(86_400_000)
      yield* Refusals.any(yield* call, "because the nonce was used yesterday")
    })
  }),
  section.forEach("auth.nonce.unique.optional", {
    statement: "Refuses a used nonce on a call for which the nonce is optional",
    live: Rule.documented("every private call needs a nonce"),
    values: Paths.unenveloped,
    check: Effect.fnUntraced(function*(world, path) {
      const account = yield* world.reader
      const fields = yield* fieldsOf(world, account, path)
      const envelope = yield* world.nonce(account)
      yield* accepted(yield* world.call(account, Paths.fees, {}, { envelope }), "because the nonce is new")
      const answer = yield* world.call(account, path, fields, { envelope })
      yield* Refusals.any(answer, "because the nonce was used")
    })
  }),
  section.always("auth.nonce.unique.refused-call", {
    statement: "Uses up the nonce of a call that it refuses because of an invalid field",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.reader
      const envelope = yield* world.nonce(account)
      yield* world.call(account, Paths.subAccounts, { limit: 0 }, { envelope })
      const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope })
      yield* Refusals.any(answer, "because a refused call has used the nonce")
    })
  }),
  section.always("auth.nonce.unused", {
    statement:
      "Does not use up the nonce of a call with a wrong signature, so that other callers can't use up a key's nonces",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.reader
      const envelope = yield* world.nonce(account)
      yield* world.call(account, Paths.mainBalance, {}, { envelope, signature: () => "0".repeat(128) })
      const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope })
      yield* accepted(answer, "because no authenticated call has used this nonce")
    })
  }),
  section.always("auth.nonce.per-key", {
    statement: "Accepts the same nonce from two keys: nonces are unique per key",
    check: Effect.fnUntraced(function*(world) {
      const [one, two] = [yield* world.open({ isFunded: false }), yield* world.open({ isFunded: false })]
      const envelope = yield* world.nonce(one)
      yield* accepted(
        yield* world.call(one, Paths.mainBalance, {}, { envelope }),
        "because the first key's nonce is new"
      )
      yield* accepted(
        yield* world.call(two, Paths.mainBalance, {}, { envelope }),
        "because the other key's nonce is new"
      )
    })
  }),
  section.always("auth.nonce.race", {
    statement: "Accepts exactly one of several simultaneous calls with the same nonce",
    level: "MUST",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const envelope = yield* world.nonce(account)
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => world.call(account, Paths.mainBalance, {}, { envelope })),
        { concurrency: "unbounded" }
      )
      const count = answers.filter(isSuccess).length
      yield* Verdict.conclude(
        "one of eight calls with the same nonce is accepted",
        `${count} are accepted`,
        count === 1,
        answers[0]
      )
    })
  }),
  section.forAll("auth.nonce.any-order", {
    statement: "Accepts new nonces in any order",
    level: "INFO",
    live: Rule.other("only with nonceWindow, and only near the clock"),
    values: fc.shuffledSubarray([3, 1, 4, 5, 9, 2, 6], { minLength: 7 }),
    profile: "control",
    check: Effect.fnUntraced(function*(world, offsets) {
      const account = yield* world.open({ isFunded: false })
      const now = yield* world.serverTime
      for (const offset of offsets) {
        const envelope = windowed(world, now + offset)
        yield* accepted(yield* world.call(account, Paths.mainBalance, {}, { envelope }), "because the nonce is new")
      }
    })
  }),
  section.forAll("auth.nonce.interleaved", {
    statement: "Accepts all simultaneous calls with different nonces",
    profile: "control",
    values: fc.integer({ min: 2, max: 24 }),
    check: Effect.fnUntraced(function*(world, count) {
      const account = yield* world.open({ isFunded: false })
      const now = yield* world.serverTime
      const answers = yield* Effect.all(
        Array.from(
          { length: count },
          (_, index) => world.call(account, Paths.mainBalance, {}, { envelope: windowed(world, now + index) })
        ),
        { concurrency: "unbounded" }
      )
      yield* Effect.forEach(answers, (answer) => accepted(answer, "because the nonce is new"), { discard: true })
    })
  }),
  section.always("auth.nonce.increasing", {
    statement: "Without nonceWindow, refuses a nonce that is not greater than all earlier ones",
    document: Rule.notApplicable("the document asks for unique nonces only"),
    live: Rule.documented("a key's nonces must increase unless nonceWindow is true"),
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const now = yield* world.serverTime
      yield* accepted(
        yield* world.call(account, Paths.mainBalance, {}, { envelope: { nonce: now } }),
        "because it is the first nonce"
      )
      const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope: { nonce: now - 1 } })
      yield* Refusals.any(answer, "because the nonce is lower than the previous nonce")
    })
  }),
  section.always("auth.nonce.window.unique", {
    statement: "With nonceWindow, accepts a lower nonce near the clock, and refuses a used one",
    document: Rule.notApplicable("the document shows no acceptance window"),
    live: Rule.documented("nonces must be unique, and need not increase"),
    check: (world) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* world.open({ isFunded: false })
        const now = yield* world.serverTime
        for (const off of [-1000, -2500, -1500]) {
          const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope: windowed(world, now + off) })
          yield* accepted(answer, "because the nonce is new and near the clock")
        }
        for (const off of [-2500, -1000, -1500]) {
          const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope: windowed(world, now + off) })
          yield* Refusals.any(answer, "because the nonce was used")
        }
      }))
  }),
  section.always("auth.nonce.text", {
    statement: "Accepts a nonce as an integer and as the same integer in a string",
    document: Rule.notApplicable("a nonce is a string"),
    live: Rule.documented("both forms are accepted"),
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const now = yield* world.serverTime
      for (const nonce of [now - 3, String(now - 2), now - 1]) {
        const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope: { nonce } })
        yield* accepted(answer, "because the nonce is greater than all earlier nonces")
      }
      const again = yield* world.call(account, Paths.mainBalance, {}, { envelope: { nonce: String(now - 1) } })
      yield* Refusals.any(again, "because the nonce was used in its other form")
    })
  }),
  section.forEach("auth.nonce.window", {
    statement: "With nonceWindow, refuses a nonce more than five seconds off the exchange's clock",
    document: Rule.notApplicable("the document shows no acceptance window"),
    live: Rule.documented("a nonce more than five seconds off is refused"),
    values: [-3_600_000, -60_000, -9000, 9000, 60_000, 3_600_000],
    check: (world, off) => {
      const check = Effect.gen(function*() {
        const account = yield* world.open({ isFunded: false })
        const envelope = { nonce: (yield* world.serverTime) + off, nonceWindow: true }
        const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope })
        yield* Refusals.any(answer, "because the nonce is far from the clock")
      })
      // A slow call could arrive when the clock has reached its nonce.
      return Math.abs(off) < 10_000 ? world.whileFrozen(check) : check
    }
  }),
  section.always("auth.nonce.refusal", {
    statement: "Refuses a used nonce with HTTP 429, code 0 and the message Too many requests.",
    level: "INFO",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.reader
      const envelope = yield* world.nonce(account)
      yield* world.call(account, Paths.mainBalance, {}, { envelope })
      const answer = yield* world.call(account, Paths.mainBalance, {}, { envelope })
      yield* Refusals.exactly(answer, { status: 429, codes: [0] }, "because the nonce was used")
      yield* Verdict.expect(
        answer,
        "the message Too many requests.",
        Json.isObject(answer.json) && answer.json["message"] === "Too many requests."
      )
    })
  })
]
