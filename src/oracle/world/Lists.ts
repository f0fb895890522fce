/** The paginated lists of the document. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import { plans } from "./Accounts.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import * as SubAccounts from "./SubAccounts.ts"
import type { Account, Body, World } from "./World.ts"

/** A paginated list. */
export interface List {
  /** The prefix of the rules' ids. */
  readonly id: string
  /** The document's heading about the list. */
  readonly clause: string
  /** The path of the call. */
  readonly path: string
  /** The default page limit. */
  readonly defaultLimit: number
  /** The key of the records in a page. */
  readonly records: "records" | "data"
  /** An account to read the list with. On a sandbox, the account's list has records. */
  readonly account: (world: World) => Effect.Effect<Account, Verdict.CheckError>
  /** Adds one record to an account's list. */
  readonly add: (world: World, account: Account) => Effect.Effect<unknown, Verdict.CheckError>
  /** Returns a filter that may select this record. */
  readonly filterOf: (record: Body) => Body
}

/** The list of interest payments. */
export const interest: List = {
  id: "interest",
  clause: "Endpoints §1",
  path: Paths.interest,
  defaultLimit: 100,
  records: "records",
  account: ({ lender }) => lender,
  add: (world, { id: account }) => {
    const [planId, ticker] = plans[0] ?? ["", ""]
    const investmentId = world.unique("investment")
    return world.control("PayInterest", { account, planId, investmentId, ticker, amount: "1" })
  },
  filterOf: ({ planId, ticker }) => ({ planId, ticker })
}

/** The list of sub-accounts. */
export const subAccounts: List = {
  id: "sub-accounts",
  clause: "Endpoints §9",
  path: Paths.subAccounts,
  defaultLimit: 30,
  records: "data",
  account: ({ parent }) => parent,
  add: SubAccounts.create,
  filterOf: ({ alias }) => ({ search: alias })
}

/** The list of sub-accounts' API keys. */
export const apiKeys: List = {
  id: "api-keys",
  clause: "Endpoints §10",
  path: Paths.apiKeys,
  defaultLimit: 30,
  records: "data",
  account: ({ parent }) => parent,
  add: (world, account) => Effect.flatMap(SubAccounts.create(world, account), (id) => SubAccounts.addKey(world, id)),
  filterOf: ({ subAccountId }) => ({ subAccountId })
}

/** Every paginated list of the document. */
export const all: ReadonlyArray<List> = [interest, subAccounts, apiKeys]

/** Reads the list with the list's account. Skips the rule if the account has no access to the list. */
export const read = Effect.fnUntraced(function*(
  world: World,
  list: List,
  fields: Body
): Effect.fn.Return<Target.Answer, Verdict.CheckError> {
  const account = yield* list.account(world)
  const answer = yield* world.call(account, list.path, fields)
  // A real account may lack access, and the document does not say how such a call is refused.
  const isDenied = world.profile !== "control" && Refusals.isRefused(answer) &&
    !(yield* world.hasAccess(account, list.path))
  return isDenied ? yield* Verdict.skip("the account has no access to this list") : answer
})

/** One page of a list. */
export interface Page {
  /** The response that contains the page. */
  readonly answer: Target.Answer
  /** The response's body, as parsed JSON. */
  readonly json: Body
  /** The records of the page. */
  readonly records: ReadonlyArray<unknown>
}

/** Reads the page in a response. */
export const pageOf = (list: List, answer: Target.Answer): Effect.Effect<Page, Verdict.Broken> => {
  const { json } = answer
  const records = Json.isObject(json) ? json[list.records] : undefined
  return answer.status === 200 && Json.isObject(json) && Array.isArray(records)
    ? Effect.succeed({ answer, json, records })
    : Effect.fail(
      new Verdict.Broken({ expected: `HTTP 200 with ${list.records}`, got: Verdict.describe(answer), answer })
    )
}

/** Reads a page, and expects that it repeats its limit and offset and has this number of records. */
export const pageWith = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  list: List,
  fields: Body & { readonly limit: number; readonly offset: number },
  count: number
) {
  const { answer, json, records } = yield* pageOf(list, yield* world.call(account, list.path, fields))
  yield* Verdict.expect(
    answer,
    `${count} records for ${Json.stringify(fields)}, with this limit and offset`,
    records.length === count && json["limit"] === fields.limit && json["offset"] === fields.offset
  )
  return records
})

/** Reads the first hundred records of the list. */
export const beginning = (world: World, list: List): Effect.Effect<Page, Verdict.CheckError> =>
  page(world, list, { limit: 100 })

/**
 * Reads the list's first hundred records. The records must all differ, so that a record's content identifies the
 * record. A sandbox has such records. On a real account with fewer than two records, or with equal records, the rule is
 * skipped.
 */
export const distinct = Effect.fnUntraced(function*(
  world: World,
  list: List
): Effect.fn.Return<Page, Verdict.CheckError> {
  const found = yield* beginning(world, list)
  const texts = new Set(found.records.map((record) => Json.stringify(record)))
  if (texts.size > 1 && texts.size === found.records.length) return found
  const { answer } = found
  return world.profile === "control"
    ? yield* new Verdict.Broken({
      expected: "at least two records, all different",
      got: Verdict.describe(answer),
      answer
    })
    : yield* Verdict.skip(Verdict.lacksRecords.tooFew)
})

/** Expects that a page shows the default limit and offset, which the document states for every list. */
export const hasDefaults = (world: World, { defaultLimit }: List, answer: Target.Answer) => {
  const { json } = answer
  const isDefault = Json.isObject(json) && json["limit"] === defaultLimit && json["offset"] === 0
  return Verdict.expect(answer, `limit ${defaultLimit}, offset 0`, world.dialect.name === "live" || isDefault)
}

/** Reads one page of the list. */
export const page = (world: World, list: List, fields: Body): Effect.Effect<Page, Verdict.CheckError> =>
  Effect.flatMap(read(world, list, fields), (answer) => pageOf(list, answer))
