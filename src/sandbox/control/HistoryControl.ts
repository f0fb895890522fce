/** The owner's control of the venue's history: restore, export, replay and fork. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Command } from "../engine/Command.ts"
import * as History from "../engine/History.ts"
import * as Journal from "../store/Journal.ts"
import * as SavedStates from "../store/SavedStates.ts"
import { refuse } from "../venue/ControlRefused.ts"
import { checked } from "../venue/Perform.ts"
import * as Venue from "../venue/Venue.ts"
import * as PastView from "./PastView.ts"

/** A venue's dialect, and the venue's position in its history. */
export interface Status {
  /** The name of the venue's dialect. */
  readonly dialect: "document" | "live"
  /** The number of commands in the venue's journal. */
  readonly sequence: number
  /** The hash of all commands in the journal, in lower-case hex. */
  readonly digest: string
  /** The number of the command that a reset returns to. */
  readonly beginning: number
  /** The fork's number; absent if the venue is not a fork. */
  readonly fork?: number
}

/** The schema of {@link Status}. */
export const Status: Schema.Codec<Status, unknown> = Schema.Struct({
  dialect: Schema.Literals(["document", "live"]),
  sequence: Schema.Int,
  digest: Schema.String,
  beginning: Schema.Int,
  fork: Schema.optionalKey(Schema.Int)
})

/**
 * The number of the first command that a replay would drop, because its nonce was already used; `undefined` if there is
 * none.
 */
const firstDropped = (venue: Venue.Venue["Service"], commands: ReadonlyArray<Command>): number | undefined => {
  const { policy } = venue.dialect
  const history = History.make(policy)
  const states = SavedStates.make(policy)
  const recalled = new Set(commands.map(({ action }) => action._tag === "Restore" ? action.sequence : 0))
  for (const command of commands) {
    if (!History.apply(history, command, states.recall).recorded) return history.sequence + 1
    if (recalled.has(history.sequence)) states.save(history.sequence, history.state)
  }
  return undefined
}

const replay = Effect.fnUntraced(function*(venue: Venue.Venue["Service"], lines: Iterable<string>) {
  if (venue.sequence() > 0)
    return yield* refuse(
      "Replay",
      { venue: "empty" },
      "the venue has commands. Replay a journal in a new venue"
    )
  const commands: Array<Command> = []
  for (const line of lines) {
    if (line.trim() === "") continue
    const command = Journal.parse(line)
    const field = `line ${commands.length + 1}`
    if (Result.isFailure(command))
      return yield* refuse("Replay", { [field]: "format" }, `${field} is not a valid command`)
    const { action } = command.success
    if (action._tag === "Restore" && action.sequence > commands.length) {
      const why = `${field} restores command ${action.sequence}, which is not among the lines before it`
      return yield* refuse("Replay", { [field]: "known" }, why)
    }
    commands.push(command.success)
  }
  const dropped = firstDropped(venue, commands)
  if (dropped !== undefined) {
    const field = `line ${dropped}`
    return yield* refuse("Replay", { [field]: "unused nonce" }, `${field} has a nonce that an earlier command used`)
  }
  yield* venue.replay(commands)
})

const beyondLast = (venue: Venue.Venue["Service"]) => `the last command is ${venue.sequence()}`

/** The reason why a venue with the maximum number of forks refuses another fork. */
export const tooManyForks = "the venue already has the maximum number of forks. End one first"

const restore = Effect.fnUntraced(function*(venue: Venue.Venue["Service"], name: string, sequence: number) {
  if (!(yield* venue.restore(sequence))) return yield* refuse(name, { sequence: "known" }, beyondLast(venue))
})

/** Creates a fork of a venue. `use` runs with the fork, in a scope that is closed when the fork ends. */
export const fork = Effect.fnUntraced(function*<A, E>(
  venue: Venue.Venue["Service"],
  sequence: number,
  use: (forked: Venue.Venue["Service"]) => Effect.Effect<A, E, Scope.Scope>
) {
  if (sequence > venue.sequence()) return yield* refuse("Fork", { sequence: "known" }, beyondLast(venue))
  const made = yield* venue.forks.open(
    sequence,
    Effect.fnUntraced(function*(forks) {
      const commands: Array<Command> = []
      yield* venue.journal.committed
      yield* venue.journal.verify
      yield* venue.journal.read(0, sequence, (command) => commands.push(command))
      const forked = yield* Venue.makeFork(venue, forks)
      yield* forked.replay(commands)
      return { used: yield* use(forked) }
    })
  )
  return made === undefined ? yield* refuse("Fork", { venue: "max" }, tooManyForks) : made.used
})

const statusOf = (
  { dialect, forks, journal, origin }: Venue.Venue["Service"]
): Effect.Effect<Status, Journal.JournalError> =>
  Effect.map(journal.committed, () => ({
    dialect: dialect.name,
    sequence: journal.sequence(),
    digest: journal.digest(),
    beginning: origin(),
    ...(forks.id === 0 ? {} : { fork: forks.id })
  }))

const past = Effect.fnUntraced(function*(venue: Venue.Venue["Service"], options: PastView.PastOptions) {
  const state = yield* venue.stateAfter(options.sequence)
  return state === undefined
    ? yield* refuse("Past", { sequence: "known" }, beyondLast(venue))
    : PastView.past(state, options)
})

/** The methods of `Control` for the venue's history. */
export const make = (venue: Venue.Venue["Service"]) => ({
  status: statusOf(venue),
  snapshot: venue.snapshot,
  past: (options: PastView.PastOptions) => past(venue, options),
  restore: (sequence: number) => restore(venue, "Restore", sequence),
  reset: Effect.suspend(() => restore(venue, "Reset", venue.origin())).pipe(
    // A reset also takes the venue's clock back. If the counters were not cleared, earlier calls would count towards
    // the rate limits until the clock reached their times again.
    Effect.tap(Effect.sync(() => venue.limits.forget()))
  ),
  begin: checked(venue, { _tag: "Begin" }),
  fork: (sequence?: number) => Effect.suspend(() => fork(venue, sequence ?? venue.sequence(), Effect.succeed)),
  forks: Effect.sync(() => venue.forks.list()),
  endFork: (id: number) =>
    Effect.flatMap(
      venue.forks.end(id),
      (ended) => ended ? Effect.void : refuse("EndFork", { id: "known" }, `there is no fork ${id}; see Forks`)
    ),
  journal: Stream.unwrap(Effect.andThen(venue.journal.committed, venue.journal.lines)),
  replay: (lines: Iterable<string>) => replay(venue, lines)
})
