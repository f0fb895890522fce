/**
 * Pages of lists (document, "Limits", and the lists' own sections): the same rules for each list, with bounds of its own.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Arbitraries from "../Arbitraries.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Spelling from "../world/Spelling.ts"
import type { Account, World } from "../world/World.ts"
import { createSubAccount, withKey } from "./SubAccounts.ts"

/** A list that comes in pages. */
export interface List {
  readonly id: string
  readonly clause: string
  readonly path: string
  readonly defaultLimit: number
  readonly records: "records" | "data"
  readonly account: (world: World) => Effect.Effect<Account, Rule.Stop>
  /** Gives an account one record more. */
  readonly add: (world: World, account: Account) => Effect.Effect<unknown, Rule.Stop>
}

/** @category models */
export const lists: ReadonlyArray<List> = [
  {
    id: "interest",
    clause: "Endpoints §1",
    path: Paths.interest,
    defaultLimit: 100,
    records: "records",
    account: ({ lender }) => lender,
    add: (world, { id: account }) =>
      world.control("PayInterest", {
        account,
        planId: "oracle-plan-a",
        investmentId: world.unique("investment"),
        ticker: "USDT",
        amount: "1"
      })
  },
  {
    id: "sub-accounts",
    clause: "Endpoints §9",
    path: Paths.subAccounts,
    defaultLimit: 30,
    records: "data",
    account: ({ parent }) => parent,
    add: createSubAccount
  },
  {
    id: "api-keys",
    clause: "Endpoints §10",
    path: Paths.apiKeys,
    defaultLimit: 30,
    records: "data",
    account: ({ parent }) => parent,
    add: (world, account) => Effect.flatMap(createSubAccount(world, account), (id) => withKey(world, id))
  }
]

const isForbidden = ({ status }: Target.Answer): boolean => status === 403

/** Lists, as the list's account; where that may not, the rule can't be judged. */
export const read = Effect.fnUntraced(function*(
  world: World,
  list: List,
  fields: Readonly<Record<string, unknown>>
): Effect.fn.Return<Target.Answer, Rule.Stop> {
  const answer = yield* world.call(yield* list.account(world), list.path, fields)
  return isForbidden(answer) ? yield* Rule.skip("the account has no access to this list") : answer
})

const pageOf = Effect.fnUntraced(function*(list: List, answer: Target.Answer) {
  const { json } = answer
  const found = Json.isObject(json) ? json[list.records] : undefined
  if (answer.status !== 200 || !Json.isObject(json) || !Array.isArray(found)) {
    return yield* new Rule.Broken({ expected: `HTTP 200 with ${list.records}`, got: Rule.describe(answer), answer })
  }
  const records: ReadonlyArray<unknown> = found
  return { answer, json, records }
})

