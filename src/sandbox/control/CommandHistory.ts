/**
 * The venue's history as the sandbox's owner sees it: the journal's commands, a page at a time, and the saved states.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Action } from "../engine/Command.ts"
import type { Event } from "../engine/Event.ts"
import type { JournalError } from "../store/Journal.ts"
import type * as SavedStates from "../store/SavedStates.ts"
import type { Venue } from "../venue/Venue.ts"

/** A command in the journal, without its secrets. */
export interface CommandSummary {
  /** The command's number in the journal, starting at 1. */
  readonly sequence: number
  /** The command's time, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The owner action, such as `MovePrice`, or the operation of a call, such as `PlaceLimit`. */
  readonly action: string
  /** The account that made the call, or the account that the action concerns, if known. */
  readonly account?: string
  /** The command's markets, prices, amounts and order ids, keyed by field name. */
  readonly fields: Readonly<Record<string, string | number>>
  /** `false` if the command changed nothing: it was a call that only reads, or it was refused. Absent if unknown. */
  readonly changed?: boolean
  /** The number of events of each kind that the command caused, keyed by tag; absent if no longer known. */
  readonly events?: Readonly<Record<string, number>>
}

/** The schema of {@link CommandSummary}. */
export const CommandSummary: Schema.Codec<CommandSummary, unknown> = Schema.Struct({
  sequence: Schema.Int,
  at: Schema.Int,
  action: Schema.String,
  account: Schema.optionalKey(Schema.String),
  fields: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite])),
  changed: Schema.optionalKey(Schema.Boolean),
  events: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int))
})

/** The schema of a saved state. Restoring a saved state applies no commands. */
export const SavedState: Schema.Codec<SavedStates.SavedState, unknown> = Schema.Struct({
  sequence: Schema.Int,
  at: Schema.Int
})

/** The maximum number of commands on a page. */
const longest = 500

/** The command fields that are shown. None of them is secret. */
const shown = [
  "market",
  "side",
  "type",
  "amount",
  "price",
  "by",
  "activationPrice",
  "orderId",
  "clientOrderId",
  "wallet",
  "ticker",
  "sequence",
  "rate",
  "intervalMinutes",
  "leverage"
]

const fieldsOf = (of: object): Readonly<Record<string, string | number>> => {
  const fields: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(of)) {
    if (shown.includes(name) && (typeof value === "string" || typeof value === "number")) fields[name] = value
  }
  return fields
}

/** Matches the tags of operations that cause an event whenever they change something. */
const telling = /^(?:Place|Cancel|Modify|Transfer|CreateCode|ApplyCode)/u

/** Whether a command has changed anything; `undefined` if only its events could tell, and they are no longer known. */
const hasChanged = (action: Action, events: ReadonlyArray<Event> | undefined): boolean | undefined => {
  if (action._tag !== "Call") return true
  const { _tag } = action.operation
  if (_tag === "Nothing") return false
  return telling.test(_tag) ? events && events.length > 0 : true
}

/** A command's outcome. */
const outcomeOf = (action: Action, events: ReadonlyArray<Event> | undefined): Partial<CommandSummary> => {
  const changed = hasChanged(action, events)
  const counts: Record<string, number> = {}
  for (const { _tag } of events ?? []) counts[_tag] = (counts[_tag] ?? 0) + 1
  return { ...(changed === undefined ? {} : { changed }), ...(events === undefined ? {} : { events: counts }) }
}

const summary = (venue: Venue["Service"], at: number, action: Action, sequence: number): CommandSummary => {
  const what = action._tag === "Call" ? action.operation : action
  const account = action._tag === "Call"
    ? venue.state.keys.get(action.apiKey)?.account
    : "account" in action
    ? action.account
    : undefined
  return {
    sequence,
    at,
    action: what._tag,
    ...(account === undefined ? {} : { account }),
    fields: fieldsOf(what),
    ...outcomeOf(action, venue.feed.eventsOf(sequence))
  }
}

/** The maximum number of commands that are searched for those that changed something. */
const mostSearched = 10_000

/**
 * The commands before the one with the number `before`, or the latest ones, newest first; at most `limit`, which is 100
 * by default. With `onlyChanges`, commands that changed nothing are left out.
 */
export const commands = Effect.fnUntraced(function*(
  venue: Venue["Service"],
  before?: number,
  limit: number = 100,
  onlyChanges = false
): Effect.fn.Return<ReadonlyArray<CommandSummary>, JournalError> {
  yield* venue.journal.committed
  const most = Math.min(limit, longest)
  const first = Math.min(venue.journal.sequence(), (before ?? Infinity) - 1)
  const found: Array<CommandSummary> = []
  for (let to = first; to > Math.max(0, first - mostSearched) && found.length < most; to -= most) {
    const page: Array<CommandSummary> = []
    yield* venue.journal.read(
      Math.max(0, to - most),
      to,
      ({ action, at }, sequence) => page.push(summary(venue, at, action, sequence))
    )
    found.push(...page.filter(({ changed }) => !onlyChanges || changed !== false).toReversed())
  }
  return found.slice(0, most)
})
