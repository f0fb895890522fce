/**
 * Rules about creating codes, sub-accounts and API keys. Only the live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Sends a creation call, and expects HTTP 201 with a JSON object. */
const create = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body
): Effect.fn.Return<{ readonly answer: Target.Answer; readonly json: Body }, Verdict.CheckError> {
  const answer = yield* LiveCalls.call(world, account, path, fields)
  const { json, status } = answer
  return status === 201 && Refusals.isSuccess(answer) && Json.isObject(json)
    ? { answer, json }
    : yield* new Verdict.Broken({ expected: "HTTP 201 with a JSON object", got: Verdict.describe(answer), answer })
})

/** Expects a refusal with HTTP 400, code 0 and errors that name the field. */
const refuses = Effect.fnUntraced(function*(world: World, account: Account, path: string, fields: Body, key: string) {
  const answer = yield* LiveCalls.call(world, account, path, fields)
  yield* Refusals.fields(answer, { status: 400, codes: [0] }, key)
})

const codeOf = (json: Body): string => String(json["code"])

/** Opens an account whose main balance is lower than its other balances, which no code may use. */
const openCreator = (world: World) =>
  Wallets.open(world, [
    ["main", "ETH", "5"],
    ["main", "USDT", "80"],
    ["trade", "ETH", "20"],
    ["collateral", "ETH", "30"]
  ])

/** Codes that must be refused, each with its refusal. */
const wrongCodes = [
  { fields: { amount: "5.5" }, status: 422, code: 5, key: "amount" },
  { fields: { amount: undefined }, status: 400, code: 0, key: "amount" },
  { fields: { ticker: undefined }, status: 400, code: 0, key: "ticker" },
  { fields: { ticker: "NOSUCHASSET" }, status: 400, code: 0, key: "ticker" },
  { fields: { passphrase: "p".repeat(26) }, status: 400, code: 0, key: "passphrase" }
] as const

