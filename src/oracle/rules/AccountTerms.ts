/**
 * Rules about the terms of balances, transfers, codes, sub-accounts and their keys: types of fields, defaults, and the
 * smallest and the largest values. Only the live exchange's documentation describes these terms.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Makes a call that creates something, and expects HTTP 201 with a JSON object. */
const create = Effect.fnUntraced(function*(world: World, account: Account, path: string, fields: Body) {
  const answer = yield* LiveCalls.call(world, account, path, fields)
  const isCreated = answer.status === 201 && Refusals.isSuccess(answer) && Json.isObject(answer.json)
  yield* Verdict.expect(answer, "HTTP 201 with a JSON object", isCreated)
  return { answer, json: Json.isObject(answer.json) ? answer.json : {} }
})

const refusesFields = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body,
  key: string
) {
  yield* Refusals.fields(yield* LiveCalls.call(world, account, path, fields), { status: 400, codes: [0] }, key)
})

/** One unit of the eighth decimal place, the most precise amount of a transfer. */
const unit = "0.00000001"

/** An amount that no floating-point number represents exactly, and the amounts one unit below and above it. */
const exact = { amount: "1234567890.12345678", less: "1234567890.12345677", more: "1234567890.12345679" }

/** An amount with 18 decimal places, the most of a code, and what it leaves of 1. */
const finest = { amount: "0.123456789012345678", less: "0.876543210987654322" }

/** Whether a value is exactly this decimal, apart from trailing zeros. */
const isExactly = (value: unknown, expected: string): boolean =>
  Kinds.decimal.holds(value) && String(value).replace(/(\.[0-9]*?)0+$/u, "$1").replace(/\.$/u, "") === expected

const balanceRules: ReadonlyArray<Rule.Rule> = [
  forEach("balances.ticker.type", {
    statement: "Refuses the balance of an asset that is not named by a string, with errors that name ticker",
    profile: "read-only",
    values: [Paths.mainBalance, Paths.tradeBalance, Paths.collateralBalance],
    check: Effect.fnUntraced(function*(world, path) {
      const answer = yield* LiveCalls.call(world, yield* world.reader, path, { ticker: ["BTC"] })
      const code = path === Paths.mainBalance ? 0 : 30
      yield* Verdict.expect(
        answer,
        `a refusal with code ${code}, and errors that name ticker`,
        Refusals.isRefused(answer) && Refusals.hasCode(answer, [code]) &&
          Refusals.namedFields(answer).includes("ticker")
      )
    })
  }),
  always("transfers.least", {
    statement: "Transfers the smallest amount, one unit of the eighth decimal place",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.open(world, [["main", "USDT", unit]])
      const fields = { ticker: "USDT", amount: unit, from: "main", to: "spot" }
      const answer = yield* LiveCalls.call(world, account, Paths.transfer, fields)
      yield* Verdict.expect(answer, "HTTP 201", answer.status === 201 && Refusals.isSuccess(answer))
      const { answer: shown, json } = yield* LiveCalls.object(world, account, Paths.tradeBalance, { ticker: "USDT" })
      yield* Verdict.expect(shown, `${unit} available`, isExactly(json["available"], unit))
    })
  }),
  always("balances.exact", {
    statement: "Shows and transfers amounts with all their digits, without rounding and without exponents",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.open(world, [["main", "USDT", exact.amount], ["trade", "USDT", exact.amount]])
      const shows = Effect.fnUntraced(function*(main: string, trade: string) {
        for (
          const [path, key, expected] of [
            [Paths.mainBalance, "main_balance", main],
            [Paths.tradeBalance, "available", trade]
          ] as const
        ) {
          for (const fields of [{}, { ticker: "USDT" }]) {
            const { answer, json } = yield* LiveCalls.object(world, account, path, fields)
            const entry = "ticker" in fields ? json : json["USDT"]
            const isShown = Json.isObject(entry) && isExactly(entry[key], expected)
            yield* Verdict.expect(answer, `exactly ${expected} as ${key} of USDT`, isShown)
          }
        }
      })
      yield* shows(exact.amount, exact.amount)
      const fields = { ticker: "USDT", amount: unit, from: "main", to: "spot" }
      yield* LiveCalls.call(world, account, Paths.transfer, fields)
      yield* shows(exact.less, exact.more)
    })
  }),
  always("transfers.collateral", {
    statement: "Refuses to transfer collateral that a position needs",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.open(world, [["collateral", "USDT", "1000"]])
      yield* Trading.openPosition(world, account, "buy", "0.02")
      const before = yield* Wallets.read(world, account)
      const amount = (before.get("collateral.USDT") ?? 0).toFixed(8)
      const fields = { ticker: "USDT", amount, from: "collateral", to: "main" }
      const answer = yield* LiveCalls.call(world, account, Paths.transfer, fields)
      yield* Refusals.exactly(answer, { status: 422, codes: [3] }, "because a position needs a part of the balance")
      yield* Wallets.expectChanges(world, account, before, {})
    })
  })
]

