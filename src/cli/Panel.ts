/** The terminal panel of a running sandbox: its address, how to call it, and a line per call. */
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ServerStatus from "../endpoints/ServerStatus.ts"
import * as Example from "../sandbox/Example.ts"
import type { RequestRecord } from "../sandbox/gateway/RequestRecord.ts"
import type { Entry } from "../sandbox/venue/Feed.ts"
import * as Venue from "../sandbox/venue/Venue.ts"
import { cut, fit, type Paint, printable, type Screen } from "./Screen.ts"

/** The data that the panel shows. */
export interface Content {
  /** The base URL of the exchange. */
  readonly baseUrl: string
  /** The reason why the sandbox does not use its usual port; undefined if it does. */
  readonly otherPort: string | undefined
  /** The name of the dialect. */
  readonly dialect: string
  /** The URL of the sandbox's page, with the token that grants access. */
  readonly page: string
  /** The location of the journal, and whether it is new. */
  readonly journal: string
  /** Whether the venue has the accounts and keys of the example exchange. */
  readonly hasExample: boolean
}

/** Formats the panel. Long lines are not wrapped, so that addresses and keys can be copied. */
export const render = (content: Content, { bold, cyan, dim, yellow }: Paint): string => {
  const { baseUrl, dialect, hasExample, journal, otherPort, page } = content
  const row = (name: string, ...values: ReadonlyArray<string>) =>
    values.map((value, index) => `  ${bold((index === 0 ? name : "").padEnd(9))}${value}`)
  const key = ({ account, apiKey, apiSecret }: Example.ExampleKey) =>
    `${account}: ${cyan(apiKey)}, secret ${cyan(apiSecret)}`
  return [
    "",
    `  ${bold("effect-txc sandbox")}  ${dim(`${dialect} dialect`)}`,
    "",
    ...row("API", cyan(baseUrl), ...(otherPort === undefined ? [] : [yellow(otherPort)])),
    ...row("Page", cyan(page)),
    ...(hasExample
      ? row("Keys", key(Example.alice), key(Example.bob))
      : row("Keys", "no example keys; the page lists accounts and creates keys")),
    ...row("Journal", journal),
    ...row(
      "Try",
      `curl ${baseUrl}${ServerStatus.endpoint.path}`,
      ...(hasExample
        ? [
          `export TXC_BASE_URL=${baseUrl} TXC_DIALECT=${dialect}`,
          `export TXC_API_KEY=${Example.alice.apiKey} TXC_API_SECRET=${Example.alice.apiSecret}`,
          "npx effect-txc call MainBalance.all"
        ]
        : [])
    ),
    ...row("Stop", "Ctrl-C"),
    ""
  ].join("\n")
}

/** The widths of all columns except the path, and the total width of the gaps, in characters. */
const fixed = { time: 8, account: 8, method: 4, verdict: 20, millis: 9, gaps: 10 }

const pathWidth = (columns: number): number => {
  const others = Object.values(fixed).reduce((sum, width) => sum + width, 0)
  return Math.min(50, Math.max(12, columns - others))
}

/**
 * Pads or truncates a path to a width. A long path is truncated at its beginning, because its end is more informative.
 */
const fitPath = (path: string, width: number): string =>
  path.length > width ? `…${path.slice(1 - width)}` : path.padEnd(width)

const verdictOf = ({ refused, status, verdict }: RequestRecord): string => {
  if (verdict === "answered") return `${status ?? ""} answered`
  return status === undefined ? "no response" : `${status} ${refused ?? verdict}`
}

/**
 * Explains why a call failed or was refused: invalid fields with their valid values, the probable mistake, and the
 * injected fault.
 */
const remarkOf = ({ expected = {}, fault, hint, violations = {} }: RequestRecord): string | undefined => {
  const wrong = Object.entries(violations).map(([field, constraint]) => `${field} (${constraint}): ${expected[field]}`)
  const hit = fault === undefined ? undefined : `fault ${fault.id}, ${fault.symptom}`
  return [...wrong, hint, hit].filter((text) => text !== undefined).join("; ") || undefined
}

/**
 * Formats a call as a line with time, account, request, outcome and duration. A refused call has a second line with the
 * reason.
 */
export const lineOf = (record: RequestRecord, time: string, { columns, paint }: Screen): string => {
  const style = { answered: paint.green, refused: paint.yellow, failed: paint.red }[record.verdict]
  const line = [
    paint.dim(fit(time, fixed.time)),
    fit(printable(record.account ?? "-"), fixed.account),
    fit(record.method, fixed.method),
    fitPath(printable(record.path), pathWidth(columns)),
    style(fit(verdictOf(record), fixed.verdict)),
    paint.dim(`${record.millis.toFixed(1)} ms`.padStart(fixed.millis))
  ].join("  ")
  const remark = remarkOf(record)
  return remark === undefined
    ? line
    : `${line}\n${" ".repeat(fixed.time + 2)}${paint.dim(cut(printable(`why: ${remark}`), columns - fixed.time - 2))}`
}

const lineNow = (record: RequestRecord, screen: Screen) =>
  Effect.map(
    DateTime.now,
    (now) => lineOf(record, DateTime.formatLocal(now, { timeStyle: "medium", locale: "en-GB" }), screen)
  )

/** Prints a line for each new call to the venue until the scope closes. */
export const follow = Effect.fnUntraced(function*(screen: Screen) {
  const { feed } = yield* Venue.Venue
  const print = ({ event }: Entry) =>
    event._tag === "Requested"
      ? Effect.flatMap(lineNow(event.request, screen), Console.log)
      : Effect.void
  const printing = Effect.flatMap(feed.after(), (entries) => Stream.runForEach(entries, print))
  // If the terminal is too slow, the feed of calls ends. A new subscription prints the calls that follow.
  const again = Effect.forever(Effect.catchTag(printing, "FeedGone", () => Effect.void))
  yield* Effect.forkScoped(again, { startImmediately: true })
})
