/** Rules about deleting sub-accounts (document, Endpoints §11). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Boundaries from "../world/Boundaries.ts"
import * as Dialects from "../world/Dialects.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import type { Account, World } from "../world/World.ts"

const section = Section.of({ clause: "Endpoints §11" })

const listed = Effect.fnUntraced(function*(world: World, account: Account) {
  const { json } = yield* world.call(account, Paths.subAccounts, { limit: 100 })
  return Json.isObject(json) && Array.isArray(json["data"]) ? SubAccounts.idsOf(json["data"]) : []
})

const refuses = (answer: Parameters<typeof Refusals.namedFields>[0], world: World) =>
  Refusals.call(answer, world.dialect, "id")

export const rules: ReadonlyArray<Rule.Rule> = [
  section.always("delete.response", {
    statement: "Returns HTTP 200 and an empty JSON object for a deletion",
    live: Rule.other("the body may be empty", Rule.liveAnswers),
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const answer = yield* world.call(parent, Paths.deleteSubAccount, {
        id: yield* SubAccounts.create(world, parent)
      })
      const isEmpty = Json.stringify(answer.json) === "{}" || (world.dialect.name === "live" && answer.text === "")
      yield* Verdict.expect(answer, "HTTP 200 with {}", answer.status === 200 && isEmpty)
    })
  }),
  section.forAll("delete.effect", {
    statement: "Removes only the deleted sub-account from the list",
    values: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(3)),
    check: Effect.fnUntraced(function*(world, [count, at]) {
      const parent = yield* world.open({ isFunded: false })
      const ids: Array<string> = []
      for (let index = 0; index < count; index++) ids.push(yield* SubAccounts.create(world, parent))
      const id = ids[at % count]
      // Reads the list first. If the target caches it, the deleted sub-account still appears below.
      const before = yield* listed(world, parent)
      yield* Verdict.conclude(ids.join(), before, before.toSorted().join() === ids.toSorted().join())
      yield* world.call(parent, Paths.deleteSubAccount, { id })
      const left = yield* listed(world, parent)
      const expected = ids.filter((other) => other !== id)
      yield* Verdict.conclude(expected.join(), left, left.toSorted().join() === expected.toSorted().join())
    })
  }),
  section.always("delete.id.required", {
    statement: "Refuses a deletion without an id",
    check: Effect.fnUntraced(function*(world) {
      yield* refuses(yield* world.call(yield* world.reader, Paths.deleteSubAccount), world)
    })
  }),
  section.forAll("delete.id.type", {
    statement: "Refuses an id that is not a string",
    values: Boundaries.noTexts,
    check: Effect.fnUntraced(function*(world, id) {
      yield* refuses(yield* world.call(yield* world.reader, Paths.deleteSubAccount, { id }), world)
    })
  }),
  section.forAll("delete.id.unknown", {
    statement: "Refuses an unknown id",
    level: "SHOULD",
    live: Rule.documented("HTTP 400, code 0, and errors that name the id"),
    values: fc.uuid(),
    check: Effect.fnUntraced(function*(world, id) {
      yield* refuses(yield* world.call(yield* world.reader, Paths.deleteSubAccount, { id }), world)
    })
  }),
  section.forEach("delete.refusal", {
    statement: "Refuses an invalid id: HTTP 400, code 0, Validation failed, and errors that name the field",
    level: "SHOULD",
    live: Rule.documented("HTTP 400, code 0, and errors that name the id"),
    values: [{}, { id: 1 }, { id: "no-such-sub-account" }],
    check: Effect.fnUntraced(function*(world, fields) {
      const answer = yield* world.call(yield* world.reader, Paths.deleteSubAccount, fields)
      yield* Refusals.fields(answer, Dialects.fieldValidation(world.dialect), "id")
    })
  }),
  section.always("delete.twice", {
    statement: "Refuses the second deletion of a sub-account",
    level: "SHOULD",
    live: Rule.documented("HTTP 400, code 0, and errors that name the id"),
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const id = yield* SubAccounts.create(world, parent)
      yield* world.call(parent, Paths.deleteSubAccount, { id })
      yield* refuses(yield* world.call(parent, Paths.deleteSubAccount, { id }), world)
    })
  }),
  section.always("delete.own", {
    statement: "Refuses to delete another account's sub-account",
    check: Effect.fnUntraced(function*(world) {
      const [parent, other] = [yield* world.open({ isFunded: false }), yield* world.open({ isFunded: false })]
      const id = yield* SubAccounts.create(world, parent)
      yield* world.call(other, Paths.deleteSubAccount, { id })
      const left = yield* listed(world, parent)
      yield* Verdict.conclude("the sub-account is still listed", left, left.includes(id))
    })
  }),
  section.always("delete.funds", {
    statement: "Refuses to delete a sub-account with funds",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const id = yield* SubAccounts.create(world, parent)
      yield* world.control("Fund", { account: id, wallet: "main", ticker: "BTC", amount: "0.1" })
      yield* refuses(yield* world.call(parent, Paths.deleteSubAccount, { id }), world)
    })
  }),
  section.always("delete.keys", {
    statement: "Refuses the keys of a deleted sub-account",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const id = yield* SubAccounts.create(world, parent)
      const account = yield* SubAccounts.addKey(world, id)
      const before = yield* world.call(account, Paths.mainBalance)
      yield* Verdict.expect(before, "HTTP 200", Refusals.isSuccess(before))
      yield* world.call(parent, Paths.deleteSubAccount, { id })
      yield* Refusals.any(
        yield* world.call(account, Paths.mainBalance),
        "because the key was deleted with its sub-account"
      )
    })
  }),
  SubAccounts.envelopeRule("delete", Paths.deleteSubAccount, "control")
]
