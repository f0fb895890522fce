/**
 * Pages of lists (document, "Limits", and the lists' own sections). The rules are the same for each list; only the
 * bounds differ.
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Arbitraries from "../Arbitraries.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import { all, beginning, distinct, type List, page, pageOf, read } from "../world/Lists.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Spelling from "../world/Spelling.ts"

/** Records as text, to compare and to show. */
const textOf = (records: unknown): string => JSON.stringify(records) ?? ""

/** Whether two pages hold the same records, in whatever order: the document does not state the order. */
const isSameSet = (one: ReadonlyArray<unknown>, two: ReadonlyArray<unknown>): boolean =>
  one.map(textOf).toSorted().join() === two.map(textOf).toSorted().join()

/** A rule that a limit or an offset of these values is refused. */
const refuses = (
  list: List,
  field: "limit" | "offset",
  detail: string,
  statement: string,
  values: fc.Arbitrary<unknown>,
  examples: ReadonlyArray<unknown>
): Rule.Rule =>
  Rule.forAll({
    id: `${list.id}.${field}.${detail}`,
    statement,
    clause: list.clause,
    profile: "read-only",
    values,
    examples,
    check: (world, value) =>
      Effect.gen(function*() {
        const answer = yield* read(world, list, { [field]: value })
        yield* Refusals.call(answer, world.dialect, field)
      })
  })

/** A rule that a page repeats the limit or the offset that was asked for. */
const echoes = (
  list: List,
  field: "limit" | "offset",
  statement: string,
  values: fc.Arbitrary<number>,
  examples: ReadonlyArray<number>
): Rule.Rule =>
  Rule.forAll({
    id: `${list.id}.${field}.echo`,
    statement,
    clause: list.clause,
    profile: "read-only",
    values,
    examples,
    check: (world, value) =>
      Effect.gen(function*() {
        const { answer, json } = yield* page(world, list, { [field]: value })
        yield* Verdict.expect(answer, `${field} ${value}`, json[field] === value)
      })
  })

// -----------------------------------------------------------------------------
// The limit
// -----------------------------------------------------------------------------

const limitBound = (list: List): Rule.Rule =>
  Rule.forAll({
    id: `${list.id}.limit.bound`,
    statement: "A page holds as many records as there are, but no more than its limit",
    clause: list.clause,
    profile: "read-only",
    values: fc.integer({ min: 1, max: 12 }),
    examples: [1, 2],
    check: (world, limit) =>
      Effect.gen(function*() {
        const whole = yield* distinct(world, list)
        const { answer, records } = yield* page(world, list, { limit })
        const count = Math.min(limit, whole.records.length)
        yield* Verdict.conclude(`${count} records`, `${records.length} records`, records.length === count, answer)
      })
  })

const defaultLimitRules = (list: List): ReadonlyArray<Rule.Rule> => {
  const { clause, defaultLimit, id } = list
  return [
    Rule.always({
      id: `${id}.limit.default`,
      statement: `The default limit is ${defaultLimit}`,
      clause,
      profile: "read-only",
      live: id === "api-keys" ? Rule.other("30, by recorded documentation; newer documentation says 100") : Rule.same,
      check: (world) =>
        Effect.gen(function*() {
          const { answer, json, records } = yield* page(world, list, {})
          yield* Verdict.expect(
            answer,
            `limit ${defaultLimit}`,
            json["limit"] === defaultLimit && records.length <= defaultLimit
          )
        })
    }),
    Rule.always({
      id: `${id}.limit.default.applies`,
      statement: `Without a limit, a page of a longer list holds ${defaultLimit} records`,
      clause,
      check: (world) =>
        Effect.gen(function*() {
          const account = yield* world.open({ isFunded: false })
          for (let count = 0; count <= defaultLimit; count++) yield* list.add(world, account)
          const { answer, records } = yield* pageOf(list, yield* world.call(account, list.path))
          const isWhole = records.length === defaultLimit
          yield* Verdict.conclude(`${defaultLimit} records`, `${records.length} records`, isWhole, answer)
        })
    })
  ]
}

