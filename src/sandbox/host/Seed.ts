/** What a venue of a host begins with: commands that are the same for all, but for what must be a venue's own. */
import * as Effect from "effect/Effect"
import { ApiKey } from "../../domain/Identifiers.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Control from "../control/Control.ts"
import type { Action, Command } from "../engine/Command.ts"
import * as Example from "../Example.ts"
import type { JournalError } from "../store/Journal.ts"
import * as Venue from "../venue/Venue.ts"
import type { Registered, VenueKey } from "./Registry.ts"

/** What makes the parts of a venue that no other venue may have. */
export interface Own {
  /** What its identifiers begin with. */
  readonly identity: string
  /** A new secret at every call. */
  readonly secret: () => string
}

/** The commands of the example, with `name` as the key and the secret of each account's key. */
export const example = (
  dialect: Dialect
): Effect.Effect<ReadonlyArray<Action>, JournalError | Control.ControlRefused> =>
  Effect.scoped(Effect.gen(function*() {
    const venue = yield* Venue.make({ dialect })
    const control = Control.make(venue)
    yield* control.setClock({ at: 0 })
    yield* Effect.provideService(
      Example.setUpWith((name) => ({ apiKey: ApiKey.make(name), apiSecret: name })),
      Control.Control,
      control
    )
    const actions: Array<Action> = []
    yield* venue.journal.committed
    yield* venue.journal.read(1, venue.sequence(), ({ action }) => void actions.push(action))
    return actions
  }))

/** The key of an account of the example. */
const keyOf = (name: string, { identity, secret }: Own): Omit<VenueKey, "account"> => ({
  apiKey: `${name}-${identity}`,
  apiSecret: secret()
})

/** The names of the keys of the example, and their accounts. */
const exampleKeys = [
  ["alice", Example.alice.account],
  ["bob", Example.bob.account],
  ["market-making", Example.fundedSubAccount],
  ["training", Example.trainingSubAccount]
] as const

/** The keys of the example in a venue of this identity, by account; those of sub-accounts by their names. */
export const keys = (own: Own): Readonly<Record<string, VenueKey>> =>
  Object.fromEntries(exampleKeys.map(([name, account]) => [name, { account, ...keyOf(name, own) }]))

const withKeys = (keys: Registered["keys"]) => (action: Action): Action => {
  const key = action._tag === "AddKey" ? keys[action.apiKey] : undefined
  return action._tag === "AddKey" && key !== undefined
    ? Object.assign({}, action, { apiKey: ApiKey.make(key.apiKey), apiSecret: key.apiSecret })
    : action
}

/** The commands that a new venue begins with, given those of the example. */
export const commands = (
  { clock, example, identity, keys, madeAt }: Registered,
  actions: ReadonlyArray<Action>
): ReadonlyArray<Command> => {
  const at = clock ?? madeAt * 1000
  const frozen: ReadonlyArray<Action> = clock === undefined
    ? []
    : [{ _tag: "SetClock", clock: { _tag: "Frozen", at: clock } }]
  const all: ReadonlyArray<Action> = [
    ...frozen,
    { _tag: "SetIdentity", identity },
    ...(example ? actions.map(withKeys(keys)) : []),
    { _tag: "Begin" }
  ]
  return all.map((action) => ({ at, action }))
}

/** What the commands of a venue become in a copy of it. */
export interface Copied {
  /** The commands, with keys of the copy's own. */
  readonly commands: ReadonlyArray<Command>
  /** The keys of the copy, by account; where an account has several, the first. */
  readonly keys: Readonly<Record<string, VenueKey>>
}

/** A value in which every text is changed, given the name of its field. */
const mapTexts = (value: unknown, name: string, change: (text: string, name: string) => string): unknown => {
  if (typeof value === "string") return change(value, name)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, name, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, mapTexts(item, field, change)]))
}

/**
 * The commands of a venue as a copy of it carries them out. The copy has an identity of its own, and its own key and secret
 * for every key that somebody added, so that no key of one is valid in the other.
 */
export const copied = (from: Registered, commands: ReadonlyArray<Command>, own: Own): Copied => {
  const renamed = new Map<string, string>()
  const keys: Record<string, VenueKey> = {}
  const names = new Map(Object.entries(from.keys).map(([name, { apiKey }]) => [apiKey, name]))
  const change = (text: string, name = ""): string =>
    (name === "apiKey" ? renamed.get(text) : undefined) ?? text.replaceAll(from.identity, own.identity)
  const rewrite = (action: Action): Action => {
    if (action._tag !== "AddKey") {
      // A text is changed to a text of the same kind, hence the type.
      return mapTexts(action, "", change) as Action
    }
    const named = change(action.apiKey)
    const apiKey = named === action.apiKey ? `${named}-${own.identity}` : named
    renamed.set(action.apiKey, apiKey)
    const key = { account: change(action.account), apiKey, apiSecret: own.secret() }
    const name = names.get(action.apiKey) ?? action.account
    if (!Object.hasOwn(keys, name)) keys[name] = key
    return Object.assign({}, action, key, { apiKey: ApiKey.make(apiKey) })
  }
  return { commands: commands.map(({ action, at }) => ({ at, action: rewrite(action) })), keys }
}