/** Invalid fields for creating a code. The errors must name the field. */
const wrongCodes: ReadonlyArray<readonly [key: string, value: unknown]> = [
  ["amount", "-1"],
  ["amount", "ten"],
  ["description", "d".repeat(281)],
  ["description", 7],
  ["passphrase", 7]
]

const codeRules: ReadonlyArray<Rule.Rule> = [
  forEach("code-creation.terms", {
    statement: "Refuses a code with a malformed amount, description or passphrase, and debits nothing",
    values: wrongCodes,
    check: Effect.fnUntraced(function*(world, [key, value]) {
      const creator = yield* Wallets.open(world, [["main", "ETH", "5"]])
      const before = yield* Wallets.read(world, creator)
      yield* refusesFields(world, creator, Paths.createCode, { ticker: "ETH", amount: "1", [key]: value }, key)
      yield* Wallets.expectChanges(world, creator, before, {})
    })
  }),
  always("code-creation.zero", {
    statement: "Refuses a code with an amount of zero",
    check: Effect.fnUntraced(function*(world) {
      const creator = yield* Wallets.open(world, [["main", "ETH", "5"]])
      const answer = yield* LiveCalls.call(world, creator, Paths.createCode, { ticker: "ETH", amount: "0" })
      yield* Refusals.any(answer, "because the amount is zero")
    })
  }),
  always("code-creation.description", {
    statement: "Creates a code with a description of 280 characters",
    check: Effect.fnUntraced(function*(world) {
      const creator = yield* Wallets.open(world, [["main", "ETH", "5"]])
      const fields = { ticker: "ETH", amount: "1", description: "d".repeat(280) }
      yield* create(world, creator, Paths.createCode, fields)
    })
  }),
  always("code-creation.whole", {
    statement: "Refuses a code that lacks a character or has one too many, and credits nothing",
    check: Effect.fnUntraced(function*(world) {
      const [creator, other] = [
        yield* Wallets.open(world, [["main", "ETH", "5"]]),
        yield* Wallets.open(world, [["main", "ETH", "1"]])
      ]
      const { json } = yield* create(world, creator, Paths.createCode, { ticker: "ETH", amount: "2.5" })
      const before = yield* Wallets.read(world, other)
      const code = String(json["code"])
      for (const wrong of [code.slice(0, -1), code.slice(1), `${code}0`]) {
        yield* refusesFields(world, other, Paths.applyCode, { code: wrong }, "code")
      }
      yield* Wallets.expectChanges(world, other, before, {})
    })
  }),
  always("code-creation.exact", {
    statement: "Moves the amount of a code with all its digits, up to 18 after the point, without rounding",
    check: Effect.fnUntraced(function*(world) {
      const creator = yield* Wallets.open(world, [["main", "USDT", exact.more]])
      const other = yield* world.open({ isFunded: false })
      const { json } = yield* create(world, creator, Paths.createCode, { ticker: "USDT", amount: exact.amount })
      const applied = yield* create(world, other, Paths.applyCode, { code: json["code"] })
      const isApplied = isExactly(applied.json["amount"], exact.amount)
      yield* Verdict.expect(applied.answer, `exactly the amount ${exact.amount}`, isApplied)
      for (const [account, expected] of [[creator, unit], [other, exact.amount]] as const) {
        const { answer, json } = yield* LiveCalls.object(world, account, Paths.mainBalance, { ticker: "USDT" })
        yield* Verdict.expect(answer, `exactly ${expected}`, isExactly(json["main_balance"], expected))
      }
      yield* world.control("Fund", { account: creator.id, wallet: "main", ticker: "ETH", amount: "1" })
      const { json: tiny } = yield* create(world, creator, Paths.createCode, { ticker: "ETH", amount: finest.amount })
      yield* create(world, other, Paths.applyCode, { code: tiny["code"] })
      for (const [account, expected] of [[creator, finest.less], [other, finest.amount]] as const) {
        const { answer, json } = yield* LiveCalls.object(world, account, Paths.mainBalance, { ticker: "ETH" })
        yield* Verdict.expect(answer, `exactly ${expected}`, isExactly(json["main_balance"], expected))
      }
    })
  }),
  always("code-creation.once", {
    statement: "Applies a created code neither for its creator nor twice, with errors that name the code",
    check: Effect.fnUntraced(function*(world) {
      const [creator, one, two] = [
        yield* Wallets.open(world, [["main", "ETH", "5"]]),
        yield* Wallets.open(world, [["main", "ETH", "1"]]),
        yield* Wallets.open(world, [["main", "ETH", "1"]])
      ]
      const { json } = yield* create(world, creator, Paths.createCode, { ticker: "ETH", amount: "2.5" })
      const code = String(json["code"])
      const before = [yield* Wallets.read(world, creator), yield* Wallets.read(world, two)] as const
      yield* refusesFields(world, creator, Paths.applyCode, { code }, "code")
      yield* create(world, one, Paths.applyCode, { code })
      for (const account of [one, two]) yield* refusesFields(world, account, Paths.applyCode, { code }, "code")
      yield* Wallets.expectChanges(world, creator, before[0], {})
      yield* Wallets.expectChanges(world, two, before[1], {})
    })
  })
]

