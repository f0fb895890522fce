/** `effect-txc control`: carries out one operation of a running sandbox's control plane. */
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Answer from "./Answer.ts"
import * as ControlOperations from "./ControlOperations.ts"
import * as ControlTarget from "./ControlTarget.ts"
import * as Flags from "./Flags.ts"
import * as Running from "./Running.ts"
import * as Screen from "./Screen.ts"

const parent = Command.make("control").pipe(
  Command.withSharedFlags({
    ...ControlTarget.flags,
    json: Flags.toggle("json", "Even on a terminal, print the response as JSON")
  })
)

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

const isStream = (value: unknown): value is Stream.Stream<unknown, { readonly message: string }> =>
  Stream.isStream(value)

/**
 * Prints the elements of a stream as they arrive: values as one line of JSON each, bytes as the lines of text that they
 * contain.
 */
const follow = (stream: Stream.Stream<unknown, { readonly message: string }>) => {
  const lines = stream.pipe(
    Stream.map((value) => isBytes(value) ? value : new TextEncoder().encode(`${Answer.toJson(value)}\n`)),
    Stream.decodeText,
    Stream.splitLines
  )
  return Stream.runForEach(lines, (line) => Console.log(line))
}

/** Prints a response. `empty` is printed on a terminal if the response has no content. */
const print = Effect.fnUntraced(function*(answer: unknown, isJson: boolean, empty = "none") {
  const screen = yield* Screen.current
  if (isJson || !screen.isTerminal) return yield* Console.log(Answer.toJson(answer, 2))
  const shown = Answer.show(answer, screen)
  yield* Console.log(shown.length === 0 ? empty : shown.join("\n"))
})

const toCommand = (operation: ControlOperations.Operation) => {
  const command = Command.make(
    operation.command,
    ControlOperations.paramsOf(operation),
    Effect.fnUntraced(function*(typed) {
      const { json, ...given } = yield* parent
      const request = operation.takesFile
        ? { payload: typed["file"] }
        : yield* ControlOperations.requestOf(operation, typed as never)
      const target = yield* ControlTarget.select(given)
      const answer = yield* ControlOperations.perform(target, operation.name, request)
      yield* isStream(answer)
        ? follow(answer)
        : print(answer, json, operation.isReading ? "none" : "done")
    })
  ).pipe(
    Command.withDescription(operation.description),
    Command.withShortDescription(operation.description.split(". ")[0] ?? "")
  )
  return operation.alias === undefined ? command : Command.withAlias(command, operation.alias)
}

/** A running sandbox or host, or a venue of a host. */
interface Listed {
  readonly url: string
  readonly kind: "sandbox" | "host" | "venue"
  readonly state: string
  readonly commands?: number
  readonly pid?: number
  readonly data?: string
}

const silent = "does not respond"

const hostStatus = Effect.fnUntraced(function*(target: ControlTarget.Target, about: Pick<Listed, "pid" | "data">) {
  const client = yield* ControlTarget.hostClient(target)
  const venues = yield* client.list({ query: {} })
  const host: Listed = { url: target.url, kind: "host", state: `${venues.length} venues`, ...about }
  const listed = venues.map(({ awake, dialect, url }): Listed => ({
    url,
    kind: "venue",
    state: `${dialect}, ${awake ? "awake" : "asleep"}`
  }))
  return [host, ...listed]
})

const sandboxStatus = Effect.fnUntraced(function*(target: ControlTarget.Target, about: Pick<Listed, "pid" | "data">) {
  const found = yield* ControlOperations.perform(target, "status", {})
  const { dialect, sequence } = found as { readonly dialect: string; readonly sequence: number }
  return [{ url: target.url, kind: "sandbox", state: dialect, commands: sequence, ...about } satisfies Listed]
})

const statusOf = Effect.fnUntraced(
  function*({ controlToken, data, kind, pid, url }: Running.Running) {
    const target = { url, token: Redacted.make(controlToken) }
    const about = { pid, ...(data === undefined ? {} : { data }) }
    return kind === "host" ? yield* hostStatus(target, about) : yield* sandboxStatus(target, about)
  },
  (asking, { kind, pid, url }) =>
    asking.pipe(
      Effect.timeout("3 seconds"),
      Effect.orElseSucceed((): ReadonlyArray<Listed> => [{ url, kind, state: silent, pid }])
    )
)

const status = Command.make(
  "status",
  {},
  Effect.fnUntraced(function*() {
    const { json, ...given } = yield* parent
    if (Option.isSome(given.url) || Option.isSome(given.venue)) {
      return yield* print(
        yield* ControlOperations.perform(yield* ControlTarget.select(given), "status", {}),
        json
      )
    }
    const servers = yield* Running.list
    const listed = yield* Effect.forEach(servers, statusOf, { concurrency: "unbounded" })
    yield* print(listed.flat(), json)
  })
).pipe(
  Command.withDescription(
    "List the sandboxes and hosts that you started on this machine, and the venues of the hosts. With --url or --venue, show one: " +
      "its dialect, the number of its commands, their hash, and the command that a reset returns to"
  ),
  Command.withShortDescription("List the sandboxes that are running")
)

const commandsOf = (isReading: boolean) =>
  ControlOperations.all
    // The operation `status` has no subcommand of its own, because the command `status` above includes it.
    .filter((operation) => operation.isReading === isReading && operation.name !== "status")
    .map(toCommand)

export const control = parent.pipe(
  Command.withDescription(
    "Carry out one operation on a running sandbox: move a price, credit money, add a fault, set the clock, go back. " +
      "The command finds the sandbox by itself. On a terminal it prints tables; otherwise, or with --json, JSON"
  ),
  Command.withShortDescription("Control a running sandbox: prices, money, clock, faults, history"),
  Command.withExamples([
    { command: "effect-txc control price BTC_USDT 41000", description: "Move a price" },
    { command: "effect-txc control fund alice main USDT 1000", description: "Credit money" },
    {
      command: "effect-txc control fault Reset --applied true --path /api/v4/order/new",
      description: "Apply the next order, but lose its response"
    },
    { command: "effect-txc control advance-clock \"1 hour\"", description: "Advance the clock" }
  ]),
  Command.withSubcommands([
    status,
    { group: "CHANGE", commands: commandsOf(false) as never },
    { group: "SHOW", commands: commandsOf(true) as never }
  ])
)
