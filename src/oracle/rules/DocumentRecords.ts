/** Rules about the records of lists after several steps, and about orders that wait on several markets. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Codes from "../world/Codes.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Lists from "../world/Lists.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const section = Section.of({ clause: "Endpoints §11" })

/** Expects that the pages of a list, three records each, show each of these ids once. */
const inPages = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  list: Lists.List,
  filter: Body,
  expected: ReadonlyArray<string>
) {
  const limit = 3
  const seen: Array<string> = []
  for (let offset = 0; offset < expected.length; offset += limit) {
    const count = Math.min(limit, expected.length - offset)
    seen.push(
      ...SubAccounts.idsOf(yield* Lists.pageWith(world, account, list, { ...filter, limit, offset }, count))
    )
  }
  const text = expected.toSorted().join()
  yield* Verdict.conclude(`on pages of ${limit}: ${text}`, seen, seen.toSorted().join() === text)
  if (expected.length > 1)
    yield* Lists.pageWith(world, account, list, { ...filter, limit: 100, offset: 1 }, expected.length - 1)
})

const afterDeletions: Rule.Rule = section.always("delete.pages", {
  statement:
    "Lists every sub-account that is left on exactly one page after deletions at the start, middle and end, and "
    + "keeps its key",
  check: Effect.fnUntraced(function*(world) {
    const parent = yield* world.open({ isFunded: false })
    const ids: Array<string> = []
    for (let index = 0; index < 8; index++) ids.push(yield* SubAccounts.create(world, parent))
    const kept = ids[1] ?? ""
    const account = yield* SubAccounts.addKey(world, kept)
    const gone: Array<string | undefined> = []
    for (const id of [ids[3], ids[0], ids[7]]) {
      const answer = yield* world.call(parent, Paths.deleteSubAccount, { id })
      yield* Verdict.expect(answer, "HTTP 200", answer.status === 200)
      gone.push(id)
      yield* inPages(world, parent, Lists.subAccounts, {}, ids.filter((one) => !gone.includes(one)))
    }
    ids.push(yield* SubAccounts.create(world, parent))
    yield* inPages(world, parent, Lists.subAccounts, {}, ids.filter((one) => !gone.includes(one)))
    const listed = yield* world.call(parent, Paths.apiKeys, { subAccountId: kept })
    const { records } = yield* Lists.pageOf(Lists.apiKeys, listed)
    yield* Verdict.expect(listed, `the key of ${kept}, which was not deleted`, records.length === 1)
    const used = yield* world.call(account, Paths.mainBalance)
    yield* Verdict.expect(used, "HTTP 200 for the key of a sub-account that was not deleted", Refusals.isSuccess(used))
  })
})

const searchPages: Rule.Rule = section.always("sub-accounts.search.pages", {
  statement: "Applies limit and offset to the sub-accounts that match a search term, and repeats both in the page",
  clause: "Endpoints §9",
  check: Effect.fnUntraced(function*(world) {
    const parent = yield* world.parent
    const whole = yield* world.call(parent, Paths.subAccounts, { search: "desk", limit: 100 })
    const { records } = yield* Lists.pageOf(Lists.subAccounts, whole)
    yield* inPages(world, parent, Lists.subAccounts, { search: "desk" }, SubAccounts.idsOf(records))
    const answer = yield* world.call(parent, Paths.subAccounts, { search: "desk" })
    yield* Lists.hasDefaults(world, Lists.subAccounts, answer)
  })
})

/** Whether the response shows no record of this sub-account. The document does not say whether the call is refused. */
const hides = (answer: Answer, id: string): boolean => {
  const data = Json.isObject(answer.json) ? answer.json["data"] : undefined
  const records = Array.isArray(data) ? data.filter(Json.isObject) : []
  return Refusals.isRefused(answer) || records.every((one) => one["id"] !== id && one["subAccountId"] !== id)
}

const ofOthers: Rule.Rule = section.always("api-keys.own.filter", {
  statement: "Shows an account none of the sub-accounts and keys of another account, even if it asks for them",
  clause: "Endpoints §10",
  check: Effect.fnUntraced(function*(world) {
    const [parent, other] = [yield* world.open({ isFunded: false }), yield* world.open({ isFunded: false })]
    const id = yield* SubAccounts.create(world, parent)
    yield* SubAccounts.addKey(world, id)
    yield* SubAccounts.addKey(world, yield* SubAccounts.create(world, other))
    for (
      const [path, fields] of [
        [Paths.apiKeys, { subAccountId: id }],
        [Paths.apiKeys, { subAccountId: id, limit: 100, offset: 0 }],
        // The alias of a created sub-account is its id.
        [Paths.subAccounts, { search: id }]
      ] as const
    ) {
      const answer = yield* world.call(other, path, fields)
      yield* Verdict.expect(answer, "no record of another account", hides(answer, id))
    }
    for (const list of [Lists.apiKeys, Lists.subAccounts]) {
      yield* Lists.pageWith(world, other, list, { limit: 100, offset: 0 }, 1)
    }
    const { answer, records } = yield* Lists.pageOf(
      Lists.apiKeys,
      yield* world.call(parent, Paths.apiKeys, { subAccountId: id })
    )
    yield* Lists.hasDefaults(world, Lists.apiKeys, answer)
    const owners = SubAccounts.idsOf(records, "subAccountId")
    yield* Verdict.conclude(`one key of ${id}`, owners, owners.join() === id)
  })
})