const page = (world: World, list: List, fields: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(read(world, list, fields), (answer) => pageOf(list, answer))

const key = (record: unknown): string => JSON.stringify(record) ?? ""

const limitsRules = (list: List): ReadonlyArray<Rule.Rule> => {
  const { clause, defaultLimit, id } = list
  const refusedFor = (
    name: string,
    field: "limit" | "offset",
    statement: string,
    values: fc.Arbitrary<unknown>,
    examples: ReadonlyArray<unknown>
  ) =>
    Rule.forAll({
      id: `${id}.${name}`,
      statement,
      clause,
      profile: "read-only",
      values,
      examples,
      check: (world, value) =>
        Effect.gen(function*() {
          const answer = yield* read(world, list, { [field]: value })
          yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), field)
        })
    })
  return [
    Rule.forAll({
      id: `${id}.limit.echo`,
      statement: `A page tells the limit that was asked for, which is from 1 to 100`,
      clause,
      profile: "read-only",
      values: Arbitraries.goodLimits,
      examples: [1, 100],
      check: (world, limit) =>
        Effect.gen(function*() {
          const { answer, json } = yield* page(world, list, { limit })
          yield* Rule.expect(answer, `limit ${limit}`, json["limit"] === limit)
        })
    }),
    Rule.forAll({
      id: `${id}.limit.bound`,
      statement: `A page holds no more records than its limit, and as many as there are within it`,
      clause,
      profile: "read-only",
      values: fc.integer({ min: 1, max: 12 }),
      examples: [1, 2],
      check: (world, limit) =>
        Effect.gen(function*() {
          const whole = yield* page(world, list, { limit: 100 })
          const { answer, records } = yield* page(world, list, { limit })
          const count = Math.min(limit, whole.records.length)
          yield* Rule.conclude(`${count} records`, `${records.length} records`, records.length === count, answer)
        })
    }),
    Rule.always({
      id: `${id}.limit.default`,
      statement: `Without a limit it is ${defaultLimit}`,
      clause,
      profile: "read-only",
      live: id === "api-keys" ? Rule.other("30, by recorded documentation; newer documentation says 100") : Rule.same,
      check: (world) =>
        Effect.gen(function*() {
          const { answer, json, records } = yield* page(world, list, {})
          yield* Rule.expect(
            answer,
            `limit ${defaultLimit}`,
            json["limit"] === defaultLimit && records.length <= defaultLimit
          )
        })
    }),
    Rule.always({
      id: `${id}.limit.default.applies`,
      statement: `Without a limit a page holds ${defaultLimit} records, where there are more`,
      clause,
      check: (world) =>
        Effect.gen(function*() {
          const account = yield* world.open({ isPoor: true })
          for (let count = 0; count <= defaultLimit; count++) yield* list.add(world, account)
          const { answer, records } = yield* pageOf(list, yield* world.call(account, list.path))
          const isWhole = records.length === defaultLimit
          yield* Rule.conclude(`${defaultLimit} records`, `${records.length} records`, isWhole, answer)
        })
    }),
    refusedFor("limit.min", "limit", "A limit below 1 is refused", fc.integer({ max: 0 }), [0, -1]),
    refusedFor("limit.max", "limit", "A limit above 100 is refused", fc.integer({ min: 101 }), [101]),
    refusedFor("limit.integer", "limit", "A limit is an integer; anything else is refused", Arbitraries.noIntegers, [
      1.5,
      []
    ]),
    Rule.forAll({
      id: `${id}.offset.echo`,
      statement: `A page tells the offset that was asked for, which is from 0 to 10000`,
      clause,
      profile: "read-only",
      values: Arbitraries.goodOffsets,
      examples: [0, 10000],
      check: (world, offset) =>
        Effect.gen(function*() {
          const { answer, json } = yield* page(world, list, { offset })
          yield* Rule.expect(answer, `offset ${offset}`, json["offset"] === offset)
        })
    }),
    Rule.always({
      id: `${id}.offset.default`,
      statement: `Without an offset it is 0: the first page`,
      clause,
      profile: "read-only",
      check: (world) =>
        Effect.gen(function*() {
          const first = yield* page(world, list, { limit: 5, offset: 0 })
          const { answer, json, records } = yield* page(world, list, { limit: 5 })
          yield* Rule.expect(answer, "offset 0", json["offset"] === 0)
          yield* Rule.conclude("the first page", records, key(records) === key(first.records), answer)
        })
    }),
    refusedFor("offset.min", "offset", "An offset below 0 is refused", fc.integer({ max: -1 }), [-1]),
    refusedFor("offset.max", "offset", "An offset above 10000 is refused", fc.integer({ min: 10001 }), [10001]),
    refusedFor(
      "offset.integer",
      "offset",
      "An offset is an integer; anything else is refused",
      Arbitraries.noIntegers,
      [
        1.5,
        []
      ]
    ),
    Rule.forAll({
      id: `${id}.offset.skips`,
      statement: `A page begins with the record of its offset: so many records of the whole are left out before it`,
      clause,
      profile: "read-only",
      values: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 4 })),
      examples: [[1, 1]],
      check: (world, [offset, limit]) =>
        Effect.gen(function*() {
          const whole = yield* page(world, list, { limit: 100 })
          if (whole.records.length < 2) return yield* Rule.skip("the account has not enough to list")
          const { answer, records } = yield* page(world, list, { limit, offset })
          const expected = whole.records.slice(offset, offset + limit)
          yield* Rule.conclude(
            `${offset} left out: ${key(expected)}`,
            key(records),
            key(records) === key(expected),
            answer
          )
        })
    }),
    Rule.forAll({
      id: `${id}.pages.complete`,
      statement: `Pages one after the other hold every record once, in the order of the whole`,
      clause,
      level: "SHOULD",
      profile: "read-only",
      values: fc.integer({ min: 1, max: 5 }),
      examples: [1, 2],
      check: (world, limit) =>
        Effect.gen(function*() {
          const whole = yield* page(world, list, { limit: 100 })
          // A list of somebody's own may be long: as far as one page goes is far enough.
          const count = Math.min(whole.records.length, 20)
          const seen: Array<unknown> = []
          for (let offset = 0; offset < count; offset += limit) {
            seen.push(...(yield* page(world, list, { limit, offset })).records)
          }
          const expected = whole.records.slice(0, seen.length)
          yield* Rule.conclude(
            `the ${count} records of the whole in pages of ${limit}`,
            key(seen),
            seen.length >= count && key(seen) === key(expected)
          )
        })
    }),
    Rule.always({
      id: `${id}.pages.stable`,
      statement: `The same page asked for again is the same`,
      clause,
      level: "SHOULD",
      profile: "read-only",
      check: (world) =>
        Effect.gen(function*() {
          const one = yield* page(world, list, { limit: 10 })
          const two = yield* page(world, list, { limit: 10 })
          yield* Rule.conclude(key(one.records), key(two.records), key(one.records) === key(two.records), two.answer)
        })
    }),
    Rule.always({
      id: `${id}.pages.beyond`,
      statement: `A page beyond the last record is empty, not refused`,
      clause,
      level: "SHOULD",
      profile: "read-only",
      check: (world) =>
        Effect.gen(function*() {
          const whole = yield* page(world, list, { limit: 100 })
          const count = whole.records.length
          for (const offset of count < 100 ? [count, 10000] : [10000]) {
            const { answer, records } = yield* page(world, list, { limit: 5, offset })
            if (count === 100 && records.length > 0) return yield* Rule.skip("the account has more than 10000 records")
            yield* Rule.conclude(
              `no record from ${offset} on`,
              `${records.length} records`,
              records.length === 0,
              answer
            )
          }
        })
    }),
    Rule.forEach({
      id: `${id}.integer.text`,
      statement: "An integer in a string is no integer: it is refused as a limit and as an offset",
      clause,
      profile: "read-only",
      live: Rule.notApplicable("whether the live exchange minds is not known"),
      values: ["limit", "offset"],
      check: (world, field) =>
        Effect.gen(function*() {
          const answer = yield* read(world, list, { [field]: "1" })
          yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), field)
        })
    }),
    Rule.forAll({
      id: `${id}.several`,
      statement: `A request with several wrong fields is refused with errors that name all of them`,
      clause,
      level: "SHOULD",
      profile: "read-only",
      values: fc.tuple(Arbitraries.badLimits, Arbitraries.badOffsets),
      check: (world, [limit, offset]) =>
        Effect.gen(function*() {
          const answer = yield* read(world, list, { limit, offset })
          yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), "limit", "offset")
        })
    }),
    ...(["limit", "offset"] as const).map((field) =>
      Rule.always({
        id: `${id}.response.${field}`,
        statement: `${field} of a page: as asked for; an integer`,
        clause,
        profile: "read-only",
        check: (world) =>
          Effect.gen(function*() {
            const { answer, json } = yield* page(world, list, {})
            yield* Rule.expect(answer, `${field} is an integer`, Number.isSafeInteger(json[field]))
          })
      })
    ),
    Rule.always({
      id: `${id}.response.${list.records}`,
      statement: `${list.records} of a page: an array, empty when there is nothing`,
      clause,
      profile: "read-only",
      check: (world) => page(world, list, {})
    })
  ]
}

export const rules: ReadonlyArray<Rule.Rule> = lists.flatMap(limitsRules)
