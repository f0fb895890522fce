/** Rules about filtered lists: they agree with the complete list, and their pages are cut after the filter. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import { plans } from "../world/Accounts.ts"
import * as Comparison from "../world/Comparison.ts"
import * as Lists from "../world/Lists.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import type { Account, Body, World } from "../world/World.ts"

/** The fields of a filter, and the records that it selects, unless the document leaves this open. */
interface Filter {
  readonly fields: Body
  readonly selects?: (record: Body) => boolean
}

/** A change of some records, and the records that the list must show after it, given those that it shows. */
interface Change {
  readonly make: Effect.Effect<unknown, Verdict.CheckError>
  readonly after: (before: ReadonlyArray<Body>, shown: ReadonlyArray<Body>) => ReadonlyArray<Body>
}

/** The filters of a list whose account has records, and a change of its records. */
interface Filled {
  readonly filters: ReadonlyArray<Filter>
  readonly change?: Change
}

/** Expects that the filtered list has these records: as a whole, by default, and in pages of one record. */
const hasRecords = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  list: Lists.List,
  filter: Body,
  expected: ReadonlyArray<Body>
) {
  const count = expected.length
  const text = Comparison.textOfSet(expected)
  for (const page of [{ limit: 100, offset: 0 }, {}]) {
    const asked = { ...filter, ...page }
    const { answer, records } = yield* Lists.pageOf(list, yield* world.call(account, list.path, asked))
    yield* Verdict.expect(
      answer,
      `for ${Json.stringify(asked)}, as in the complete list: ${text}`,
      Comparison.textOfSet(records) === text
    )
    if (!("limit" in page)) yield* Lists.hasDefaults(world, list, answer)
  }
  const seen: Array<unknown> = []
  for (let offset = 0; offset < count; offset++) {
    seen.push(...(yield* Lists.pageWith(world, account, list, { ...filter, limit: 1, offset }, 1)))
  }
  yield* Verdict.conclude(`on pages of one record: ${text}`, seen, Comparison.textOfSet(seen) === text)
  if (count > 1) yield* Lists.pageWith(world, account, list, { ...filter, limit: 100, offset: 1 }, count - 1)
  const beyond = yield* world.call(account, list.path, { ...filter, limit: 100, offset: count })
  // A server may refuse an offset past the last record.
  if (Refusals.isRefused(beyond)) return
  const { records } = yield* Lists.pageOf(list, beyond)
  yield* Verdict.expect(beyond, `no record after the last of ${count}`, records.length === 0)
})

/** Expects that each filter selects its records of the complete list. Returns the complete list. */
const agrees = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  list: Lists.List,
  filters: ReadonlyArray<Filter>
) {
  const { records } = yield* Lists.pageOf(list, yield* world.call(account, list.path, { limit: 100 }))
  const whole = records.filter(Json.isObject)
  for (const { fields, selects } of filters) {
    const found = yield* Lists.pageOf(list, yield* world.call(account, list.path, { ...fields, limit: 100 }))
    const ids = SubAccounts.idsOf(found.records)
    const expected = whole.filter(selects ?? (({ id }) => ids.includes(String(id))))
    if (expected.length > 0) yield* hasRecords(world, account, list, fields, expected)
    else yield* Verdict.expect(found.answer, "no records", found.records.length === 0)
  }
  return whole
})

/** Limits and offsets that the document excludes. */
const excluded = [["limit", 0], ["limit", 101], ["offset", -1], ["offset", 10_001]] as const

const rule = (
  list: Lists.List,
  fill: (world: World, account: Account) => Effect.Effect<Filled, Verdict.CheckError>
): Rule.Rule =>
  Section.of({ clause: list.clause }).always(`${list.id}.filtered`, {
    statement: "Shows in a filtered list the same records as in the complete list, also after a change, in pages that "
      + "are cut after the filter, and refuses the same limits and offsets",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const { change, filters } = yield* fill(world, account)
      const before = yield* agrees(world, account, list, filters)
      // One filter for each set of parameters.
      for (const { fields } of new Map(filters.map((filter) => [Object.keys(filter.fields).join(), filter])).values()) {
        for (const [field, value] of excluded) {
          const answer = yield* world.call(account, list.path, { ...fields, [field]: value })
          yield* Refusals.call(answer, world.dialect, field)
        }
      }
      if (change === undefined) return
      yield* change.make
      const shown = yield* agrees(world, account, list, filters)
      const expected = Comparison.textOfSet(change.after(before, shown))
      yield* Verdict.conclude(`after the change: ${expected}`, shown, Comparison.textOfSet(shown) === expected)
    })
  })

