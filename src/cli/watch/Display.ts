/** A table on the terminal that is redrawn in place: the heading, the status of the stream, and the rows that fit. */
import * as CliOutput from "effect/cli/CliOutput"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"
import type * as Item from "../../client/session/Item.ts"
import * as Answer from "../Answer.ts"
import { current, cut, type Screen } from "../Screen.ts"

/** Terminal codes that move up `lines` lines, and erase from there on. */
const erase = (lines: number): string => (lines === 0 ? "" : `\u001B[${lines}A`) + "\r\u001B[J"

/** The reason why events may be missing, as text. */
const reasons: { readonly [R in Item.Reason]: string } = {
  "connection-lost": "the connection was lost",
  "slow": "this terminal was too slow",
  "gap": "a message is missing from the sequence",
  "unreadable": "a message could not be read",
  "resubscribed": "the subscription was repeated"
}

const timeOf = (time: DateTime.DateTime): string => DateTime.formatLocal(time, { timeStyle: "medium", locale: "en-GB" })

/** The status of a stream. */
export interface Health {
  /** The status, as text. */
  readonly sentence: string
  /** Whether every event since the latest state has arrived. */
  readonly isWhole: boolean
  /** The number of interruptions so far. */
  readonly interruptions: number
}

/** The status of a stream that has emitted nothing yet. */
export const begun: Health = { sentence: "waiting for the first message", isWhole: false, interruptions: 0 }

/** Returns the status of a stream after an item. */
export const after = (
  health: Health,
  item: Item.Item<unknown, unknown>,
  now: DateTime.DateTime
): Health => {
  const { interruptions, isWhole } = health
  if (item._tag === "Interrupted") {
    const sentence = `interrupted at ${timeOf(now)}: ${reasons[item.reason]}; events may be missing`
    return { sentence, isWhole: false, interruptions: interruptions + 1 }
  }
  if (isWhole) return health
  const sentence = interruptions === 0
    ? `live since ${timeOf(now)}`
    : `live again since ${timeOf(now)}, after ${interruptions} ${
      interruptions === 1 ? "interruption" : "interruptions"
    }`
  return { sentence, isWhole: true, interruptions }
}

/** The interval between redraws of a table that has changed. */
const pause = Duration.millis(100)

/** The number of terminal lines that are not rows: the heading, the status, the column names and the cursor's line. */
const otherLines = 4

/** Returns a frame's lines (heading, status and rows), cut to the terminal's size. */
export const frame = (
  title: string,
  { interruptions, isWhole, sentence }: Health,
  rows: ReadonlyArray<Answer.Row>,
  screen: Screen,
  height: number
): ReadonlyArray<string> => {
  const { columns, paint } = screen
  const shown = rows.slice(0, Math.max(1, height - otherLines))
  const hidden = shown.length < rows.length ? `; ${rows.length - shown.length} more rows do not fit` : ""
  const isCalm = isWhole || interruptions === 0
  return [
    paint.bold(cut(title, columns)),
    (isCalm ? paint.dim : paint.yellow)(cut(sentence + hidden, columns)),
    ...(shown.length === 0 ? ["none"] : Answer.table(shown, screen))
  ]
}

/**
 * Returns the number of terminal lines that the text takes at this width. A terminal that was made narrower wraps lines
 * that were already drawn.
 */
export const heightOf = (lines: ReadonlyArray<string>, columns: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(CliOutput.displayWidth(line) / columns)), 0)

/** Redraws the frame whenever the frame or the terminal's size has changed, until interrupted. */
export const draw = Effect.fnUntraced(function*(frame: (screen: Screen, height: number) => ReadonlyArray<string>) {
  const terminal = yield* Terminal.Terminal
  let drawn: ReadonlyArray<string> = []
  const redraw = Effect.gen(function*() {
    const screen = yield* current
    const height = yield* terminal.rows
    const lines = frame(screen, height)
    if (lines.join("\n") === drawn.join("\n")) return
    // Lines that have scrolled off the screen can't be erased.
    const above = Math.min(heightOf(drawn, screen.columns), height - 1)
    yield* Effect.ignore(terminal.display(`${erase(above)}${lines.join("\n")}\n`))
    drawn = lines
  })
  // The terminal has printed `^C` at the beginning of the line.
  const end = Effect.andThen(Effect.ignore(terminal.display("\r\u001B[K")), redraw)
  return yield* Effect.ensuring(Effect.forever(Effect.andThen(redraw, Effect.sleep(pause))), end)
})