const codeRules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "code-creation.result",
    profile: "control",
    within: "a created code",
    sample: Effect.fnUntraced(function*(world) {
      const creator = yield* openCreator(world)
      const { answer, json } = yield* create(world, creator, Paths.createCode, { ticker: "ETH", amount: "0.5" })
      return { answer, objects: [json] }
    }),
    rows: [
      { key: "code", kind: Kinds.someText, meaning: "the code" },
      { key: "message", kind: Kinds.text, meaning: "the outcome" },
      { key: "external_id", kind: Kinds.someText, meaning: "the transaction's id" }
    ]
  }),
  forEach("code-creation.moves", {
    statement: "Debits exactly the code's amount from its creator, and credits it to the account that applies the code",
    // The last amount is the creator's whole balance.
    values: [["ETH", "1.25"], ["USDT", "20.5"], ["ETH", "5"]] as const,
    check: Effect.fnUntraced(function*(world, [ticker, amount]) {
      const [creator, other] = [yield* openCreator(world), yield* Wallets.open(world, [["main", "USDT", "1"]])]
      const [own, others] = [yield* Wallets.read(world, creator), yield* Wallets.read(world, other)]
      const { json } = yield* create(world, creator, Paths.createCode, { ticker, amount })
      yield* Wallets.expectChanges(world, creator, own, { [`main.${ticker}`]: -Number(amount) })
      const applied = yield* create(world, other, Paths.applyCode, { code: codeOf(json) })
      yield* Verdict.expect(
        applied.answer,
        `the ticker ${ticker} and the amount ${amount}`,
        applied.json["ticker"] === ticker && Number(applied.json["amount"]) === Number(amount)
      )
      yield* Wallets.expectChanges(world, other, others, { [`main.${ticker}`]: Number(amount) })
      yield* Wallets.expectChanges(world, creator, own, { [`main.${ticker}`]: -Number(amount) })
    })
  }),
  always("code-creation.passphrase", {
    statement: "Applies a created code only with its passphrase, which may have 25 characters",
    check: Effect.fnUntraced(function*(world) {
      const [creator, other] = [yield* openCreator(world), yield* world.open({ isFunded: false })]
      const right = "opensesame1".padEnd(25, "x")
      const fields = { ticker: "ETH", amount: "0.5", passphrase: right, description: "a note" }
      const { json } = yield* create(world, creator, Paths.createCode, fields)
      const code = codeOf(json)
      for (const passphrase of [right.slice(1), right.toUpperCase()]) {
        yield* refuses(world, other, Paths.applyCode, { code, passphrase }, "code")
      }
      // These may also be refused as invalid passphrases.
      for (const passphrase of [undefined, right.replace("1", " ")]) {
        const answer = yield* world.call(other, Paths.applyCode, { code, passphrase })
        yield* Refusals.any(answer, "because the passphrase is missing or malformed")
      }
      yield* create(world, other, Paths.applyCode, { code, passphrase: right })
    })
  }),
  always("code-creation.passphrase.spaces", {
    statement: "Refuses a passphrase with a space, or applies the code only with exactly this passphrase",
    check: Effect.fnUntraced(function*(world) {
      const [creator, other] = [yield* openCreator(world), yield* world.open({ isFunded: false })]
      const passphrase = "open sesame"
      const fields = { ticker: "ETH", amount: "0.5", passphrase }
      const made = yield* LiveCalls.call(world, creator, Paths.createCode, fields)
      if (!Refusals.isSuccess(made)) return yield* Refusals.any(made, "because of the space")
      const code = Json.isObject(made.json) ? codeOf(made.json) : ""
      const wrong = yield* world.call(other, Paths.applyCode, { code, passphrase: "opensesame" })
      yield* Refusals.any(wrong, "because the passphrase lacks the space")
      yield* create(world, other, Paths.applyCode, { code, passphrase })
    })
  }),
  always("code-creation.generic", {
    statement: "Refuses an unknown code and a wrong passphrase alike, and a used code or the caller's own differently",
    check: Effect.fnUntraced(function*(world) {
      const [creator, other] = [yield* openCreator(world), yield* world.open({ isFunded: false })]
      const passphrase = "opensesame1"
      const { json } = yield* create(world, creator, Paths.createCode, { ticker: "ETH", amount: "0.5", passphrase })
      const code = codeOf(json)
      const errors = Effect.fnUntraced(function*(account: Account, fields: Body) {
        const answer = yield* LiveCalls.call(world, account, Paths.applyCode, fields)
        yield* Refusals.fields(answer, { status: 400, codes: [0] }, "code")
        return { answer, text: Json.stringify(Json.isObject(answer.json) ? answer.json["errors"] : undefined) }
      })
      // The same code with another last digit.
      const unknown = code.replace(/[0-9a-f](?=ETH$)/u, (digit) => digit === "0" ? "1" : "0")
      const right = unknown === code ? "WB00000000-1111-4222-8333-444444444444ETH" : unknown
      const missing = yield* errors(other, { code: right, passphrase })
      const wrong = yield* errors(other, { code, passphrase: "opensesame2" })
      yield* Verdict.expect(wrong.answer, `the errors of an unknown code: ${missing.text}`, wrong.text === missing.text)
      const own = yield* errors(creator, { code, passphrase })
      yield* create(world, other, Paths.applyCode, { code, passphrase })
      const used = yield* errors(other, { code, passphrase })
      yield* Verdict.conclude(
        "three different errors",
        [missing.text, own.text, used.text],
        new Set([missing.text, own.text, used.text]).size === 3
      )
    })
  }),
  always("code-creation.unique", {
    statement: "Creates a different code and transaction id each time",
    check: Effect.fnUntraced(function*(world) {
      const creator = yield* openCreator(world)
      const made: Array<Body> = []
      for (const amount of ["0.5", "0.5", "0.25"]) {
        made.push((yield* create(world, creator, Paths.createCode, { ticker: "ETH", amount })).json)
      }
      const [codes, ids] = [made.map(codeOf), made.map((json) => json["external_id"])]
      yield* Verdict.conclude(
        "three codes and three ids",
        { codes, ids },
        new Set(codes).size === 3 && new Set(ids).size === 3
      )
    })
  }),
  forEach("code-creation.refusal", {
    statement: "Refuses an invalid code with errors that name the field, and debits nothing",
    values: wrongCodes,
    check: Effect.fnUntraced(function*(world, { code, fields, key, status }) {
      const creator = yield* openCreator(world)
      const before = yield* Wallets.read(world, creator)
      const answer = yield* LiveCalls.call(world, creator, Paths.createCode, { ticker: "ETH", amount: "1", ...fields })
      yield* Refusals.exactly(answer, { status, codes: [code] }, `because of ${key}`)
      yield* Verdict.expect(answer, `errors that name ${key}`, Refusals.namedFields(answer).includes(key))
      yield* Wallets.expectChanges(world, creator, before, {})
    })
  })
]

