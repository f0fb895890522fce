/** Creates and lists sub-accounts and their keys. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Verdict from "../Verdict.ts"
import * as FieldRules from "./FieldRules.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import type { Account, Body, World } from "./World.ts"

type Control = Pick<World, "control" | "unique">

/** The number of sub-accounts of a parent. All but the last have a key. */
const count = 5

/** The only endpoint that the key of a parent's first sub-account may call. */
export const restriction = { name: Paths.stopLimit, title: "Stop-limit orders" }

/** The index of the sub-account with the disabled key. */
const disabled = 1

/** The title of the disabled key. */
export const disabledTitle = `key ${disabled}`

const secretOf = (id: string): string => `${id}-secret`

/** Adds sub-accounts to an account. All but the last get a key. */
export const populate = Effect.fnUntraced(function*({ control, unique }: Control, { id: parent }: Account) {
  for (let index = 0; index < count; index++) {
    const id = unique("sub")
    yield* control("OpenSubAccount", {
      id,
      parent,
      alias: `desk ${index} of ${parent}`,
      email: "d***@e***e.com",
      color: "#1D9A6C",
      shareKyc: index % 2 === 0,
      kycStatus: "shared",
      spotEnabled: true,
      collateralEnabled: index % 2 === 1
    })
    if (index + 1 === count) return
    yield* control("AddKey", {
      account: id,
      apiKey: `${id}-key`,
      apiSecret: secretOf(id),
      title: `key ${index}`,
      type: "1",
      enabled: index !== disabled,
      ...(index === 0 ? { endpoints: [restriction] } : {})
    })
  }
})

/** Creates a sub-account without keys or funds, by default with all permissions. Succeeds with its id. */
export const create = Effect.fnUntraced(function*(
  world: Control,
  parent: Account,
  permissions: Readonly<Record<"spotEnabled" | "collateralEnabled", boolean>> = {
    spotEnabled: true,
    collateralEnabled: true
  }
) {
  const id = world.unique("sub")
  yield* world.control("OpenSubAccount", {
    id,
    parent: parent.id,
    alias: id,
    email: "",
    color: "#000000",
    shareKyc: false,
    kycStatus: "none",
    ...permissions
  })
  return id
})

/** The title of a key that a rule adds to a sub-account. */
export const ownTitle = "its own"

/** Adds a key to a sub-account. Succeeds with the account that signs with this key. */
export const addKey = Effect.fnUntraced(function*(world: Control, id: string) {
  const [apiKey, apiSecret] = [`${id}-key`, secretOf(id)]
  yield* world.control("AddKey", { account: id, apiKey, apiSecret, title: ownTitle, type: "1", enabled: true })
  const account: Account = {
    apiKey: Redacted.make(apiKey),
    apiSecret: Redacted.make(apiSecret),
    id,
    isExclusive: true
  }
  return account
})

/** Returns the secrets of these sub-accounts' keys. */
export const secretsOf = (ids: ReadonlyArray<string>): ReadonlyArray<string> => ids.map(secretOf)

const list = Effect.fnUntraced(function*(
  world: World,
  path: string,
  fields: Body
): Effect.fn.Return<FieldRules.Sample, Verdict.CheckError> {
  const answer = yield* world.call(yield* world.parent, path, { limit: 100, ...fields })
  return yield* FieldRules.records(world, answer, "data")
})

/** Returns the parent's sub-accounts, of which there must be at least one. */
export const all = (world: World, fields: Body = {}) => list(world, Paths.subAccounts, fields)

/** Returns the keys of the parent's sub-accounts, of which there must be at least one. */
export const apiKeys = (world: World, fields: Body = {}) => list(world, Paths.apiKeys, fields)

/** Returns the value of one key, `id` by default, in each object. */
export const idsOf = (objects: ReadonlyArray<unknown>, key = "id"): ReadonlyArray<string> =>
  objects.map((object) => Json.isObject(object) ? String(object[key]) : "")

/** Whether the list in the response is empty. */
export const isEmpty = ({ json }: { readonly json: unknown }): boolean =>
  Json.isObject(json) && Json.stringify(json["data"]) === "[]"

/**
 * Creates the rule that a call for sub-accounts requires `request` and `nonce`. The document shows the call's body
 * without these fields. This project's stance is that both are required.
 */
export const envelopeRule = (id: string, path: string, profile: "read-only" | "control"): Rule.Rule =>
  Rule.forEach({
    id: `${id}.envelope`,
    statement: "Refuses a call without the request field or the nonce field",
    clause: "Endpoints §11",
    level: "SHOULD",
    profile,
    values: ["request", "nonce"],
    check: Effect.fnUntraced(function*(world, key) {
      const answer = yield* world.call(yield* world.reader, path, {}, { envelope: { [key]: undefined } })
      yield* Refusals.exactly(answer, { status: 400, codes: [9] }, `because ${key} is missing`)
    })
  })