const limitRules = (list: List): ReadonlyArray<Rule.Rule> => [
  echoes(
    list,
    "limit",
    "A page repeats the limit that was asked for, which is from 1 to 100",
    Arbitraries.goodLimits,
    [1, 100]
  ),
  limitBound(list),
  ...defaultLimitRules(list),
  refuses(list, "limit", "min", "A limit below 1 is refused", fc.integer({ max: 0 }), [0, -1]),
  refuses(list, "limit", "max", "A limit above 100 is refused", fc.integer({ min: 101 }), [101]),
  refuses(list, "limit", "integer", "A limit is an integer; any other value is refused", Arbitraries.noIntegers, [
    1.5,
    []
  ])
]

// -----------------------------------------------------------------------------
// The offset
// -----------------------------------------------------------------------------

const offsetDefault = (list: List): Rule.Rule =>
  Rule.always({
    id: `${list.id}.offset.default`,
    statement: "The default offset is 0: the first page",
    clause: list.clause,
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        yield* distinct(world, list)
        const first = yield* page(world, list, { limit: 100, offset: 0 })
        const { answer, json, records } = yield* page(world, list, { limit: 100 })
        yield* Verdict.expect(answer, "offset 0", json["offset"] === 0)
        yield* Verdict.conclude("the first page", records, isSameSet(records, first.records), answer)
      })
  })

const offsetSkips = (list: List): Rule.Rule =>
  Rule.forAll({
    id: `${list.id}.offset.skips`,
    statement: "A page leaves out as many records at the beginning of the list as its offset says",
    clause: list.clause,
    profile: "read-only",
    values: fc.integer({ min: 1, max: 12 }),
    examples: [1, 2],
    check: (world, offset) =>
      Effect.gen(function*() {
        const whole = yield* distinct(world, list)
        if (whole.records.length === 100) return yield* Verdict.skip("the account has more records than fit in a page")
        const { answer, records } = yield* page(world, list, { limit: 100, offset })
        const count = Math.max(0, whole.records.length - offset)
        yield* Verdict.conclude(`${count} records`, `${records.length} records`, records.length === count, answer)
      })
  })

const offsetRules = (list: List): ReadonlyArray<Rule.Rule> => [
  echoes(
    list,
    "offset",
    "A page repeats the offset that was asked for, which is from 0 to 10000",
    Arbitraries.goodOffsets,
    [0, 10000]
  ),
  offsetDefault(list),
  refuses(list, "offset", "min", "An offset below 0 is refused", fc.integer({ max: -1 }), [-1]),
  refuses(list, "offset", "max", "An offset above 10000 is refused", fc.integer({ min: 10001 }), [10001]),
  refuses(list, "offset", "integer", "An offset is an integer; any other value is refused", Arbitraries.noIntegers, [
    1.5,
    []
  ]),
  offsetSkips(list)
]

// -----------------------------------------------------------------------------
// Pages
// -----------------------------------------------------------------------------

/** How many records of a long list are read page by page. */
const maxRecords = 20

const pagesComplete = (list: List): Rule.Rule =>
  Rule.forAll({
    id: `${list.id}.pages.complete`,
    statement: "Consecutive pages hold every record once, in the order of the list",
    clause: list.clause,
    level: "SHOULD",
    profile: "read-only",
    values: fc.integer({ min: 1, max: 5 }),
    examples: [1, 2],
    check: (world, limit) =>
      Effect.gen(function*() {
        const whole = yield* distinct(world, list)
        const count = Math.min(whole.records.length, maxRecords)
        const seen: Array<unknown> = []
        for (let offset = 0; offset < count; offset += limit) {
          seen.push(...(yield* page(world, list, { limit, offset })).records)
        }
        const expected = whole.records.slice(0, seen.length)
        yield* Verdict.conclude(
          `the list's ${count} records in pages of ${limit}`,
          textOf(seen),
          seen.length >= count && textOf(seen) === textOf(expected)
        )
      })
  })

