/**
 * Sub-accounts and their keys (document, Endpoints 9, 10 and 11).
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Arbitraries from "../Arbitraries.ts"
import * as Rule from "../Rule.ts"
import * as Fields from "../world/Fields.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Signing from "../world/Signing.ts"
import * as Spelling from "../world/Spelling.ts"
import type { Account, World } from "../world/World.ts"

type Body = Readonly<Record<string, unknown>>

const list = Effect.fnUntraced(function*(
  world: World,
  path: string,
  fields: Body = {}
): Effect.fn.Return<Fields.Sample, Rule.Stop> {
  const answer = yield* world.call(yield* world.parent, path, { limit: 100, ...fields })
  return yield* Fields.records(world, answer, "data")
})

const subAccounts = (world: World, fields: Body = {}) => list(world, Paths.subAccounts, fields)

const apiKeys = (world: World, fields: Body = {}) => list(world, Paths.apiKeys, fields)

const idsOf = (objects: ReadonlyArray<unknown>, key = "id"): ReadonlyArray<string> =>
  objects.map((object) => Json.isObject(object) ? String(object[key]) : "")

// -----------------------------------------------------------------------------
// Sub-accounts
// -----------------------------------------------------------------------------

const clause = "Sub-account"

const subAccountRules: ReadonlyArray<Rule.Rule> = [
  ...Fields.rules({
    id: "sub-accounts.entry",
    clause,
    profile: "read-only",
    within: "a sub-account",
    sample: subAccounts,
    rows: [
      { key: "id", kind: Kinds.someText, meaning: "its identifier" },
      { key: "alias", kind: Kinds.text, meaning: "its alias" },
      { key: "userId", kind: Kinds.someText, meaning: "the user's identifier" },
      { key: "email", kind: Kinds.maskedEmail, meaning: "masked, never the whole address" },
      { key: "status", kind: Kinds.someText, meaning: "active, or another status" },
      { key: "color", kind: Kinds.colour, meaning: "its colour" },
      { key: "kyc", kind: Kinds.object, meaning: "its verification" },
      { key: "permissions", kind: Kinds.object, meaning: "what it may do" }
    ]
  }),
  ...Fields.rules({
    id: "sub-accounts.entry.kyc",
    clause,
    profile: "read-only",
    within: "kyc of a sub-account",
    sample: (world) => Effect.map(subAccounts(world), (sample) => Fields.part(sample, "kyc")),
    rows: [
      { key: "shareKyc", kind: Kinds.boolean, meaning: "whether it shares the verification" },
      { key: "kycStatus", kind: Kinds.text, meaning: "how far the verification is" }
    ]
  }),
  ...Fields.rules({
    id: "sub-accounts.entry.permissions",
    clause,
    profile: "read-only",
    within: "permissions of a sub-account",
    sample: (world) => Effect.map(subAccounts(world), (sample) => Fields.part(sample, "permissions")),
    rows: [
      { key: "spotEnabled", kind: Kinds.boolean, meaning: "whether it may trade on the spot" },
      { key: "collateralEnabled", kind: Kinds.boolean, meaning: "whether it may trade with collateral" }
    ]
  }),
  Rule.forAll({
    id: "sub-accounts.listed",
    statement: "A sub-account is listed as it is: its alias, colour, verification and permissions",
    clause,
    values: fc.record({
      alias: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
      color: fc.constantFrom("#FF0000", "#1D9A6C", "#888"),
      shareKyc: fc.boolean(),
      spotEnabled: fc.boolean(),
      collateralEnabled: fc.boolean()
    }),
    check: (world, said) =>
      Effect.gen(function*() {
        const parent = yield* world.open({ isPoor: true })
        const id = world.unique("sub")
        const email = "a***@b***c"
        yield* world.control("OpenSubAccount", { ...said, id, parent: parent.id, email, kycStatus: "shared" })
        const answer = yield* world.call(parent, Paths.subAccounts)
        const { objects: [entry] } = yield* Fields.records(world, answer, "data")
        const expected: Body = {
          id,
          alias: said.alias,
          email,
          color: said.color,
          kyc: { shareKyc: said.shareKyc, kycStatus: "shared" },
          permissions: { spotEnabled: said.spotEnabled, collateralEnabled: said.collateralEnabled }
        }
        yield* Rule.expect(
          answer,
          JSON.stringify(expected),
          Json.isObject(entry) && Object.entries(expected).every(([key, value]) =>
            JSON.stringify(value) === JSON.stringify(entry[key]) ||
            (Json.isObject(value) && Json.isObject(entry[key]) && sameFields(value, entry[key]))
          )
        )
      })
  }),
  Rule.always({
    id: "sub-accounts.status.active",
    statement: "The status of a sub-account that is in use is active",
    clause: "Sub-account status",
    check: (world) =>
      Effect.gen(function*() {
        const { answer, objects } = yield* subAccounts(world)
        yield* Rule.expect(
          answer,
          "status active",
          objects.every((entry) => Json.isObject(entry) && entry["status"] === "active")
        )
      })
  }),
  Rule.forAll({
    id: "sub-accounts.search",
    statement: "With search only sub-accounts that match the term are listed",
    clause: "Endpoints §9",
    values: fc.constantFrom("desk 0", "desk 3", "desk"),
    examples: ["desk 0", "desk"],
    check: (world, search) =>
      Effect.gen(function*() {
        const whole = yield* subAccounts(world)
        const { answer, objects } = yield* subAccounts(world, { search })
        const expected = whole.objects.filter((entry) =>
          Json.isObject(entry) && String(entry["alias"]).includes(search)
        )
        yield* Rule.conclude(
          idsOf(expected).join(),
          idsOf(objects),
          idsOf(expected).join() === idsOf(objects).join(),
          answer
        )
      })
  }),
  Rule.always({
    id: "sub-accounts.search.nothing",
    statement: "A search that nothing matches is answered with an empty page",
    clause: "Endpoints §9",
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.parent, Paths.subAccounts, {
          search: "no such sub-account at all"
        })
        yield* Rule.expect(
          answer,
          "HTTP 200 with an empty data",
          answer.status === 200 && Json.isObject(answer.json) && JSON.stringify(answer.json["data"]) === "[]"
        )
      })
  }),
  Rule.forAll({
    id: "sub-accounts.search.type",
    statement: "search is a string; anything else is refused",
    clause: "Endpoints §9",
    profile: "read-only",
    values: Arbitraries.noTexts,
    check: (world, search) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.parent, Paths.subAccounts, { search })
        yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), "search")
      })
  }),
  Rule.always({
    id: "sub-accounts.own",
    statement: "An account sees its own sub-accounts, and no other's",
    clause: "Endpoints §9",
    check: (world) =>
      Effect.gen(function*() {
        yield* world.parent
        const answer = yield* world.call(yield* world.open({ isPoor: true }), Paths.subAccounts)
        yield* Rule.expect(
          answer,
          "an empty data",
          Json.isObject(answer.json) && JSON.stringify(answer.json["data"]) === "[]"
        )
      })
  })
]

const sameFields = (expected: Body, actual: Body): boolean =>
  Object.entries(expected).every(([key, value]) => actual[key] === value)

/** A sub-account without anything. */
export const createSubAccount = Effect.fnUntraced(function*(world: World, parent: Account) {
  const id = world.unique("sub")
  yield* world.control("OpenSubAccount", {
    id,
    parent: parent.id,
    alias: id,
    email: "",
    color: "#000000",
    shareKyc: false,
    kycStatus: "none",
    spotEnabled: true,
    collateralEnabled: true
  })
  return id
})

