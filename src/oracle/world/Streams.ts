/** Subscriptions and queries over a WebSocket, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Channels from "./Channels.ts"
import type { Kind } from "./Kinds.ts"
import * as LiveCalls from "./LiveCalls.ts"
import * as Paths from "./Paths.ts"
import * as Section from "./Section.ts"
import * as Sockets from "./Sockets.ts"
import type { Account, Body, World } from "./World.ts"

// -----------------------------------------------------------------------------
// Rules
// -----------------------------------------------------------------------------

/** After this many consecutive lost connections, the target is considered at fault. */
const maxLost = 3

/** The number of consecutive lost connections, keyed by the world of each rule. */
const lost = new WeakMap<World, number>()

/** Breaks the rule if its connections keep ending. Until then, the value is evaluated again. */
const lasting = (
  world: World,
  check: Effect.Effect<unknown, Verdict.CheckError>
): Effect.Effect<unknown, Verdict.CheckError> =>
  Effect.tapError(check, (error) => {
    const count = Sockets.isLost(error) ? (lost.get(world) ?? 0) + 1 : 0
    lost.set(world, count)
    return count < maxLost ? Effect.void : new Verdict.Broken({
      expected: "a connection that stays open",
      got: `${count} connections in a row ended: ${Verdict.whyOf(error)}`
    })
  }).pipe(Effect.tap(() => Effect.sync(() => lost.delete(world))))

const sectionOf = (level: Rule.Level, source: string): Section.Section => {
  const section = Section.byStatement((statement) => ({
    clause: LiveCalls.clause,
    level,
    document: Rule.notApplicable("the document has no WebSocket"),
    live: Rule.other(statement, source)
  }))
  return {
    always: (id, rule) => section.always(id, { ...rule, check: (world) => lasting(world, rule.check(world)) }),
    forEach: (id, rule) =>
      section.forEach(id, { ...rule, check: (world, value) => lasting(world, rule.check(world, value)) }),
    forAll: (id, rule) =>
      section.forAll(id, { ...rule, check: (world, value) => lasting(world, rule.check(world, value)) })
  }
}

/** Returns the constructors for `MUST` rules: those that a page of the live exchange's documentation states. */
export const documented = (page: string): Section.Section =>
  sectionOf("MUST", `${Rule.liveDocumentation}, WebSocket, "${page}"`)

/** The constructors for `SHOULD` rules about behavior that clients have recorded, but no page states. */
export const recorded: Section.Section = sectionOf("SHOULD", Rule.liveAnswers)

// -----------------------------------------------------------------------------
// Requests
// -----------------------------------------------------------------------------

/** Checks a response: fails with `Broken`, which shows the response, unless `holds` is true. */
export const expect = ({ answer, request }: Sockets.Reply, expected: string, holds: boolean) =>
  Verdict.conclude(expected, `${Json.stringify(answer)} to ${request}`, holds)

/** Returns a refusal's code, or `undefined` for a result. */
const codeOf = ({ answer: { error } }: Sockets.Reply): unknown => Json.isObject(error) ? error["code"] : undefined

const methodNotFound = 4

/** Makes a request, and expects that it succeeds. Returns its result. */
export const ask = Effect.fnUntraced(function*(
  connection: Sockets.Connection,
  method: string,
  ...params: ReadonlyArray<unknown>
): Effect.fn.Return<{ readonly reply: Sockets.Reply; readonly result: unknown }, Verdict.CheckError> {
  const reply = yield* connection.request(method, params)
  const { error, result } = reply.answer
  const remedy = codeOf(reply) === methodNotFound
    ? `; if the target is not meant to serve it, list ${Channels.ofMethod(method)} under missing in --features`
    : ""
  yield* expect(reply, `a result${remedy}`, (error ?? null) === null && result !== undefined)
  return { reply, result }
})

/** Expects that a request is refused with one of these codes. */
export const refuses = Effect.fnUntraced(function*(
  connection: Sockets.Connection,
  codes: ReadonlyArray<number>,
  method: string,
  ...params: ReadonlyArray<unknown>
) {
  const reply = yield* connection.request(method, params)
  yield* expect(reply, `an error with code ${codes.join(" or ")}`, codes.some((code) => code === codeOf(reply)))
})

/** Expects an acknowledgement: a result with the status `success`. */
export const isAcknowledgement = ({ reply, result }: Effect.Success<ReturnType<typeof ask>>) =>
  expect(reply, "a result with status success", Json.isObject(result) && result["status"] === "success")

/** Creates a token for a connection of an account. */
export const token = Effect.fnUntraced(function*(world: World, account: Account) {
  const { answer, json } = yield* LiveCalls.object(world, account, Paths.webSocketToken, {})
  const { websocket_token: token } = json
  const isToken = typeof token === "string" && token !== ""
  yield* Verdict.expect(answer, "a websocket_token: a string that is not empty", isToken)
  return String(token)
})

/** Opens a connection that is authorized for an account. */
export const authorized = Effect.fnUntraced(function*(
  world: World,
  account: Account
): Effect.fn.Return<Sockets.Connection, Verdict.CheckError> {
  const secret = yield* token(world, account)
  const connection = yield* world.connect
  yield* ask(connection, "authorize", secret, "public")
  return connection
})

// -----------------------------------------------------------------------------
// Pushed messages
// -----------------------------------------------------------------------------

/** A channel of a connection. */
export interface Listening {
  readonly connection: Sockets.Connection
  /** The first part of the channel's methods. */
  readonly channel: string
  /** The index of the first message after the acknowledgement. */
  readonly from: number
}

