/** The venue's history as the owner of a sandbox sees it: a page of the journal's commands, and the saved states. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Action } from "../engine/Command.ts"
import type { JournalError } from "../store/Journal.ts"
import type * as SavedStates from "../store/SavedStates.ts"
import type { Venue } from "../venue/Venue.ts"

/** A command of the journal, without its secrets. */
export interface CommandSummary {
  /** The command's number in the journal, from 1. */
  readonly sequence: number
  /** The time of the command, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The owner action, such as `MovePrice`, or the operation of a call, such as `PlaceLimit`. */
  readonly action: string
  /** The account that made the call or that the action concerns, if known. */
  readonly account?: string
  /** The command's markets, prices, amounts and order ids, by field name. */
  readonly fields: Readonly<Record<string, string | number>>
}

/** The schema of {@link CommandSummary}. */
export const CommandSummary: Schema.Codec<CommandSummary, unknown> = Schema.Struct({
  sequence: Schema.Int,
  at: Schema.Int,
  action: Schema.String,
  account: Schema.optionalKey(Schema.String),
  fields: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite]))
})

/** The schema of a saved state, which can be restored without applying commands. */
export const SavedState: Schema.Codec<SavedStates.SavedState, unknown> = Schema.Struct({
  sequence: Schema.Int,
  at: Schema.Int
})

/** The largest number of commands on a page. */
const longest = 500

/** The fields of commands that are shown, none of which is secret. */
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
  "sequence"
]

const fieldsOf = (of: object): Readonly<Record<string, string | number>> => {
  const fields: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(of)) {
    if (shown.includes(name) && (typeof value === "string" || typeof value === "number")) fields[name] = value
  }
  return fields
}

const summary = (venue: Venue["Service"], at: number, action: Action, sequence: number): CommandSummary => {
  const what = action._tag === "Call" ? action.operation : action
  const account = action._tag === "Call"
    ? venue.state.keys.get(action.apiKey)?.account
    : "account" in action
    ? action.account
    : undefined
  return { sequence, at, action: what._tag, ...(account === undefined ? {} : { account }), fields: fieldsOf(what) }
}

/** The commands before a given number, or the latest ones, newest first; at most `limit`, which is 100 by default. */
export const commands = Effect.fnUntraced(function*(
  venue: Venue["Service"],
  before?: number,
  limit: number = 100
): Effect.fn.Return<ReadonlyArray<CommandSummary>, JournalError> {
  yield* venue.journal.committed
  const to = Math.min(venue.journal.sequence(), (before ?? Infinity) - 1)
  const after = Math.max(0, to - Math.min(limit, longest))
  const found: Array<CommandSummary> = []
  if (to > after) {
    yield* venue.journal.read(after, to, ({ action, at }, sequence) => found.push(summary(venue, at, action, sequence)))
  }
  return found.toReversed()
})
