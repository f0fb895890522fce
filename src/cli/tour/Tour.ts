/** The tour: makes every call of the API against a sandbox, and prints the outcomes. */
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Credentials from "../../client/Credentials.ts"
import * as Region from "../../client/Region.ts"
import * as Contract from "../../endpoints/all.ts"
import type * as Exchange from "../../Exchange.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import type { Control } from "../../sandbox/control/Control.ts"
import * as Example from "../../sandbox/Example.ts"
import * as EndpointCall from "../EndpointCall.ts"
import type { Progress } from "../Progress.ts"
import * as Screen from "../Screen.ts"
import * as Accounts from "./Accounts.ts"
import * as Balances from "./Balances.ts"
import * as Conditional from "./Conditional.ts"
import * as Margin from "./Margin.ts"
import * as Markets from "./Markets.ts"
import * as OrderChanges from "./OrderChanges.ts"
import * as Refusals from "./Refusals.ts"
import { type Row, succeeds } from "./Row.ts"
import * as StopOrders from "./StopOrders.ts"
import * as Trading from "./Trading.ts"

/** The rows of all chapters. Their order matters, because later chapters depend on earlier ones. */
const chapters = Effect.gen(function*() {
  return [
    ...yield* Markets.rows,
    ...yield* Balances.rows,
    ...yield* StopOrders.rows,
    ...yield* Accounts.interest,
    ...yield* Accounts.subAccounts,
    ...yield* StopOrders.lost,
    ...yield* Balances.moves,
    ...yield* Trading.matching,
    ...yield* Trading.ended,
    ...yield* Margin.rows,
    ...yield* Margin.accountRows,
    ...yield* Conditional.rows,
    ...yield* Conditional.conditional,
    ...yield* OrderChanges.rows,
    ...yield* OrderChanges.stops
  ]
})

/** Summarizes any response in a few words. */
const summary = (answer: unknown): string =>
  Array.isArray(answer)
    ? `${answer.length} records`
    : answer instanceof Map
    ? `${answer.size} entries`
    : "answered"

/** Returns the row for a call that no chapter covers. The row sends the endpoint's example request. */
const exampleRow = (
  { endpoint, name }: Contract.Entry,
  baseUrl: string,
  dialect: Dialect
): Row<never> => {
  // `orDie`, because the sandbox's address and key are always valid.
  const region = Layer.orDie(Region.layer({ baseUrl, dialect }))
  const alice = Credentials.layer({
    apiKey: Redacted.make(Example.alice.apiKey),
    apiSecret: Redacted.make(Example.alice.apiSecret)
  }).pipe(Layer.orDie)
  const request = endpoint.example(dialect)
  const call = endpoint.access === "public"
    ? EndpointCall.callPublic(endpoint, request)
    : EndpointCall.callPrivate(endpoint, request).pipe(
      Effect.catchTag("SigningFailed", Effect.die),
      Effect.provide(alice)
    )
  return succeeds(
    `${name}.${endpoint.name.slice(name.length + 1)}`,
    Object.keys(request).length === 0 ? "" : JSON.stringify(request),
    call.pipe(Effect.provide(region)),
    summary
  )
}

/** The fixed column widths, in characters. */
const endpointWidth = 31
const millisWidth = 8

/** Returns the width of the request column, which shrinks on a narrow terminal so that the outcome stays visible. */
const requestWidth = (columns: number): number =>
  Math.min(49, Math.max(10, Math.floor((columns - endpointWidth - millisWidth) / 2)))

type Cells = readonly [mark: string, endpoint: string, request: string, millis: string, outcome: string]

const line = ([mark, endpoint, request, millis, outcome]: Cells, columns: number): string =>
  Screen.cut(
    `${mark} ${Screen.fit(endpoint, endpointWidth)} ${Screen.fit(request, requestWidth(columns))} ` +
      `${millis.padStart(millisWidth)}  ${outcome}`,
    columns
  )

const runRow = Effect.fnUntraced(function*<R>({ endpoint, request, run }: Row<R>, { columns, paint }: Screen.Screen) {
  const start = yield* Clock.currentTimeNanos
  const result = yield* Effect.result(run)
  const millis = Duration.toMillis(Duration.nanos((yield* Clock.currentTimeNanos) - start))
  const held = result._tag === "Success"
  const outcome = held ? result.success : `NOT AS DOCUMENTED: ${result.failure}`
  const text = line([held ? "✓" : "✗", endpoint, request, `${millis.toFixed(1)} ms`, outcome], columns)
  yield* Console.log(
    (held ? paint.green : paint.red)(text.slice(0, 1)) + (held ? text.slice(1) : paint.red(text.slice(1)))
  )
  return held
})

/** The tour's sandbox and output. */
export interface Options {
  /** The base URL of the sandbox. */
  readonly baseUrl: string
  /** The sandbox's dialect. */
  readonly dialect: Dialect
  /** The screen on which the table is printed. */
  readonly screen: Screen.Screen
  /** Shows progress when the table does not go to a terminal. */
  readonly progress: Progress
}

/** Makes every call of the contract and prints a table. Returns the number of calls that deviate from the document. */
export const run = Effect.fnUntraced(function*(
  { baseUrl, dialect, progress, screen }: Options
): Effect.fn.Return<number, never, Exchange.Services | Control> {
  yield* Console.log(screen.paint.bold(line([" ", "endpoint", "request", "time", "outcome"], screen.columns)))
  const made = yield* chapters
  const isCalled = ({ name }: Contract.Entry) => made.some(({ endpoint }) => endpoint.startsWith(`${name}.`))
  const others = Contract.entries.filter((entry) => !isCalled(entry))
  const all: ReadonlyArray<Row<Control>> = [
    ...made,
    ...others.map((entry) => exampleRow(entry, baseUrl, dialect)),
    ...Refusals.rows(baseUrl, dialect)
  ]
  let broken = 0
  for (const [index, row] of all.entries()) {
    yield* progress.show(`${index + 1}/${all.length} ${row.endpoint}`)
    if (!(yield* runRow(row, screen))) broken++
  }
  yield* progress.clear
  yield* Console.log(
    broken === 0
      ? `\n${all.length} calls, all as documented.`
      : `\n${all.length} calls, ${broken} not as documented.`
  )
  return broken
})
