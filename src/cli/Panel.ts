/**
 * What a person sees of a running sandbox: where it is, how to call it, and every call as it is made.
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ServerStatus from "../endpoints/ServerStatus.ts"
import * as Example from "../sandbox/Example.ts"
import type { Request } from "../sandbox/gateway/Message.ts"
import * as Requests from "../sandbox/gateway/Requests.ts"
import * as Venue from "../sandbox/Venue.ts"
import { cut, fit, type Paint, printable, type Screen } from "./Screen.ts"

// -----------------------------------------------------------------------------
// The panel
// -----------------------------------------------------------------------------

/**
 * What the panel says.
 *
 * @category models
 * @since 0.1.0
 */
export interface Content {
  /** The base URL. */
  readonly baseUrl: string
  /** Why it is not on the port that it usually has; nothing when it is. */
  readonly otherPort: string | undefined
  /** The name of the dialect. */
  readonly dialect: string
  /** Where the page is, with the token that opens it. */
  readonly page: string
  /** Where the journal is, and whether it is new. */
  readonly journal: string
  /** Whether the keys of the example are known there. */
  readonly hasExample: boolean
}

/**
 * The panel. Its lines are not broken: somebody copies addresses and keys from it.
 *
 * @category rendering
 * @since 0.1.0
 */
export const render = (content: Content, { bold, cyan, dim, yellow }: Paint): string => {
  const { baseUrl, dialect, hasExample, journal, otherPort, page } = content
  const row = (name: string, ...values: ReadonlyArray<string>) =>
    values.map((value, index) => `  ${bold((index === 0 ? name : "").padEnd(9))}${value}`)
  const key = ({ account, apiKey, apiSecret }: Example.ExampleKey) =>
    `${account}: ${cyan(apiKey)}, secret ${cyan(apiSecret)}`
  return [
    "",
    `  ${bold("effect-txc sandbox")}  ${dim(`speaks the ${dialect} dialect`)}`,
    "",
    ...row("API", cyan(baseUrl), ...(otherPort === undefined ? [] : [yellow(otherPort)])),
    ...row("Page", cyan(page)),
    ...(hasExample
      ? row("Keys", key(Example.alice), key(Example.bob))
      : row("Keys", "none of the example's; the page shows the accounts and adds keys")),
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

// -----------------------------------------------------------------------------
// One line per call
// -----------------------------------------------------------------------------

/** The widths of the columns beside the path's, with the spaces between them. */
const fixed = { time: 8, account: 8, method: 4, verdict: 20, millis: 9, gaps: 10 }

const pathWidth = (columns: number): number => {
  const others = Object.values(fixed).reduce((sum, width) => sum + width, 0)
  return Math.min(50, Math.max(12, columns - others))
}

/** The end of a path tells more than its beginning. */
const fitPath = (path: string, width: number): string =>
  path.length > width ? `…${path.slice(1 - width)}` : path.padEnd(width)

const verdictOf = ({ refused, status, verdict }: Requests.RequestRecord): string => {
  if (verdict === "answered") return `${status ?? ""} answered`
  return status === undefined ? "no answer" : `${status} ${refused ?? verdict}`
}

/** The fields that were wrong, and what the caller probably did. */
const remarkOf = ({ hint, violations = {} }: Requests.RequestRecord): string | undefined => {
  const wrong = Object.entries(violations).map(([field, constraint]) => `${field} (${constraint})`).join(", ")
  return [wrong, hint ?? ""].filter((text) => text !== "").join("; ") || undefined
}

/**
 * The line of a call: when, who, what, what came of it, and how long it took. A call that was refused has a second line that
 * says why.
 *
 * @category rendering
 * @since 0.1.0
 */
export const lineOf = (
  record: Requests.RequestRecord,
  time: string,
  millis: number,
  { columns, paint }: Screen
): string => {
  const style = { answered: paint.green, refused: paint.yellow, failed: paint.red }[record.verdict]
  const line = [
    paint.dim(fit(time, fixed.time)),
    fit(printable(record.account ?? "-"), fixed.account),
    fit(record.method, fixed.method),
    fitPath(printable(record.path), pathWidth(columns)),
    style(fit(verdictOf(record), fixed.verdict)),
    paint.dim(`${millis.toFixed(1)} ms`.padStart(fixed.millis))
  ].join("  ")
  const remark = remarkOf(record)
  return remark === undefined
    ? line
    : `${line}\n${" ".repeat(fixed.time + 2)}${paint.dim(cut(printable(`why: ${remark}`), columns - fixed.time - 2))}`
}

/** How many notes wait for their calls. */
const maxWaiting = 1000

/** Finds the note that the venue took of a call, once the call is handled. Each note is given once. */
const notesOf = (venue: Venue.Venue["Service"]) => {
  let last = 0
  let notes: ReadonlyArray<Requests.RequestRecord> = []
  return ({ method, path: called }: Request): Requests.RequestRecord | undefined => {
    const path = Requests.scrub(called, [...venue.state.keys.values()].map(({ apiSecret }) => apiSecret))
    notes = [...notes, ...venue.requests.after(last)].slice(-maxWaiting)
    last = notes.at(-1)?.number ?? last
    // A call is handled right after it was noted, so its note is the latest of that path, as notes write paths.
    const found = notes.findLast((note) => note.method === method && note.path === path)
    notes = notes.filter((note) => note !== found)
    return found
  }
}

const lineAt = (record: Requests.RequestRecord, clock: Clock.Clock, nanos: bigint, screen: Screen): string => {
  const now = DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())
  const time = DateTime.formatLocal(now, { timeStyle: "medium", locale: "en-GB" })
  return lineOf(record, time, Duration.toMillis(Duration.nanos(nanos)), screen)
}

/**
 * A venue that prints a line for each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerVenue = (options: Venue.Options, screen: Screen) =>
  Layer.effect(
    Venue.Venue,
    Effect.gen(function*() {
      const console = yield* Console.Console
      const venue = yield* Venue.make(options)
      const noteOf = notesOf(venue)
      const receive: typeof venue.receive = (request, clock, resume) => {
        const start = clock.monotonicTimeNanosUnsafe()
        const report = () => {
          const record = noteOf(request)
          if (record !== undefined) console.log(lineAt(record, clock, clock.monotonicTimeNanosUnsafe() - start, screen))
        }
        venue.receive(request, clock, (answer) => {
          if (Effect.isEffect(answer)) return resume(Effect.tap(answer, () => Effect.sync(report)))
          report()
          resume(answer)
        })
      }
      // The venue's state is a getter, which a copy would read once.
      return Object.assign(Object.create(venue) as typeof venue, { receive, handle: Venue.handling(receive) })
    })
  )
