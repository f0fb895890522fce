/**
 * Rules about the pages of lists (document, "Limits", and the lists' own sections). All lists share these rules; only
 * the default limit differs.
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Boundaries from "../world/Boundaries.ts"
import { textOf, textOfSet } from "../world/Comparison.ts"
import * as Connection from "../world/Connection.ts"
import * as Dialects from "../world/Dialects.ts"
import { all, beginning, distinct, type List, page, pageOf, read } from "../world/Lists.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import type { Account, World } from "../world/World.ts"

/**
 * Whether two pages contain the same records. The document does not say how records are sorted, so their sequence does
 * not matter.
 */
const isSameSet = (one: ReadonlyArray<unknown>, two: ReadonlyArray<unknown>): boolean =>
  textOfSet(one) === textOfSet(two)

/** Returns the constructors for a list's rules. */
const rulesOf = ({ clause }: List) => Section.of({ clause, profile: "read-only" })

/** Creates a rule that the target refuses these values as a limit or an offset. */
const refuses = (
  list: List,
  field: "limit" | "offset",
  detail: string,
  statement: string,
  values: fc.Arbitrary<unknown>,
  examples: ReadonlyArray<unknown>
): Rule.Rule =>
  rulesOf(list).forAll(`${list.id}.${field}.${detail}`, {
    statement,
    values,
    examples,
    check: Effect.fnUntraced(function*(world, value) {
      const answer = yield* read(world, list, { [field]: value })
      yield* Refusals.call(answer, world.dialect, field)
    })
  })

/** Creates a rule that a page repeats the requested limit or offset. */
const echoes = (
  list: List,
  field: "limit" | "offset",
  statement: string,
  values: fc.Arbitrary<number>,
  examples: ReadonlyArray<number>
): Rule.Rule =>
  rulesOf(list).forAll(`${list.id}.${field}.echo`, {
    statement,
    values,
    examples,
    check: Effect.fnUntraced(function*(world, value) {
      const { answer, json } = yield* page(world, list, { [field]: value })
      yield* Verdict.expect(answer, `${field} ${value}`, json[field] === value)
    })
  })

const limitBound = (list: List): Rule.Rule =>
  rulesOf(list).forAll(`${list.id}.limit.bound`, {
    statement: "Fills a page with records up to its limit",
    values: fc.integer({ min: 1, max: 12 }),
    examples: [1, 2],
    check: Effect.fnUntraced(function*(world, limit) {
      const whole = yield* distinct(world, list)
      const { answer, records } = yield* page(world, list, { limit })
      const count = Math.min(limit, whole.records.length)
      yield* Verdict.conclude(`${count} records`, `${records.length} records`, records.length === count, answer)
    })
  })

/** Expects that a filter selects the same records with the default limit as with a higher one, up to that limit. */
const fillsDefault = Effect.fnUntraced(function*(world: World, account: Account, list: List, record: unknown) {
  const filter = Json.isObject(record) ? list.filterOf(record) : {}
  const all = yield* pageOf(list, yield* world.call(account, list.path, { ...filter, limit: 100 }))
  const { answer, records } = yield* pageOf(list, yield* world.call(account, list.path, filter))
  const count = Math.min(list.defaultLimit, all.records.length)
  yield* Verdict.expect(
    answer,
    `the first ${count} records for ${Json.stringify(filter)}`,
    records.length === count && (count < all.records.length || isSameSet(records, all.records))
  )
})

const defaultLimitRules = (list: List): ReadonlyArray<Rule.Rule> => {
  const { defaultLimit, id } = list
  return [
    rulesOf(list).always(`${id}.limit.default`, {
      statement: `Uses a default limit of ${defaultLimit}`,
      live: id === "api-keys"
        ? Rule.other("30 according to recorded documentation, 100 according to newer documentation")
        : Rule.same,
      check: Effect.fnUntraced(function*(world) {
        const { answer, json, records } = yield* page(world, list, {})
        yield* Verdict.expect(
          answer,
          `limit ${defaultLimit}`,
          json["limit"] === defaultLimit && records.length <= defaultLimit
        )
      })
    }),
    rulesOf(list).always(`${id}.limit.default.applies`, {
      statement: `Limits a page to ${defaultLimit} records by default, and shows the rest to a call that asks for it`,
      profile: "control",
      check: Effect.fnUntraced(function*(world) {
        const account = yield* world.open({ isFunded: false })
        // If a retry adds another record, with another id, the extra record does no harm.
        const add = Effect.suspend(() => list.add(world, account))
        for (let count = 0; count <= defaultLimit; count++) yield* Connection.retry(add)
        const { answer, records } = yield* pageOf(list, yield* world.call(account, list.path))
        const isWhole = records.length === defaultLimit
        yield* Verdict.conclude(`${defaultLimit} records`, `${records.length} records`, isWhole, answer)
        const rest = yield* pageOf(list, yield* world.call(account, list.path, { limit: 100, offset: defaultLimit }))
        const whole = [...records, ...rest.records]
        const isRest = rest.records.length > 0 && new Set(whole.map(textOf)).size === whole.length
        yield* Verdict.expect(rest.answer, `other records from offset ${defaultLimit} on`, isRest)
        // Asks for more records than by default, if a page can show more.
        for (const limit of [defaultLimit === 100 ? 99 : defaultLimit + 1, 100]) {
          const { answer, records } = yield* pageOf(list, yield* world.call(account, list.path, { limit }))
          const count = Math.min(limit, whole.length)
          yield* Verdict.conclude(`${count} records`, `${records.length} records`, records.length === count, answer)
        }
        // A page that is cut before the filter lacks the first or the last record of the complete list.
        for (const record of [whole[0], whole.at(-1)]) yield* fillsDefault(world, account, list, record)
      })
    })
  ]
}