const permissions = { spotEnabled: true, collateralEnabled: true }

/** Invalid fields for creating a sub-account. The errors must name the field. */
const wrongSubAccounts: ReadonlyArray<readonly [key: string, value: unknown]> = [
  ["alias", 7],
  ["email", "no address"],
  ["email", 7],
  ["shareKyc", "no"],
  ["permissions", true]
]

const subAccountRules: ReadonlyArray<Rule.Rule> = [
  forEach("sub-account-creation.terms", {
    statement: "Refuses a sub-account with a malformed name, e-mail address or setting, and creates nothing",
    values: wrongSubAccounts,
    check: Effect.fnUntraced(function*(world, [key, value]) {
      const parent = yield* world.open({ isFunded: false })
      const fields = { alias: "desk", email: "desk@example.com", shareKyc: true, permissions, [key]: value }
      yield* refusesFields(world, parent, Paths.createSubAccount, fields, key)
      const answer = yield* world.call(parent, Paths.subAccounts)
      yield* Verdict.expect(answer, "no sub-account", SubAccounts.isEmpty(answer))
    })
  }),
  forEach("sub-account-creation.permissions", {
    statement: "Refuses a sub-account if a permission is missing or no boolean, and creates nothing",
    values: [{ spotEnabled: true }, { collateralEnabled: true }, { spotEnabled: "yes", collateralEnabled: true }, {
      spotEnabled: true,
      collateralEnabled: 2
    }],
    check: Effect.fnUntraced(function*(world, permissions) {
      const parent = yield* world.open({ isFunded: false })
      const fields = { alias: "desk", email: "desk@example.com", shareKyc: true, permissions }
      const answer = yield* LiveCalls.call(world, parent, Paths.createSubAccount, fields)
      yield* Refusals.exactly(answer, { status: 400, codes: [0] }, "because of a permission")
      const list = yield* world.call(parent, Paths.subAccounts)
      yield* Verdict.expect(list, "no sub-account", SubAccounts.isEmpty(list))
    })
  }),
  always("sub-account-creation.default", {
    statement: "Creates a sub-account that does not share its parent's verification, unless the call asks for that",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const fields = { alias: "desk", email: "desk@example.com", permissions }
      const { answer, json } = yield* create(world, parent, Paths.createSubAccount, fields)
      const list = yield* world.call(parent, Paths.subAccounts)
      const [listed] = Json.isObject(list.json) && Array.isArray(list.json["data"]) ? list.json["data"] : []
      for (const [shown, found] of [[answer, json], [list, listed]] as const) {
        const kyc = Json.isObject(found) ? found["kyc"] : undefined
        yield* Verdict.expect(shown, "shareKyc false", Json.isObject(kyc) && kyc["shareKyc"] === false)
      }
    })
  }),
  always("sub-account-creation.funds", {
    statement: "Keeps the funds of a sub-account apart from those of its parent and of other sub-accounts",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* Wallets.open(world, [["main", "ETH", "1"]])
      const [one, two] = [yield* SubAccounts.create(world, parent), yield* SubAccounts.create(world, parent)]
      const [account, other] = [yield* SubAccounts.addKey(world, one), yield* SubAccounts.addKey(world, two)]
      const before = yield* Effect.forEach([parent, account, other], (owner) => Wallets.read(world, owner))
      for (const [wallet, amount] of [["main", "3"], ["trade", "5"], ["collateral", "7"]] as const) {
        yield* world.control("Fund", { account: one, wallet, ticker: "USDT", amount })
      }
      const credited = { "main.USDT": 3, "trade.USDT": 5, "collateral.USDT": 7 }
      for (const [index, owner] of [parent, account, other].entries()) {
        yield* Wallets.expectChanges(world, owner, before[index] ?? new Map(), index === 1 ? credited : {})
      }
    })
  }),
  always("delete.others", {
    statement: "Keeps the keys of other sub-accounts when a sub-account is deleted",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const [one, two] = [yield* SubAccounts.create(world, parent), yield* SubAccounts.create(world, parent)]
      const accounts = [yield* SubAccounts.addKey(world, one), yield* SubAccounts.addKey(world, two)] as const
      yield* world.call(parent, Paths.deleteSubAccount, { id: one })
      const used = yield* world.call(accounts[1], Paths.mainBalance)
      yield* Verdict.expect(used, "HTTP 200 for the other key", Refusals.isSuccess(used))
      const { answer, json } = yield* LiveCalls.object(world, parent, Paths.apiKeys, {})
      const keys = Array.isArray(json["data"]) ? json["data"].filter(Json.isObject) : []
      yield* Verdict.expect(answer, `a key of ${two}`, keys.some(({ subAccountId }) => subAccountId === two))
    })
  }),
  always("api-keys.switched", {
    statement: "Lists a key as disabled once it is disabled, and as enabled once it is enabled again",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const { apiKey } = yield* SubAccounts.addKey(world, yield* SubAccounts.create(world, parent))
      for (const enabled of [true, false, true]) {
        yield* world.control("SetKey", { apiKey: Redacted.value(apiKey), enabled })
        const { answer, json } = yield* LiveCalls.object(world, parent, Paths.apiKeys, {})
        const [key] = Array.isArray(json["data"]) ? json["data"].filter(Json.isObject) : []
        yield* Verdict.expect(answer, `isEnabled ${enabled}`, key?.["isEnabled"] === enabled)
      }
    })
  }),
  always("api-key-creation.filtered", {
    statement: "Lists a new key among the keys of its sub-account, even if the caller has read this list before",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const ids = [yield* SubAccounts.create(world, parent), yield* SubAccounts.create(world, parent)]
      const titles: Array<string> = []
      for (const title of ["first", "second"]) {
        for (const subAccountId of ids) {
          yield* create(world, parent, Paths.createApiKey, { subAccountId, title, type: 1 })
        }
        titles.push(title)
        for (const subAccountId of ids) {
          const { answer, json } = yield* LiveCalls.object(world, parent, Paths.apiKeys, { subAccountId })
          const keys = Array.isArray(json["data"]) ? json["data"].filter(Json.isObject) : []
          yield* Verdict.expect(
            answer,
            `the keys ${titles.join(" and ")} of ${subAccountId}`,
            keys.length === titles.length && keys.every((key) => key["subAccountId"] === subAccountId) &&
              titles.every((title) => keys.some((key) => key["title"] === title))
          )
        }
      }
    })
  }),
  forEach("api-key-creation.terms", {
    statement: "Refuses a key whose sub-account, title or type has the wrong type, and creates nothing",
    values: [["subAccountId", 7], ["title", 7], ["type", "trade"]] as const,
    check: Effect.fnUntraced(function*(world, [key, value]) {
      const parent = yield* world.open({ isFunded: false })
      const subAccountId = yield* SubAccounts.create(world, parent)
      yield* refusesFields(
        world,
        parent,
        Paths.createApiKey,
        { subAccountId, title: "key", type: 1, [key]: value },
        key
      )
      const answer = yield* world.call(parent, Paths.apiKeys)
      yield* Verdict.expect(answer, "no key", SubAccounts.isEmpty(answer))
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...balanceRules, ...codeRules, ...subAccountRules]