/** The plan and ticker of each payment: no plan and no ticker has all of its payments in a row. */
const payments = [plans[1], plans[0], ["oracle-plan-c", "USDT"], plans[0], plans[1], plans[0]] as const

const ofPayments = Effect.fnUntraced(function*(world: World, account: Account) {
  for (const [index, [planId, ticker] = ["", ""]] of payments.entries()) {
    const payment = { planId, ticker, investmentId: `investment-${index}`, amount: `0.${index + 1}` }
    yield* world.control("PayInterest", { account: account.id, ...payment })
  }
  const [planId, ticker] = plans[0] ?? ["", ""]
  const filters: ReadonlyArray<Filter> = [
    { fields: { planId }, selects: (one) => one["planId"] === planId },
    { fields: { ticker }, selects: (one) => one["ticker"] === ticker },
    { fields: { planId, ticker }, selects: (one) => one["planId"] === planId && one["ticker"] === ticker }
  ]
  return { filters }
})

const ofSubAccounts = Effect.fnUntraced(function*(world: World, account: Account) {
  const [ids, names] = [[0, 1, 2, 3].map(() => world.unique("sub")), [0, 1, 2, 3].map(() => world.unique("desk"))]
  for (const [index, id] of ids.entries()) {
    yield* world.control("OpenSubAccount", {
      id,
      parent: account.id,
      alias: names[index],
      email: `${"abcd"[index]}***@e***e.com`,
      color: `#1D9A6${index}`,
      shareKyc: index % 2 === 0,
      kycStatus: "shared",
      spotEnabled: index < 2,
      collateralEnabled: index === 3
    })
  }
  // The document does not say which sub-accounts match a search term.
  const filters: ReadonlyArray<Filter> = [names[0], names[1], names[2], names[3], "desk"].map((search) => ({
    fields: { search }
  }))
  const make = Effect.gen(function*() {
    const answer = yield* world.call(account, Paths.deleteSubAccount, { id: ids[1] })
    yield* Verdict.expect(answer, "HTTP 200", answer.status === 200)
  })
  const after = (before: ReadonlyArray<Body>) => before.filter(({ id }) => id !== ids[1])
  return { filters, change: { make, after } }
})

/** The sub-account of each key: no sub-account has all of its keys in a row. */
const owners = [0, 1, 0, 2, 0, 1]

const ofKeys = Effect.fnUntraced(function*(world: World, account: Account) {
  const ids: Array<string> = []
  for (let index = 0; index < 3; index++) ids.push(yield* SubAccounts.create(world, account))
  const keys = owners.map(() => world.unique("Key"))
  for (const [index, owner] of owners.entries()) {
    yield* world.control("AddKey", {
      account: ids[owner],
      apiKey: keys[index],
      apiSecret: world.unique("secret"),
      title: `Key No. ${index}`,
      type: "1",
      enabled: index !== 1,
      ...(index === 2 ? { endpoints: [SubAccounts.restriction, { name: Paths.fees, title: "Fees" }] } : {})
    })
  }
  const user = yield* SubAccounts.addKey(world, ids[1] ?? "")
  const used = yield* world.call(user, Paths.mainBalance)
  yield* Verdict.expect(used, "HTTP 200 for the new key", Refusals.isSuccess(used))
  const filters: ReadonlyArray<Filter> = ids.map((id) => ({
    fields: { subAccountId: id },
    selects: ({ subAccountId }) => subAccountId === id
  }))
  // A key with endpoints, a key that has been used, and a key without either.
  const off: ReadonlyArray<unknown> = [keys[2], Redacted.value(user.apiKey), keys[4]]
  const make = Effect.forEach(off, (apiKey) => world.control("SetKey", { apiKey, enabled: false }))
  // The document does not say how soon a list shows the latest activity.
  const activityOf = ({ id, lastActivity }: Body, shown: ReadonlyArray<Body>): unknown => {
    const later = shown.find((one) => one["id"] === id)?.["lastActivity"]
    return Number(later) > Number(lastActivity) ? later : lastActivity
  }
  const after = (before: ReadonlyArray<Body>, shown: ReadonlyArray<Body>) =>
    before.map((one) => ({
      ...one,
      lastActivity: activityOf(one, shown),
      ...(off.includes(one["apiKey"]) ? { isEnabled: false } : {})
    }))
  return { filters, change: { make, after } }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  rule(Lists.interest, ofPayments),
  rule(Lists.subAccounts, ofSubAccounts),
  rule(Lists.apiKeys, ofKeys)
]