/** Subscribes to a channel. */
export const subscribe = Effect.fnUntraced(function*(
  connection: Sockets.Connection,
  channel: string,
  ...params: ReadonlyArray<unknown>
): Effect.fn.Return<Listening, Verdict.CheckError> {
  const acknowledged = yield* ask(connection, `${channel}_subscribe`, ...params)
  yield* isAcknowledgement(acknowledged)
  return { connection, channel, from: acknowledged.reply.at + 1 }
})

/** Returns the `params` of the messages that a channel has pushed since its subscription began. */
export const pushed = ({ channel, connection: { messages }, from }: Listening): ReadonlyArray<unknown> =>
  messages.slice(from).flatMap(({ method, params }) => method === `${channel}_update` ? [params] : [])

/** The maximum length of the messages in a verdict, in UTF-16 units. */
const shown = 600

const described = (listening: Listening): string => {
  const all = pushed(listening)
  const text = Json.stringify(all.slice(-3))
  const last = text.length > shown ? `${text.slice(0, shown)}...` : text
  return `${all.length} messages of ${listening.channel}, the last ones ${last}`
}

/** Waits until `find` returns a value for the pushed messages. The rule is broken if `find` returns none in time. */
export const sees = Effect.fnUntraced(function*<A>(
  listening: Listening,
  what: string,
  find: (pushed: ReadonlyArray<unknown>) => A | undefined,
  millis = Sockets.patience
): Effect.fn.Return<A, Verdict.CheckError> {
  const found = yield* listening.connection.wait(() => find(pushed(listening)), millis)
  return found === undefined
    ? yield* new Verdict.Broken({
      expected: `${what}, within ${millis} ms after the last change`,
      got: described(listening)
    })
    : found
})

/** Waits for a pushed message for which `find` returns a value. */
export const seesOne = <A>(listening: Listening, what: string, find: (params: unknown) => A | undefined) =>
  sees(listening, what, (all) => {
    for (const params of all) {
      const found = find(params)
      if (found !== undefined) return found
    }
    return undefined
  })

/** The time between two reads of a target's state, in milliseconds. */
const lookEvery = 250

/** A comparison of pushed messages with the target's state. */
export interface Look {
  readonly holds: boolean
  /** The messages and the target's state, as shown for a broken rule. */
  readonly got: unknown
}

/** Compares again until the pushed messages agree with the state. The rule is broken if they do not agree in time. */
export const settles = Effect.fnUntraced(function*(
  connection: Sockets.Connection,
  expected: string,
  look: Effect.Effect<Look, Verdict.CheckError>
) {
  const end = (yield* Target.now) + Sockets.patience
  while (true) {
    const { got, holds } = yield* look
    if (holds) return
    if ((yield* Target.now) >= end) return yield* Verdict.conclude(expected, got, false)
    // Fails if the connection has ended.
    yield* connection.wait(() => undefined, lookEvery)
  }
})

/**
 * A wait in milliseconds that is longer than every interval between messages, except the interval of repeated order
 * books.
 */
const interval = 2000

/** Advances a sandbox's clock past the interval of every channel. Does nothing for other targets. */
export const pass = (world: World, millis = interval) =>
  world.profile === "control" ? Effect.catchTag(world.advance(millis), "Skipped", () => Effect.void) : Effect.void

/** The time to wait for a message that must not arrive, in milliseconds. */
const grace = 40

/**
 * Waits for a message that must not arrive. Call it after another connection has received that message. The wait is
 * short, so some faults may go unnoticed, but a correct target is never blamed.
 */
export const linger = Effect.fnUntraced(function*(connection: Sockets.Connection) {
  yield* ask(connection, "ping")
  yield* Effect.sleep(grace)
})

/** Expects that a channel has pushed no message for which `isWrong` holds. */
export const hasNone = (listening: Listening, what: string, isWrong: (params: unknown) => boolean) =>
  Verdict.conclude(`no message of ${listening.channel} ${what}`, described(listening), !pushed(listening).some(isWrong))

// -----------------------------------------------------------------------------
// Values
// -----------------------------------------------------------------------------

/** Returns a value as a list, or an empty list for any other value. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** Returns a value as an object, or an empty object for any other value. */
export const objectOf = (value: unknown): Body => Json.isObject(value) ? value : {}

/** The expected kinds of values, keyed by key or by position. */
export type Kinds = Readonly<Record<string, Kind>> | ReadonlyArray<Kind>

/** Describes the values that are not of the expected kind; `undefined` if all values are. */
const wrongKinds = (value: unknown, kinds: Kinds): string | undefined => {
  const wrong = Object.entries(kinds).filter(([key, kind]) => !kind.holds(Reflect.get(Object(value), key)))
  return wrong.length === 0 ? undefined : wrong.map(([key, { name }]) => `${key}: ${name}`).join(", ")
}

/** Expects that the values in an object or a list are of these kinds. */
export const hasKinds = (what: string, value: unknown, kinds: Kinds) => {
  const wrong = wrongKinds(value, kinds)
  const got = value === undefined ? "nothing" : Json.stringify(value)
  return Verdict.conclude(`${what} with ${wrong ?? ""}`, got, wrong === undefined)
}

/** Whether two decimals are equal in value, or two values of another type are equal. */
export const isEqual = (one: unknown, other: unknown): boolean =>
  typeof one === "string" && typeof other === "string" && one !== "" && Number.isFinite(Number(one))
    ? Math.abs(Number(one) - Number(other)) < 1e-9
    : one === other

/** Whether lists of values are equal, position by position. */
export const areEqual = (some: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>): boolean =>
  some.length === others.length && some.every((one, at) => isEqual(one, others[at]))