const both = { spotEnabled: true, collateralEnabled: true }

const accountWith = (alias: string, more: Body = {}): Body => ({ alias, shareKyc: true, permissions: both, ...more })

/** Returns the record with this id in a list. */
const recordOf = Effect.fnUntraced(function*(world: World, parent: Account, path: string, id: unknown) {
  const answer = yield* world.call(parent, path, { limit: 100 })
  const { objects } = yield* FieldRules.records(world, answer, "data")
  const found = objects.find((record) => Json.isObject(record) && record["id"] === id)
  return { answer, found: Json.isObject(found) ? found : {} }
})

const same = (one: unknown, other: unknown): boolean =>
  Json.isObject(one) && Json.isObject(other)
    ? Object.keys({ ...one, ...other }).every((key) => same(one[key], other[key]))
    : Json.stringify(one) === Json.stringify(other)

const subAccountRules: ReadonlyArray<Rule.Rule> = [
  forEach("sub-account-creation.listed", {
    statement: "Creates a sub-account as requested, and lists exactly what the creation returned",
    values: [
      { shareKyc: true, spotEnabled: true, collateralEnabled: false },
      { shareKyc: false, spotEnabled: false, collateralEnabled: true }
    ],
    check: Effect.fnUntraced(function*(world, { shareKyc, ...permissions }) {
      const parent = yield* world.open({ isFunded: false })
      const [alias, email] = [world.unique("Desk"), `${world.unique("mail")}@example.com`]
      const fields = { alias, email, shareKyc, permissions }
      const { answer, json } = yield* create(world, parent, Paths.createSubAccount, fields)
      const kyc = Json.isObject(json["kyc"]) ? json["kyc"] : {}
      yield* Verdict.expect(
        answer,
        `${Json.stringify({ alias, permissions, kyc: { shareKyc } })}, with ids and a masked e-mail address`,
        json["alias"] === alias && same(json["permissions"], permissions) && kyc["shareKyc"] === shareKyc &&
          Kinds.someText.holds(json["id"]) && Kinds.someText.holds(json["userId"]) && json["id"] !== json["userId"] &&
          json["email"] !== email && (json["email"] === undefined || Kinds.maskedEmail.holds(json["email"]))
      )
      const { answer: list, found } = yield* recordOf(world, parent, Paths.subAccounts, json["id"])
      // The status may change at any time.
      const odd = Object.keys(json).filter((key) => key !== "status" && key !== "kyc" && !same(found[key], json[key]))
      yield* Verdict.expect(list, Json.stringify(json), odd.length === 0)
    })
  }),
  always("sub-account-creation.status", {
    statement: "Lists a new sub-account with the status and the verification that its creation returned",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const { json } = yield* create(world, parent, Paths.createSubAccount, accountWith("desk"))
      const { answer, found } = yield* recordOf(world, parent, Paths.subAccounts, json["id"])
      yield* Verdict.expect(
        answer,
        Json.stringify({ status: json["status"], kyc: json["kyc"] }),
        same(found["status"], json["status"]) && same(found["kyc"], json["kyc"])
      )
    })
  }),
  always("sub-account-creation.unique", {
    statement: "Creates sub-accounts with different ids, and refuses a name that is taken",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const [one, two] = [
        yield* create(world, parent, Paths.createSubAccount, accountWith("first desk")),
        yield* create(world, parent, Paths.createSubAccount, accountWith("second desk"))
      ]
      const ids = [one, two].flatMap(({ json }) => [json["id"], json["userId"]])
      yield* Verdict.conclude("four different ids", ids, new Set(ids).size === 4)
      yield* refuses(world, parent, Paths.createSubAccount, accountWith("first desk"), "alias")
      const { json: page } = yield* world.call(parent, Paths.subAccounts)
      const count = Json.isObject(page) && Array.isArray(page["data"]) ? page["data"].length : Number.NaN
      yield* Verdict.conclude("two sub-accounts", count, count === 2)
    })
  }),
  forEach("sub-account-creation.refusal", {
    statement:
      "Refuses to create a sub-account without name, e-mail address or permissions, with errors that name the field",
    values: [
      ["alias", { alias: undefined }],
      ["email", { shareKyc: false }],
      ["permissions", { permissions: undefined }]
    ] as const,
    check: Effect.fnUntraced(function*(world, [key, fields]) {
      const parent = yield* world.open({ isFunded: false })
      yield* refuses(world, parent, Paths.createSubAccount, accountWith("desk", fields), key)
      const answer = yield* world.call(parent, Paths.subAccounts)
      const page = Json.isObject(answer.json) ? answer.json["data"] : undefined
      yield* Verdict.expect(answer, "no sub-account", Array.isArray(page) && page.length === 0)
    })
  })
]