const pagesStable = (list: List): Rule.Rule =>
  Rule.always({
    id: `${list.id}.pages.stable`,
    statement: "The same page, asked for twice, is the same",
    clause: list.clause,
    level: "SHOULD",
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        yield* distinct(world, list)
        const one = yield* page(world, list, { limit: 10 })
        const two = yield* page(world, list, { limit: 10 })
        const [first, second] = [textOf(one.records), textOf(two.records)]
        yield* Verdict.conclude(first, second, first === second, two.answer)
      })
  })

const pagesBeyond = (list: List): Rule.Rule =>
  Rule.always({
    id: `${list.id}.pages.beyond`,
    statement: "A page beyond the last record is empty, not refused",
    clause: list.clause,
    level: "SHOULD",
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        const whole = yield* beginning(world, list)
        const count = whole.records.length
        for (const offset of count < 100 ? [count, 10000] : [10000]) {
          const { answer, records } = yield* page(world, list, { limit: 5, offset })
          if (count === 100 && records.length > 0) return yield* Verdict.skip("the account has more than 10000 records")
          yield* Verdict.conclude(
            `no record from ${offset} on`,
            `${records.length} records`,
            records.length === 0,
            answer
          )
        }
      })
  })

// -----------------------------------------------------------------------------
// Limit and offset together
// -----------------------------------------------------------------------------

const fieldRules = (list: List): ReadonlyArray<Rule.Rule> => [
  Rule.forEach({
    id: `${list.id}.integer.text`,
    statement: "An integer in a string is not an integer: it is refused as a limit and as an offset",
    clause: list.clause,
    level: "SHOULD",
    profile: "read-only",
    live: Rule.notApplicable("it is not known whether the live exchange refuses it"),
    values: ["limit", "offset"],
    check: (world, field) =>
      Effect.gen(function*() {
        const answer = yield* read(world, list, { [field]: "1" })
        yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), field)
      })
  }),
  Rule.forEach({
    id: `${list.id}.refusal`,
    statement: "A wrong limit or offset is refused with HTTP 400, code 0, Validation failed, and errors that name it",
    clause: list.clause,
    level: "SHOULD",
    profile: "read-only",
    values: [["limit", 0], ["limit", 101], ["limit", "ten"], ["offset", -1], ["offset", 10001], [
      "offset",
      1.5
    ]] as const,
    check: (world, [field, value]) =>
      Effect.gen(function*() {
        const answer = yield* read(world, list, { [field]: value })
        yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), field)
      })
  }),
  Rule.forAll({
    id: `${list.id}.several`,
    statement: "The refusal of a request with several wrong fields names all of them",
    clause: list.clause,
    level: "SHOULD",
    profile: "read-only",
    values: fc.tuple(Arbitraries.badLimits, Arbitraries.badOffsets),
    check: (world, [limit, offset]) =>
      Effect.gen(function*() {
        const answer = yield* read(world, list, { limit, offset })
        yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), "limit", "offset")
      })
  })
]

const responseRules = (list: List): ReadonlyArray<Rule.Rule> => [
  ...(["limit", "offset"] as const).map((field) =>
    Rule.always({
      id: `${list.id}.response.${field}`,
      statement: `${field} of a page: the one asked for, or the default; an integer`,
      clause: list.clause,
      profile: "read-only",
      check: (world) =>
        Effect.gen(function*() {
          const { answer, json } = yield* page(world, list, {})
          yield* Verdict.expect(answer, `${field} is an integer`, Number.isSafeInteger(json[field]))
        })
    })
  ),
  Rule.always({
    id: `${list.id}.response.${list.records}`,
    statement: `${list.records} of a page: an array, empty when there is nothing to list`,
    clause: list.clause,
    profile: "read-only",
    check: (world) => page(world, list, {})
  })
]

const rulesOf = (list: List): ReadonlyArray<Rule.Rule> => [
  ...limitRules(list),
  ...offsetRules(list),
  pagesComplete(list),
  pagesStable(list),
  pagesBeyond(list),
  ...fieldRules(list),
  ...responseRules(list)
]

export const rules: ReadonlyArray<Rule.Rule> = all.flatMap(rulesOf)
