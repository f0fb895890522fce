/** The initial commands of a venue, which are the same for all venues except for the parts that must be unique. */
import * as Effect from "effect/Effect"
import { ApiKey } from "../../domain/Identifiers.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Control from "../control/Control.ts"
import type { Action, Command } from "../engine/Command.ts"
import * as Example from "../Example.ts"
import type { JournalError } from "../store/Journal.ts"
import * as Venue from "../venue/Venue.ts"
import type { Registered, VenueKey } from "./Registry.ts"

/** A venue's unique parts: its identity, and generators of its secrets and UUIDs. */
export interface Own {
  /** The prefix of the ids that the venue assigns. */
  readonly identity: string
  /** Draws a new secret each time it is called. */
  readonly secret: () => string
  /** Draws a new UUID each time it is called. */
  readonly uuid: () => string
}

/** The example's commands. In these, the name of each API key is also used as its public part and as its secret. */
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

/** The key of an example account. */
const keyOf = (name: string, { identity, secret }: Own): Omit<VenueKey, "account"> => ({
  apiKey: `${name}-${identity}`,
  apiSecret: secret()
})

/** The names of the example's keys, with each key's account. */
const exampleKeys = [
  ["alice", Example.alice.account],
  ["bob", Example.bob.account],
  ["market-making", Example.fundedSubAccount],
  ["training", Example.trainingSubAccount]
] as const

/** The example's keys in a venue with this identity, keyed by account name, or by key title for sub-accounts' keys. */
export const keys = (own: Own): Readonly<Record<string, VenueKey>> =>
  Object.fromEntries(exampleKeys.map(([name, account]) => [name, { account, ...keyOf(name, own) }]))

const withKeys = (keys: Registered["keys"]) => (action: Action): Action => {
  const key = action._tag === "AddKey" ? keys[action.apiKey] : undefined
  return action._tag === "AddKey" && key !== undefined
    ? Object.assign({}, action, { apiKey: ApiKey.make(key.apiKey), apiSecret: key.apiSecret })
    : action
}

/** The initial commands of a new venue, given the example's commands. */
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

/** The commands and keys of a venue's copy. */
export interface Copied {
  /** The commands, with the copy's own keys. */
  readonly commands: ReadonlyArray<Command>
  /**
   * The copy's keys. A key that replaces one of the original's initial keys keeps that key's name; all others are keyed
   * by account. If several keys have the same name, only the first one is listed.
   */
  readonly keys: Readonly<Record<string, VenueKey>>
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu

/** Maps every string in a value, given the name of the field that contains it. */
const mapTexts = (value: unknown, name: string, change: (text: string, name: string) => string): unknown => {
  if (typeof value === "string") return change(value, name)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, name, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, mapTexts(item, field, change)]))
}

/**
 * Rewrites the commands of a venue for a copy of it. The copy has its own identity and its own codes, and each key is
 * replaced by a new key and secret. So no key or code of one venue is valid in the other.
 */
export const copied = (from: Registered, commands: ReadonlyArray<Command>, own: Own): Copied => {
  const renamed = new Map<string, string>()
  const keys: Record<string, VenueKey> = {}
  const names = new Map(Object.entries(from.keys).map(([name, { apiKey }]) => [apiKey, name]))
  const drawn = new Map<string, string>()
  const change = (text: string, name = ""): string =>
    (name === "apiKey" ? renamed.get(text) : undefined) ??
      text.replaceAll(from.identity, own.identity).replace(uuids, (found) => drawn.get(found) ?? found)
  const rewrite = (action: Action): Action => {
    const operation = action._tag === "Call" ? action.operation : undefined
    if (operation !== undefined && "drawn" in operation && operation.drawn !== undefined) {
      drawn.set(operation.drawn, own.uuid())
    }
    if (action._tag !== "AddKey") {
      // Each string is mapped to a string of the same kind, so the value's type stays the same.
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