/** The smallest amount with eight decimal places. Many languages write it as 1e-8. */
const smallest = "0.00000001"

/** Expects that a response shows the smallest amount as a decimal in a string. */
const isSmallest = (answer: Answer, value: unknown) =>
  Verdict.expect(
    answer,
    `the amount "${smallest}"`,
    Kinds.decimal.holds(value) && Number(value) === Number(smallest)
  )

const smallAmounts: Rule.Rule = section.always("general.money.small", {
  statement: "Shows small amounts as decimals in strings: payments, balances and codes of 0.00000001",
  clause: "General rules",
  check: Effect.fnUntraced(function*(world) {
    const account = yield* world.open({ isFunded: false })
    const payment = { planId: "oracle-plan-b", investmentId: "small", ticker: "BTC", amount: smallest }
    yield* world.control("PayInterest", { account: account.id, ...payment })
    const paid = yield* world.call(account, Paths.interest)
    const { records: [record] } = yield* Lists.pageOf(Lists.interest, paid)
    yield* isSmallest(paid, Json.isObject(record) ? record["amount"] : undefined)
    const { code } = yield* Codes.issue(world, smallest)
    const applied = yield* world.call(account, Paths.applyCode, { code })
    yield* isSmallest(applied, Json.isObject(applied.json) ? applied.json["amount"] : undefined)
    const held = yield* world.call(account, Paths.mainBalance)
    const entry = Json.isObject(held.json) ? held.json["ETH"] : undefined
    yield* isSmallest(held, Json.isObject(entry) ? entry["main_balance"] : undefined)
  })
})

/** Places stop orders that rest after their activation, one at each of these distances from the base price in percent. */
const placeStops = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  side: Orders.Side,
  percents: ReadonlyArray<number>
) {
  const ids: Array<unknown> = []
  for (const percent of percents) {
    const trigger = Trading.triggerPrice(side, percent)
    ids.push((yield* Trading.placeStop(world, account, side, trigger, Trading.restingLimit(side, trigger))).id)
  }
  return ids
})

const severalStops: Rule.Rule = section.forEach("activation.several", {
  statement: "Activates of several stops exactly those whose activation price was reached on their own market",
  clause: "Stop order activation",
  values: Orders.sides,
  check: Effect.fnUntraced(function*(world, side) {
    const account = yield* world.trader
    const market = yield* world.market
    const other = (yield* world.markets).find(({ money, name }) => money === market.money && name !== market.name)
    if (other === undefined) return yield* Verdict.skip("needs a second market")
    yield* Trading.movePrice(world, other, other.price)
    yield* world.control("Fund", { account: account.id, wallet: "trade", ticker: other.stock, amount: "100000" })
    const ids = yield* placeStops(world, account, side, [30, 10, 20])
    const opposite = yield* placeStops(world, account, Orders.opposite(side), [10])
    const trigger = Trading.triggerPrice(side, 12)
    const price = priceText(other, Trading.restingLimit(side, trigger))
    const terms = { price, amount: Orders.amountFor(other, Number(price)), activation_price: priceText(other, trigger) }
    const elsewhere = yield* Orders.place(
      world,
      account,
      Paths.stopLimit,
      Orders.stopLimit(other, side, terms)
    )
    const all = [...ids, ...opposite, ...Orders.idsOf(world, elsewhere.order)]
    const expectActivated = Effect.fnUntraced(function*(expected: ReadonlyArray<number>) {
      const found = yield* Effect.forEach(all, (id) => Orders.find(world, account, id))
      const activated = found.map(({ activated = 0 }) => activated)
      yield* Verdict.conclude(
        `activated ${expected.join()}`,
        activated,
        activated.every((one, index) => Number(one) === expected[index])
      )
    })
    yield* Trading.movePrice(world, market, Trading.triggerPrice(side, 20))
    yield* expectActivated([0, 1, 1, 0, 0])
    yield* Trading.movePrice(world, other, trigger)
    yield* expectActivated([0, 1, 1, 0, 1])
    // An activated order stays active when the price moves back.
    yield* Trading.movePrice(world, market, Trading.triggerPrice(side, 5))
    yield* expectActivated([0, 1, 1, 0, 1])
    yield* Trading.movePrice(world, market, Trading.triggerPrice(side, 30))
    yield* expectActivated([1, 1, 1, 0, 1])
  })
})

export const rules: ReadonlyArray<Rule.Rule> = [
  afterDeletions,
  searchPages,
  ofOthers,
  smallAmounts,
  severalStops
]