const limitRules = (list: List): ReadonlyArray<Rule.Rule> => [
  echoes(
    list,
    "limit",
    "Accepts a limit from 1 to 100, and repeats it in the page",
    Boundaries.goodLimits,
    [1, 100]
  ),
  limitBound(list),
  ...defaultLimitRules(list),
  refuses(list, "limit", "min", "Refuses a limit below 1", fc.integer({ max: 0 }), [0, -1]),
  refuses(list, "limit", "max", "Refuses a limit above 100", fc.integer({ min: 101 }), [101]),
  refuses(list, "limit", "integer", "Refuses a limit that is not an integer", Boundaries.noIntegers, [
    1.5,
    []
  ])
]

const offsetDefault = (list: List): Rule.Rule =>
  rulesOf(list).always(`${list.id}.offset.default`, {
    statement: "Uses a default offset of 0, which selects the first page",
    check: Effect.fnUntraced(function*(world) {
      yield* distinct(world, list)
      const first = yield* page(world, list, { limit: 100, offset: 0 })
      const { answer, json, records } = yield* page(world, list, { limit: 100 })
      yield* Verdict.expect(answer, "offset 0", json["offset"] === 0)
      yield* Verdict.conclude("the first page", records, isSameSet(records, first.records), answer)
    })
  })

const offsetSkips = (list: List): Rule.Rule =>
  rulesOf(list).forAll(`${list.id}.offset.skips`, {
    statement: "Skips the first `offset` records of the list, and shows no record past the last one",
    values: fc.integer({ min: 1, max: 12 }),
    // A sandbox's lists have from four to nine records.
    examples: [1, 2, 4, 5, 9, 10, 10000],
    check: Effect.fnUntraced(function*(world, offset) {
      const whole = yield* distinct(world, list)
      if (whole.records.length === 100) return yield* Verdict.skip("the account has more records than fit in a page")
      const found = yield* read(world, list, { limit: 100, offset })
      // A server may refuse an offset past the last record.
      if (offset >= whole.records.length && Refusals.isRefused(found)) return
      const { answer, records } = yield* pageOf(list, found)
      const count = Math.max(0, whole.records.length - offset)
      yield* Verdict.conclude(`${count} records`, `${records.length} records`, records.length === count, answer)
    })
  })

const offsetRules = (list: List): ReadonlyArray<Rule.Rule> => [
  echoes(
    list,
    "offset",
    "Accepts an offset from 0 to 10000, and repeats it in the page",
    Boundaries.goodOffsets,
    [0, 10000]
  ),
  offsetDefault(list),
  refuses(list, "offset", "min", "Refuses an offset below 0", fc.integer({ max: -1 }), [-1]),
  refuses(list, "offset", "max", "Refuses an offset above 10000", fc.integer({ min: 10001 }), [10001]),
  refuses(list, "offset", "integer", "Refuses an offset that is not an integer", Boundaries.noIntegers, [
    1.5,
    []
  ]),
  offsetSkips(list)
]

/** The maximum number of records that a rule reads page by page. */
const maxRecords = 20

const pagesComplete = (list: List): Rule.Rule =>
  rulesOf(list).forAll(`${list.id}.pages.complete`, {
    statement: "Lists every record once on consecutive pages, in the list's order",
    level: "SHOULD",
    values: fc.integer({ min: 1, max: 5 }),
    examples: [1, 2],
    check: Effect.fnUntraced(function*(world, limit) {
      const whole = yield* distinct(world, list)
      const count = Math.min(whole.records.length, maxRecords)
      const seen: Array<unknown> = []
      for (let offset = 0; offset < count; offset += limit) {
        seen.push(...(yield* page(world, list, { limit, offset })).records)
      }
      const expected = whole.records.slice(0, seen.length)
      yield* Verdict.conclude(
        `all ${count} records of the list, in pages of ${limit}`,
        textOf(seen),
        seen.length >= count && textOf(seen) === textOf(expected)
      )
    })
  })