/**
 * Creates a sub-account with a key and these permissions. Succeeds with the key's record, and the account for which the
 * key signs.
 */
const withKey = Effect.fnUntraced(function*(world: World, parent: Account, permissions: Body = both, type = 1) {
  const sub = yield* create(world, parent, Paths.createSubAccount, accountWith(world.unique("desk"), { permissions }))
  const subAccountId = String(sub.json["id"])
  const fields = { subAccountId, title: "The First Key", type }
  const { answer, json } = yield* create(world, parent, Paths.createApiKey, fields)
  const account: Account = {
    id: subAccountId,
    apiKey: Redacted.make(String(json["apiKey"])),
    apiSecret: Redacted.make(String(json["apiSecret"])),
    isExclusive: true
  }
  return { subAccountId, answer, json, account }
})

const keyRules: ReadonlyArray<Rule.Rule> = [
  forEach("api-key-creation.listed", {
    statement: "Creates an enabled key as requested, and lists it without its secret",
    values: [1, 2],
    check: Effect.fnUntraced(function*(world, type) {
      const parent = yield* world.open({ isFunded: false })
      // Reads the list first. If the target caches it, the new key is missing below.
      yield* world.call(parent, Paths.apiKeys, { limit: 100 })
      const { answer, json, subAccountId } = yield* withKey(world, parent, both, type)
      const expected = { subAccountId, title: "The First Key", isEnabled: true, type }
      yield* Verdict.expect(
        answer,
        `${Json.stringify(expected)} with id, apiKey and apiSecret`,
        Object.entries(expected).every(([key, value]) => json[key] === value) &&
          ["id", "apiKey", "apiSecret"].every((key) => Kinds.someText.holds(json[key])) &&
          new Set([json["id"], json["apiKey"], json["apiSecret"]]).size === 3 &&
          Kinds.lastSeconds.holds(json["lastActivity"])
      )
      const { answer: list, found } = yield* recordOf(world, parent, Paths.apiKeys, json["id"])
      // The list shows the type as a string, and no secret.
      const shown: Body = { ...json, apiSecret: "", type: found["type"] }
      const odd = Object.keys(shown).filter((key) => key !== "lastActivity" && !same(found[key], shown[key]))
      yield* Verdict.expect(list, Json.stringify(shown), odd.length === 0 && Kinds.someText.holds(found["type"]))
    })
  }),
  always("api-key-creation.unrestricted", {
    statement: "Creates a key that may call every endpoint, and shows that it is not restricted",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const { answer, json } = yield* withKey(world, yield* world.open({ isFunded: false }))
      yield* Verdict.expect(
        answer,
        "restrictAccess false and no accessEndpoints",
        json["restrictAccess"] === false && same(json["accessEndpoints"], [])
      )
    })
  }),
  always("api-key-creation.types", {
    statement: "Shows different types for keys of different types",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const first = yield* withKey(world, parent, both, 1)
      const fields = { subAccountId: first.subAccountId, title: "The Second Key", type: 2 }
      const answer = yield* LiveCalls.call(world, parent, Paths.createApiKey, fields)
      // The documentation allows a target to refuse this type.
      if (!Refusals.isSuccess(answer) || !Json.isObject(answer.json)) {
        return yield* Verdict.skip("the target does not allow keys of type 2")
      }
      const made = [first, { json: answer.json }]
      const types = yield* Effect.forEach(
        made,
        ({ json }) => Effect.map(recordOf(world, parent, Paths.apiKeys, json["id"]), ({ found }) => found["type"])
      )
      yield* Verdict.conclude(
        "two types",
        types,
        types.every((type) => Kinds.someText.holds(type)) && new Set(types).size === 2
      )
    })
  }),
  always("api-key-creation.signs", {
    statement: "Accepts calls signed with a new sub-account key and its secret, but not with another key's secret",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* Wallets.open(world, [["main", "ETH", "5"]])
      const [one, two] = [yield* withKey(world, parent), yield* withKey(world, parent)]
      yield* world.control("Fund", { account: one.subAccountId, wallet: "main", ticker: "ETH", amount: "3" })
      for (const [{ account }, amount] of [[one, 3], [two, 0]] as const) {
        const held = (yield* Wallets.read(world, account)).get("main.ETH") ?? 0
        yield* Verdict.conclude(`a main balance of ${amount} ETH`, held, held === amount)
      }
      const mixed = { ...one.account, apiSecret: two.account.apiSecret }
      yield* Refusals.any(yield* world.call(mixed, Paths.mainBalance), "because another key has this secret")
    })
  }),
  forEach("api-key-creation.permissions", {
    statement: "Lets a new sub-account trade spot only if its permissions allow it",
    level: "SHOULD",
    values: [true, false],
    check: Effect.fnUntraced(function*(world, spotEnabled) {
      const parent = yield* world.open({ isFunded: false })
      const { account, subAccountId } = yield* withKey(world, parent, { spotEnabled, collateralEnabled: false })
      const market = yield* world.market
      yield* world.control("Fund", { account: subAccountId, wallet: "trade", ticker: market.money, amount: "10000" })
      const order = { market: market.name, side: "buy", amount: "0.01", price: Orders.lowPrice(market) }
      const answer = yield* LiveCalls.call(world, account, Paths.limitOrder, order)
      if (spotEnabled) yield* Orders.objectOf(answer)
      else yield* Refusals.any(answer, "because the sub-account is not allowed to trade spot")
      yield* world.call(account, Paths.cancelAll)
    })
  }),
  forEach("api-key-creation.refusal", {
    statement: "Refuses to create a key without a sub-account, a title or a type, with errors that name the field",
    values: [
      ["subAccountId", { subAccountId: undefined }],
      ["title", { title: undefined }],
      ["type", { type: undefined }]
    ] as const,
    check: Effect.fnUntraced(function*(world, [key, fields]) {
      const parent = yield* world.open({ isFunded: false })
      const { json, subAccountId } = yield* withKey(world, parent)
      const wrong = { subAccountId, title: "another key", type: 1, ...fields }
      yield* refuses(world, parent, Paths.createApiKey, wrong, key)
      const answer = yield* world.call(parent, Paths.apiKeys)
      const { objects } = yield* FieldRules.records(world, answer, "data")
      yield* Verdict.expect(
        answer,
        "only the first key",
        objects.length === 1 && Json.isObject(objects[0]) && objects[0]["id"] === json["id"]
      )
    })
  }),
  always("api-key-creation.own", {
    statement: "Refuses to create a key for another account's sub-account, or of an unknown type",
    check: Effect.fnUntraced(function*(world) {
      const [parent, other] = [yield* world.open({ isFunded: false }), yield* world.open({ isFunded: false })]
      const { subAccountId } = yield* withKey(world, parent)
      const answer = yield* LiveCalls.call(world, other, Paths.createApiKey, { subAccountId, title: "theirs", type: 1 })
      yield* Refusals.any(answer, "because the sub-account belongs to another account")
      const odd = yield* LiveCalls.call(world, parent, Paths.createApiKey, { subAccountId, title: "odd", type: 3 })
      yield* Refusals.any(odd, "because no key has the type 3")
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...codeRules, ...subAccountRules, ...keyRules]
