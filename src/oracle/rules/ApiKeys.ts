/** Rules about the API keys of sub-accounts (document, "Sub-account API key" and Endpoints §10). */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Boundaries from "../world/Boundaries.ts"
import * as Dialects from "../world/Dialects.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import type { Body } from "../world/World.ts"

const clause = "Sub-account API key"

const listing = Section.of({ clause: "Endpoints §10" })

const section = Section.of({ clause })

/** Whether a value is the list of the restricted key's endpoints. The fields of an endpoint can be in any order. */
const isEndpoints = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 1 &&
  value.every((item) =>
    Json.isObject(item) && item["name"] === SubAccounts.restriction.name &&
    item["title"] === SubAccounts.restriction.title
  )

/** Whether an object has the expected fields. Lists can be in any sequence, and objects can have other fields too. */
const hasFields = (value: Body, expected: Body): boolean =>
  Object.entries(expected).every(([key, field]) => {
    const shown = value[key]
    return Array.isArray(field)
      ? Array.isArray(shown) && shown.length === field.length &&
        field.every((one: Body) => shown.some((other) => Json.isObject(other) && hasFields(other, one)))
      : shown === field
  })

export const rules: ReadonlyArray<Rule.Rule> = [
  ...FieldRules.rules({
    id: "api-keys.entry",
    clause,
    profile: "read-only",
    within: "a sub-account's API key",
    sample: (world) => SubAccounts.apiKeys(world),
    rows: [
      { key: "subAccountId", kind: Kinds.someText, meaning: "the key's sub-account" },
      { key: "id", kind: Kinds.someText, meaning: "the record's id" },
      { key: "title", kind: Kinds.text, meaning: "its title" },
      { key: "isEnabled", kind: Kinds.boolean, meaning: "whether the key is enabled" },
      { key: "apiKey", kind: Kinds.someText, meaning: "the public key" },
      {
        key: "apiSecret",
        kind: Kinds.exactly(""),
        meaning: "always empty, because a secret is shown only when its key is created"
      },
      { key: "type", kind: Kinds.text, meaning: "the key's type" },
      { key: "lastActivity", kind: Kinds.lastSeconds, meaning: "its last use" },
      { key: "restrictAccess", kind: Kinds.boolean, meaning: "whether the key may call only the listed endpoints" },
      { key: "accessEndpoints", kind: Kinds.array, meaning: "the endpoints that the key may call" }
    ]
  }),
  ...FieldRules.rules({
    id: "api-keys.entry.accessEndpoints",
    clause,
    profile: "read-only",
    within: "an API key's accessEndpoints",
    sample: (world) =>
      Effect.flatMap(SubAccounts.apiKeys(world), ({ answer, objects }) => {
        const items = objects.flatMap((entry) =>
          Json.isObject(entry) && Array.isArray(entry["accessEndpoints"]) ? entry["accessEndpoints"] : []
        )
        return items.length === 0 ? Verdict.skip("no key is restricted") : Effect.succeed({ answer, objects: items })
      }),
    rows: [
      { key: "name", kind: Kinds.someText, meaning: "an endpoint's path" },
      { key: "title", kind: Kinds.text, meaning: "an endpoint's title" }
    ]
  }),
  section.always("api-keys.secret", {
    statement: "Never lists an API secret",
    check: Effect.fnUntraced(function*(world) {
      const { answer, objects } = yield* SubAccounts.apiKeys(world)
      const secrets = SubAccounts.secretsOf(SubAccounts.idsOf(objects, "subAccountId"))
      yield* Verdict.expect(answer, "no secret", secrets.every((secret) => !answer.text.includes(secret)))
    })
  }),
  section.always("api-keys.listed", {
    statement: "Lists each key with its sub-account, its title and its complete public key",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const { apiKey, id } = yield* SubAccounts.addKey(world, yield* SubAccounts.create(world, parent))
      const answer = yield* world.call(parent, Paths.apiKeys)
      const { objects: [entry] } = yield* FieldRules.records(world, answer, "data")
      const expected = { subAccountId: id, apiKey: Redacted.value(apiKey), title: SubAccounts.ownTitle }
      yield* Verdict.expect(
        answer,
        Json.stringify(expected),
        Json.isObject(entry) && Object.entries(expected).every(([key, value]) => entry[key] === value)
      )
    })
  }),
  section.always("api-keys.ids", {
    statement: "Lists each key with its own record id and its own public key",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, objects } = yield* SubAccounts.apiKeys(world)
      for (const key of ["id", "apiKey"]) {
        const values = SubAccounts.idsOf(objects, key)
        yield* Verdict.conclude(
          `a different ${key} for each key`,
          values,
          new Set(values).size === values.length,
          answer
        )
      }
    })
  }),
  section.always("api-keys.fields", {
    statement: "Lists several keys, each with its own sub-account, title, public key, state and restriction",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      // Reads the list first. If the target caches it, the new keys are missing below.
      yield* world.call(parent, Paths.apiKeys)
      const expected: Array<Body> = []
      for (const index of [0, 1, 2]) {
        const id = yield* SubAccounts.create(world, parent)
        const isEnabled = index !== 1
        const key = { apiKey: world.unique("Key"), title: `Key No. ${index}`, type: "1" }
        const endpoints = index === 2 ? [SubAccounts.restriction, { name: Paths.fees, title: "Fees" }] : undefined
        yield* world.control("AddKey", {
          ...key,
          account: id,
          apiSecret: world.unique("secret"),
          enabled: isEnabled,
          ...(endpoints === undefined ? {} : { endpoints })
        })
        const restriction = endpoints === undefined
          ? { restrictAccess: false }
          : { restrictAccess: true, accessEndpoints: endpoints }
        expected.push({
          subAccountId: id,
          title: key.title,
          apiKey: key.apiKey,
          isEnabled,
          apiSecret: "",
          ...restriction
        })
      }
      const answer = yield* world.call(parent, Paths.apiKeys)
      const { objects } = yield* FieldRules.records(world, answer, "data")
      yield* Verdict.expect(
        answer,
        Json.stringify(expected),
        objects.length === expected.length &&
          expected.every((key) => objects.some((entry) => Json.isObject(entry) && hasFields(entry, key)))
      )
    })
  }),
  section.always("api-keys.together", {
    statement: "Lists all keys of one sub-account, also by its id, each with its current state",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const id = yield* SubAccounts.create(world, parent)
      const other = yield* SubAccounts.create(world, parent)
      yield* SubAccounts.addKey(world, other)
      const keys = [world.unique("Key"), world.unique("Key"), world.unique("Key")]
      for (const apiKey of keys) {
        const fields = { apiKey, apiSecret: world.unique("secret"), title: apiKey, type: "1", enabled: true }
        yield* world.control("AddKey", { account: id, ...fields })
      }
      for (const off of [undefined, ...keys.slice(0, 2)]) {
        if (off !== undefined) yield* world.control("SetKey", { apiKey: off, enabled: false })
        for (const page of [{}, { limit: 2 }, { limit: 2, offset: 2 }]) {
          const answer = yield* world.call(parent, Paths.apiKeys, { subAccountId: id, ...page })
          const { objects } = yield* FieldRules.records(world, answer, "data")
          const shown = objects.filter(Json.isObject)
          const count = "offset" in page ? 1 : page.limit ?? keys.length
          const isOff = (apiKey: unknown) => off !== undefined && keys.indexOf(String(apiKey)) <= keys.indexOf(off)
          yield* Verdict.expect(
            answer,
            `${count} of the keys ${keys.join(", ")}, disabled up to ${String(off)}`,
            shown.length === count &&
              shown.every(({ apiKey, isEnabled, subAccountId, title }) =>
                keys.includes(String(apiKey)) && title === apiKey && subAccountId === id &&
                isEnabled === !isOff(apiKey)
              )
          )
        }
      }
      const whole = yield* world.call(parent, Paths.apiKeys)
      const { objects } = yield* FieldRules.records(world, whole, "data")
      yield* Verdict.expect(whole, "four keys", objects.length === keys.length + 1)
    })
  }),
  section.always("api-keys.restricted", {
    statement: "Lists a restricted key with restrictAccess true and its endpoints in accessEndpoints",
    check: Effect.fnUntraced(function*(world) {
      const { answer, objects } = yield* SubAccounts.apiKeys(world)
      const restricted = objects.filter((entry) => Json.isObject(entry) && entry["restrictAccess"] === true)
      const [entry] = restricted
      const expected = [SubAccounts.restriction]
      yield* Verdict.expect(
        answer,
        `one restricted key with accessEndpoints ${Json.stringify(expected)}`,
        restricted.length === 1 && Json.isObject(entry) &&
          isEndpoints(entry["accessEndpoints"])
      )
    })
  }),
  section.always("api-keys.enabled", {
    statement: "Shows in isEnabled whether a key is enabled",
    check: Effect.fnUntraced(function*(world) {
      const { answer, objects } = yield* SubAccounts.apiKeys(world)
      const off = objects.filter((entry) => Json.isObject(entry) && entry["isEnabled"] === false)
      const [entry] = off
      yield* Verdict.expect(
        answer,
        `one disabled key, titled ${SubAccounts.disabledTitle}`,
        off.length === 1 && Json.isObject(entry) && entry["title"] === SubAccounts.disabledTitle
      )
    })
  }),
  section.always("api-keys.last-activity", {
    statement: "Shows the key's last use in lastActivity, in Unix seconds",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const account = yield* SubAccounts.addKey(world, yield* SubAccounts.create(world, parent))
      yield* world.advance(600_000)
      const used = yield* world.call(account, Paths.mainBalance)
      yield* Verdict.expect(used, "HTTP 200", Refusals.isSuccess(used))
      const usedAt = (yield* world.now) / 1000
      yield* world.advance(600_000)
      const answer = yield* world.call(parent, Paths.apiKeys)
      const { objects: [entry] } = yield* FieldRules.records(world, answer, "data")
      yield* Verdict.expect(
        answer,
        `a lastActivity within a minute of ${Math.floor(usedAt)}`,
        Json.isObject(entry) && Math.abs(Number(entry["lastActivity"]) - usedAt) < 60
      )
    })
  }),
  section.forEach("api-keys.last-activity.own", {
    statement: "Updates on each kind of call the lastActivity of the key that made the call, and of no other key",
    values: [Paths.mainBalance, Paths.fees, Paths.cancelAll],
    check: Effect.fnUntraced(function*(world, path) {
      const parent = yield* world.open({ isFunded: false })
      const ids = [yield* SubAccounts.create(world, parent), yield* SubAccounts.create(world, parent)]
      const [early, late] = [
        yield* SubAccounts.addKey(world, ids[0] ?? ""),
        yield* SubAccounts.addKey(world, ids[1] ?? "")
      ]
      const usedAt: Array<number> = []
      for (const account of [early, late]) {
        yield* world.advance(600_000)
        const market = (yield* world.market).name
        const used = yield* world.call(account, path, path === Paths.cancelAll ? { market } : {})
        yield* Verdict.expect(used, "HTTP 2xx", Refusals.isSuccess(used))
        usedAt.push((yield* world.now) / 1000)
      }
      yield* world.advance(600_000)
      const answer = yield* world.call(parent, Paths.apiKeys)
      const { objects } = yield* FieldRules.records(world, answer, "data")
      const shown = ids.map((id) =>
        objects.filter(Json.isObject).find(({ subAccountId }) => subAccountId === id)?.["lastActivity"]
      )
      yield* Verdict.expect(
        answer,
        `a lastActivity within a minute of ${usedAt.map(Math.floor).join(" and ")}`,
        shown.every((at, index) => Math.abs(Number(at) - (usedAt[index] ?? 0)) < 60)
      )
    })
  }),
  listing.always("api-keys.filter", {
    statement: "Lists exactly the keys of the sub-account that subAccountId names",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const whole = yield* SubAccounts.apiKeys(world)
      const ids = new Set(SubAccounts.idsOf(whole.objects, "subAccountId"))
      if (world.profile !== "control" && ids.size < 2) return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
      for (const subAccountId of ids) {
        const { answer, objects } = yield* SubAccounts.apiKeys(world, { subAccountId })
        const expected = whole.objects.filter((entry) => Json.isObject(entry) && entry["subAccountId"] === subAccountId)
        yield* Verdict.conclude(
          `the keys ${SubAccounts.idsOf(expected).join()} of ${subAccountId}`,
          SubAccounts.idsOf(objects),
          objects.every((entry) => Json.isObject(entry) && entry["subAccountId"] === subAccountId) && (
            // If the keys do not all fit on one page, this list may lack some of the sub-account's keys.
            whole.objects.length === 100 ||
            SubAccounts.idsOf(objects).toSorted().join() === SubAccounts.idsOf(expected).toSorted().join()
          ),
          answer
        )
      }
    })
  }),
  listing.forAll("api-keys.filter.type", {
    statement: "Refuses a subAccountId that is not a string",
    profile: "read-only",
    values: Boundaries.noTexts,
    check: Effect.fnUntraced(function*(world, subAccountId) {
      const answer = yield* world.call(yield* world.parent, Paths.apiKeys, { subAccountId })
      yield* Refusals.call(answer, world.dialect, "subAccountId")
    })
  }),
  listing.always("api-keys.filter.unknown", {
    statement: "Refuses a subAccountId that belongs to another account",
    level: "SHOULD",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.call(yield* world.parent, Paths.apiKeys, { subAccountId: "no-such-sub-account" })
      yield* Refusals.fields(answer, Dialects.fieldValidation(world.dialect), "subAccountId")
    })
  }),
  listing.always("api-keys.own", {
    statement: "Lists only the keys of the account's own sub-accounts",
    check: Effect.fnUntraced(function*(world) {
      yield* world.parent
      const answer = yield* world.call(yield* world.open({ isFunded: false }), Paths.apiKeys)
      yield* Verdict.expect(answer, "an empty data array", SubAccounts.isEmpty(answer))
    })
  }),
  listing.always("api-keys.order", {
    statement: "Lists the newest key first, also among the keys of one sub-account and on later pages",
    document: Rule.notApplicable("the document does not state the order of the list"),
    live: Rule.documented("the newest key is listed first"),
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const owners: Array<string> = []
      for (let index = 0; index < 3; index++) {
        const owner = yield* SubAccounts.create(world, parent)
        yield* SubAccounts.addKey(world, owner)
        yield* world.advance(2000)
        owners.unshift(owner)
      }
      const answer = yield* world.call(parent, Paths.apiKeys)
      const { objects } = yield* FieldRules.records(world, answer, "data")
      const listed = SubAccounts.idsOf(objects, "subAccountId")
      yield* Verdict.conclude(`the keys of ${owners.join(", ")}`, listed, listed.join() === owners.join(), answer)
      // One more key each, of the oldest sub-account first.
      const keys: Array<string> = []
      const oldest = owners.at(-1)
      for (const account of owners.toReversed()) {
        const apiKey = world.unique("Key")
        const fields = { apiKey, apiSecret: world.unique("secret"), title: apiKey, type: "1", enabled: true }
        yield* world.control("AddKey", { account, ...fields })
        yield* world.advance(2000)
        keys.unshift(apiKey)
      }
      const all = [...keys, ...owners.map((owner) => `${owner}-key`)]
      for (
        const [query, expected] of [
          [{}, all],
          [{ limit: 2, offset: 1 }, all.slice(1, 3)],
          [{ subAccountId: oldest }, [keys.at(-1), `${oldest}-key`]],
          [{ subAccountId: oldest, limit: 1, offset: 1 }, [`${oldest}-key`]]
        ] as const
      ) {
        const answer = yield* world.call(parent, Paths.apiKeys, query)
        const { objects } = yield* FieldRules.records(world, answer, "data")
        const shown = SubAccounts.idsOf(objects, "apiKey")
        yield* Verdict.conclude(`the keys ${expected.join(", ")}`, shown, shown.join() === expected.join(), answer)
      }
    })
  }),
  SubAccounts.envelopeRule("api-keys", Paths.apiKeys, "read-only")
]