/** A sub-account that is called for with a key of its own. */
export const withKey = Effect.fnUntraced(function*(world: World, id: string) {
  const [apiKey, apiSecret] = [`${id}-key`, `${id}-secret`]
  yield* world.control("AddKey", { account: id, apiKey, apiSecret, title: "its own", type: "1", enabled: true })
  const account: Account = { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret), id, isOwn: true }
  return account
})

// -----------------------------------------------------------------------------
// API keys
// -----------------------------------------------------------------------------

const keyClause = "Sub-account API key"

const keyRules: ReadonlyArray<Rule.Rule> = [
  ...Fields.rules({
    id: "api-keys.entry",
    clause: keyClause,
    profile: "read-only",
    within: "a sub-account's API key",
    sample: apiKeys,
    rows: [
      { key: "subAccountId", kind: Kinds.someText, meaning: "the sub-account that it belongs to" },
      { key: "id", kind: Kinds.someText, meaning: "the record's identifier" },
      { key: "title", kind: Kinds.text, meaning: "its title" },
      { key: "isEnabled", kind: Kinds.boolean, meaning: "whether it is switched on" },
      { key: "apiKey", kind: Kinds.someText, meaning: "the public key" },
      { key: "apiSecret", kind: Kinds.exactly(""), meaning: "always empty: a secret is shown once, when it is made" },
      { key: "type", kind: Kinds.text, meaning: "the key's type" },
      { key: "lastActivity", kind: Kinds.seconds, meaning: "when it was last used" },
      { key: "restrictAccess", kind: Kinds.boolean, meaning: "whether it may call listed endpoints only" },
      { key: "accessEndpoints", kind: Kinds.array, meaning: "the endpoints that it may call" }
    ]
  }),
  ...Fields.rules({
    id: "api-keys.entry.accessEndpoints",
    clause: keyClause,
    profile: "read-only",
    within: "accessEndpoints of an API key",
    sample: (world) =>
      Effect.flatMap(apiKeys(world), ({ answer, objects }) => {
        const items = objects.flatMap((entry) =>
          Json.isObject(entry) && Array.isArray(entry["accessEndpoints"]) ? entry["accessEndpoints"] : []
        )
        return items.length === 0 ? Rule.skip("no key is restricted") : Effect.succeed({ answer, objects: items })
      }),
    rows: [
      { key: "name", kind: Kinds.someText, meaning: "an endpoint's path" },
      { key: "title", kind: Kinds.text, meaning: "an endpoint's title" }
    ]
  }),
  Rule.always({
    id: "api-keys.secret",
    statement: "No secret of a key is shown anywhere in the list",
    clause: keyClause,
    check: (world) =>
      Effect.gen(function*() {
        const { answer, objects } = yield* apiKeys(world)
        const secrets = idsOf(objects, "subAccountId").map((id) => `${id}-secret`)
        yield* Rule.expect(answer, "no secret", secrets.every((secret) => !answer.text.includes(secret)))
      })
  }),
  Rule.always({
    id: "api-keys.restricted",
    statement: "restrictAccess is true for a key that is restricted, and accessEndpoints holds what it may call",
    clause: keyClause,
    check: (world) =>
      Effect.gen(function*() {
        const { answer, objects } = yield* apiKeys(world)
        const restricted = objects.filter((entry) => Json.isObject(entry) && entry["restrictAccess"] === true)
        const [entry] = restricted
        const expected = [{ name: "/api/v4/order/stop_limit", title: "Stop-limit orders" }]
        yield* Rule.expect(
          answer,
          `one restricted key with accessEndpoints ${JSON.stringify(expected)}`,
          restricted.length === 1 && Json.isObject(entry) &&
            JSON.stringify(entry["accessEndpoints"]) === JSON.stringify(expected)
        )
      })
  }),
  Rule.always({
    id: "api-keys.enabled",
    statement: "isEnabled tells whether a key is switched on",
    clause: keyClause,
    check: (world) =>
      Effect.gen(function*() {
        const { answer, objects } = yield* apiKeys(world)
        const off = objects.filter((entry) => Json.isObject(entry) && entry["isEnabled"] === false)
        const [entry] = off
        yield* Rule.expect(
          answer,
          "one key that is not enabled, titled key 1",
          off.length === 1 && Json.isObject(entry) && entry["title"] === "key 1"
        )
      })
  }),
  Rule.always({
    id: "api-keys.last-activity",
    statement: "lastActivity is the time of a key's last use, in Unix seconds",
    clause: keyClause,
    check: (world) =>
      Effect.gen(function*() {
        const parent = yield* world.open({ isPoor: true })
        const account = yield* withKey(world, yield* createSubAccount(world, parent))
        yield* world.advance(600_000)
        const used = yield* world.call(account, Paths.mainBalance)
        yield* Rule.expect(used, "HTTP 200", used.status === 200)
        const usedAt = (yield* world.now) / 1000
        yield* world.advance(600_000)
        const answer = yield* world.call(parent, Paths.apiKeys)
        const { objects: [entry] } = yield* Fields.records(world, answer, "data")
        yield* Rule.expect(
          answer,
          `a lastActivity within a minute of ${Math.floor(usedAt)}`,
          Json.isObject(entry) && Math.abs(Number(entry["lastActivity"]) - usedAt) < 60
        )
      })
  }),
  Rule.always({
    id: "api-keys.filter",
    statement: "With subAccountId only keys of that sub-account are listed, and all of them",
    clause: "Endpoints §10",
    check: (world) =>
      Effect.gen(function*() {
        const whole = yield* apiKeys(world)
        for (const subAccountId of new Set(idsOf(whole.objects, "subAccountId"))) {
          const { answer, objects } = yield* apiKeys(world, { subAccountId })
          const expected = whole.objects.filter((entry) =>
            Json.isObject(entry) && entry["subAccountId"] === subAccountId
          )
          yield* Rule.conclude(
            `the keys ${idsOf(expected).join()} of ${subAccountId}`,
            idsOf(objects),
            idsOf(objects).join() === idsOf(expected).join(),
            answer
          )
        }
      })
  }),
  Rule.forAll({
    id: "api-keys.filter.type",
    statement: "subAccountId is a string; anything else is refused",
    clause: "Endpoints §10",
    profile: "read-only",
    values: Arbitraries.noTexts,
    check: (world, subAccountId) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.parent, Paths.apiKeys, { subAccountId })
        yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), "subAccountId")
      })
  }),
  Rule.always({
    id: "api-keys.filter.unknown",
    statement: "A subAccountId that is none of the account's is refused",
    clause: "Endpoints §10",
    level: "SHOULD",
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.parent, Paths.apiKeys, { subAccountId: "no-such-sub-account" })
        yield* Refusals.fields(answer, Spelling.fieldValidation(world.dialect), "subAccountId")
      })
  }),
  Rule.always({
    id: "api-keys.own",
    statement: "An account sees the keys of its own sub-accounts, and no other's",
    clause: "Endpoints §10",
    check: (world) =>
      Effect.gen(function*() {
        yield* world.parent
        const answer = yield* world.call(yield* world.open({ isPoor: true }), Paths.apiKeys)
        yield* Rule.expect(
          answer,
          "an empty data",
          Json.isObject(answer.json) && JSON.stringify(answer.json["data"]) === "[]"
        )
      })
  })
]

