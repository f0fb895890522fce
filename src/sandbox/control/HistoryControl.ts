/**
 * The owner's hands on the venue's history: going back in it, exporting it, and replaying it elsewhere.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Command } from "../engine/Command.ts"
import * as Journal from "../store/Journal.ts"
import * as Venue from "../Venue.ts"
import { refuse } from "./ControlRefused.ts"
import { checked } from "./Perform.ts"

/**
 * Where a venue stands.
 *
 * @category models
 * @since 0.1.0
 */
export interface Status {
  /** The name of its dialect. */
  readonly dialect: "document" | "live"
  /** How many commands its journal holds. */
  readonly sequence: number
  /** The hash of all these commands, in lower-case hex. */
  readonly digest: string
  /** The command that a reset goes back to. */
  readonly beginning: number
}

/**
 * The schema of {@link Status}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Status: Schema.Codec<Status, unknown> = Schema.Struct({
  dialect: Schema.Literals(["document", "live"]),
  sequence: Schema.Int,
  digest: Schema.String,
  beginning: Schema.Int
})

/** How many commands are read from the journal at once. */
const page = 1000

const journalOf = ({ journal }: Venue.Venue["Service"]): Stream.Stream<string, Journal.JournalError> =>
  Stream.unwrap(Effect.as(
    journal.committed,
    Stream.paginate(0, (after) =>
      Effect.map(
        journal.lines(after, page),
        (lines) => [lines, lines.length < page ? Option.none<number>() : Option.some(after + lines.length)] as const
      ))
  ))

const replay = Effect.fnUntraced(function*(venue: Venue.Venue["Service"], lines: Iterable<string>) {
  if (venue.sequence() > 0) return yield* refuse("Replay", { venue: "empty" })
  const commands: Array<Command> = []
  for (const line of lines) {
    if (line.trim() === "") continue
    const command = Journal.parse(line)
    if (Result.isFailure(command)) return yield* refuse("Replay", { [`line ${commands.length + 1}`]: "format" })
    const { action } = command.success
    if (action._tag === "Restore" && action.sequence > commands.length) {
      return yield* refuse("Replay", { [`line ${commands.length + 1}`]: "known" })
    }
    commands.push(command.success)
  }
  yield* venue.replay(commands)
})

const restore = Effect.fnUntraced(function*(venue: Venue.Venue["Service"], name: string, sequence: number) {
  if (!(yield* venue.restore(sequence))) return yield* refuse(name, { sequence: "known" })
})

const fork = Effect.fnUntraced(function*(venue: Venue.Venue["Service"], sequence: number) {
  if (sequence > venue.sequence()) return yield* refuse("Fork", { sequence: "known" })
  const lines = yield* Stream.runCollect(Stream.take(journalOf(venue), sequence))
  const forked = yield* Venue.make({ dialect: venue.dialect, seed: venue.seed })
  yield* replay(forked, lines)
  return forked
})

const statusOf = ({ dialect, journal, origin }: Venue.Venue["Service"]): Effect.Effect<Status, Journal.JournalError> =>
  Effect.map(journal.committed, () => ({
    dialect: dialect.name,
    sequence: journal.sequence(),
    digest: journal.digest(),
    beginning: origin()
  }))

/**
 * The history's part of a venue's control.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (venue: Venue.Venue["Service"]) => ({
  status: statusOf(venue),
  snapshot: venue.snapshot,
  restore: (sequence: number) => restore(venue, "Restore", sequence),
  reset: Effect.suspend(() => restore(venue, "Reset", venue.origin())),
  begin: checked(venue, { _tag: "Begin" }),
  fork: (sequence?: number) => Effect.suspend(() => fork(venue, sequence ?? venue.sequence())),
  journal: journalOf(venue),
  replay: (lines: Iterable<string>) => replay(venue, lines)
})