const pagesDisjoint = (list: List): Rule.Rule =>
  rulesOf(list).forEach(`${list.id}.pages.disjoint`, {
    statement: "Lists every record on exactly one page",
    values: [1, 2, 3],
    check: Effect.fnUntraced(function*(world, limit) {
      const whole = yield* distinct(world, list)
      if (whole.records.length > maxRecords) return yield* Verdict.skip("the account has too many records")
      const seen: Array<unknown> = []
      for (let offset = 0; offset < whole.records.length; offset += limit) {
        seen.push(...(yield* page(world, list, { limit, offset })).records)
      }
      yield* Verdict.conclude(
        `all ${whole.records.length} records of the list, in pages of ${limit}`,
        textOf(seen),
        isSameSet(seen, whole.records)
      )
    })
  })

const pagesStable = (list: List): Rule.Rule =>
  rulesOf(list).always(`${list.id}.pages.stable`, {
    statement: "Returns the same page when it is requested twice in a row",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      yield* distinct(world, list)
      const one = yield* page(world, list, { limit: 10 })
      const two = yield* page(world, list, { limit: 10 })
      const [first, second] = [textOf(one.records), textOf(two.records)]
      yield* Verdict.conclude(first, second, first === second, two.answer)
    })
  })

const pagesBeyond = (list: List): Rule.Rule =>
  rulesOf(list).always(`${list.id}.pages.beyond`, {
    statement: "Returns an empty page past the last record, not a refusal",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const whole = yield* beginning(world, list)
      const count = whole.records.length
      for (const offset of count < 100 ? [count, 10000] : [10000]) {
        const { answer, records } = yield* page(world, list, { limit: 5, offset })
        if (count === 100 && records.length > 0) return yield* Verdict.skip("the account has more than 10000 records")
        yield* Verdict.conclude(
          `no records from offset ${offset} on`,
          `${records.length} records`,
          records.length === 0,
          answer
        )
      }
    })
  })

const fieldRules = (list: List): ReadonlyArray<Rule.Rule> => [
  rulesOf(list).forEach(`${list.id}.integer.text`, {
    statement: "Refuses a limit or an offset that is an integer in a string",
    level: "SHOULD",
    live: Rule.notApplicable("it is not known whether the live exchange refuses it"),
    values: ["limit", "offset"],
    check: Effect.fnUntraced(function*(world, field) {
      const answer = yield* read(world, list, { [field]: "1" })
      yield* Refusals.fields(answer, Dialects.fieldValidation(world.dialect), field)
    })
  }),
  rulesOf(list).forEach(`${list.id}.refusal`, {
    statement: "Refuses an invalid limit or offset: HTTP 400, code 0, Validation failed, and errors naming the field",
    level: "SHOULD",
    values: [["limit", 0], ["limit", 101], ["limit", "ten"], ["offset", -1], ["offset", 10001], [
      "offset",
      1.5
    ]] as const,
    check: Effect.fnUntraced(function*(world, [field, value]) {
      const answer = yield* read(world, list, { [field]: value })
      yield* Refusals.fields(answer, Dialects.fieldValidation(world.dialect), field)
    })
  }),
  rulesOf(list).forAll(`${list.id}.several`, {
    statement: "Names all invalid fields when it refuses a request",
    level: "SHOULD",
    values: fc.tuple(Boundaries.badLimits, Boundaries.badOffsets),
    check: Effect.fnUntraced(function*(world, [limit, offset]) {
      const answer = yield* read(world, list, { limit, offset })
      yield* Refusals.fields(answer, Dialects.fieldValidation(world.dialect), "limit", "offset")
    })
  })
]

const responseRules = (list: List): ReadonlyArray<Rule.Rule> => [
  ...(["limit", "offset"] as const).map((field) =>
    rulesOf(list).always(`${list.id}.response.${field}`, {
      statement: `Shows ${field} in a page as an integer: the requested or the default value`,
      check: Effect.fnUntraced(function*(world) {
        const { answer, json } = yield* page(world, list, {})
        yield* Verdict.expect(answer, `${field} is an integer`, Number.isSafeInteger(json[field]))
      })
    })
  ),
  rulesOf(list).always(`${list.id}.response.${list.records}`, {
    statement: `Shows ${list.records} in a page as an array, possibly empty`,
    check: (world) => page(world, list, {})
  })
]

const allOf = (list: List): ReadonlyArray<Rule.Rule> => [
  ...limitRules(list),
  ...offsetRules(list),
  pagesComplete(list),
  pagesDisjoint(list),
  pagesStable(list),
  pagesBeyond(list),
  ...fieldRules(list),
  ...responseRules(list)
]

export const rules: ReadonlyArray<Rule.Rule> = all.flatMap(allOf)