// -----------------------------------------------------------------------------
// Deleting
// -----------------------------------------------------------------------------

const deleteClause = "Endpoints §11"

const listed = Effect.fnUntraced(function*(world: World, account: Account) {
  const { json } = yield* world.call(account, Paths.subAccounts, { limit: 100 })
  return Json.isObject(json) && Array.isArray(json["data"]) ? idsOf(json["data"]) : []
})

const refuses = (answer: Parameters<typeof Refusals.named>[0], world: World) =>
  Refusals.fields(answer, Spelling.fieldValidation(world.dialect), "id")

const deleteRules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "delete.response",
    statement: "A sub-account that is deleted is answered with HTTP 200 and an empty JSON object",
    clause: deleteClause,
    live: Rule.other("or an empty body", Rule.liveAnswers),
    check: (world) =>
      Effect.gen(function*() {
        const parent = yield* world.open({ isPoor: true })
        const answer = yield* world.call(parent, Paths.deleteSubAccount, { id: yield* createSubAccount(world, parent) })
        const isEmpty = JSON.stringify(answer.json) === "{}" || (world.dialect.name === "live" && answer.text === "")
        yield* Rule.expect(answer, "HTTP 200 with {}", answer.status === 200 && isEmpty)
      })
  }),
  Rule.forAll({
    id: "delete.effect",
    statement: "A sub-account that is deleted is not listed any more; the others are",
    clause: deleteClause,
    values: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(3)),
    check: (world, [count, at]) =>
      Effect.gen(function*() {
        const parent = yield* world.open({ isPoor: true })
        const ids: Array<string> = []
        for (let index = 0; index < count; index++) ids.push(yield* createSubAccount(world, parent))
        const id = ids[at % count]
        yield* world.call(parent, Paths.deleteSubAccount, { id })
        const left = yield* listed(world, parent)
        const expected = ids.filter((other) => other !== id)
        yield* Rule.conclude(expected.join(), left, left.join() === expected.join())
      })
  }),
  Rule.always({
    id: "delete.id.required",
    statement: "id is required",
    clause: deleteClause,
    check: (world) =>
      Effect.gen(function*() {
        yield* refuses(yield* world.call(yield* world.reader, Paths.deleteSubAccount), world)
      })
  }),
  Rule.forAll({
    id: "delete.id.type",
    statement: "id is a string; anything else is refused",
    clause: deleteClause,
    values: Arbitraries.noTexts,
    check: (world, id) =>
      Effect.gen(function*() {
        yield* refuses(yield* world.call(yield* world.reader, Paths.deleteSubAccount, { id }), world)
      })
  }),
  Rule.forAll({
    id: "delete.id.unknown",
    statement: "An id that is no sub-account's is refused",
    clause: deleteClause,
    values: fc.uuid(),
    check: (world, id) =>
      Effect.gen(function*() {
        yield* refuses(yield* world.call(yield* world.reader, Paths.deleteSubAccount, { id }), world)
      })
  }),
  Rule.always({
    id: "delete.twice",
    statement: "A sub-account can be deleted once",
    clause: deleteClause,
    check: (world) =>
      Effect.gen(function*() {
        const parent = yield* world.open({ isPoor: true })
        const id = yield* createSubAccount(world, parent)
        yield* world.call(parent, Paths.deleteSubAccount, { id })
        yield* refuses(yield* world.call(parent, Paths.deleteSubAccount, { id }), world)
      })
  }),
  Rule.always({
    id: "delete.own",
    statement: "Another account's sub-account can't be deleted",
    clause: deleteClause,
    check: (world) =>
      Effect.gen(function*() {
        const [parent, other] = [yield* world.open({ isPoor: true }), yield* world.open({ isPoor: true })]
        const id = yield* createSubAccount(world, parent)
        yield* refuses(yield* world.call(other, Paths.deleteSubAccount, { id }), world)
        const left = yield* listed(world, parent)
        yield* Rule.conclude("it is still listed", left, left.includes(id))
      })
  }),
  Rule.always({
    id: "delete.funds",
    statement: "A sub-account that holds funds is not deleted",
    clause: deleteClause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const parent = yield* world.open({ isPoor: true })
        const id = yield* createSubAccount(world, parent)
        yield* world.control("Fund", { account: id, wallet: "main", ticker: "BTC", amount: "0.1" })
        yield* refuses(yield* world.call(parent, Paths.deleteSubAccount, { id }), world)
      })
  }),
  Rule.always({
    id: "delete.keys",
    statement: "The keys of a sub-account that is deleted open nothing any more",
    clause: deleteClause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const parent = yield* world.open({ isPoor: true })
        const id = yield* createSubAccount(world, parent)
        const account = yield* withKey(world, id)
        const before = yield* world.call(account, Paths.mainBalance)
        yield* Rule.expect(before, "HTTP 200", before.status === 200)
        yield* world.call(parent, Paths.deleteSubAccount, { id })
        yield* Refusals.some(yield* world.call(account, Paths.mainBalance), "because the key is gone")
      })
  })
]

/** Whether these bodies need `request` and `nonce` the document does not show; this project's answer is that they do. */
const envelopeRules: ReadonlyArray<Rule.Rule> = [
  [Paths.subAccounts, "sub-accounts"],
  [Paths.apiKeys, "api-keys"],
  [Paths.deleteSubAccount, "delete"]
].map(([path = "", id = ""]) =>
  Rule.forEach({
    id: `${id}.envelope`,
    statement: "request and nonce are required, as in all other calls",
    clause: "Endpoints §11",
    level: "SHOULD",
    profile: id === "delete" ? "control" : "read-only",
    values: ["request", "nonce"],
    check: (world, key) =>
      Effect.gen(function*() {
        const but: Signing.Tampering = { envelope: { [key]: undefined } }
        const answer = yield* world.call(yield* world.reader, path, {}, but)
        yield* Refusals.as(answer, { status: 400, codes: [9] }, `because there is no ${key}`)
      })
  })
)

export const rules: ReadonlyArray<Rule.Rule> = [...subAccountRules, ...keyRules, ...deleteRules, ...envelopeRules]
