/**
 * WebSocket connections to a target. This module has its own copy of the frames' format, for the same reason that
 * `Paths` has its own copy of the paths.
 *
 * The end of a connection is treated as a missing response, which by itself breaks no rule: see `Connection`.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import * as Json from "../../protocol/Json.ts"
import * as Features from "../Features.ts"
import * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Channels from "./Channels.ts"
import * as Retrying from "./Connection.ts"
import * as Paths from "./Paths.ts"

/**
 * The longest wait for a response or a pushed message, in milliseconds: many times longer than any documented interval
 * between messages. Only a broken rule waits this long.
 */
export const patience = 10_000

/** A JSON object. */
type Body = Readonly<Record<string, unknown>>

/** Adds a cleanup step, which runs at the end of the run. */
type OnEnd = (effect: Effect.Effect<unknown, Verdict.CheckError>) => Effect.Effect<void>

/**
 * A response to a request.
 *
 * @category models
 */
export interface Reply {
  /** The request, as sent. */
  readonly request: string
  /** The response, as a JSON object. */
  readonly answer: Body
  /** The response's index among the messages of the connection. */
  readonly at: number
}

/**
 * A WebSocket connection to the target.
 *
 * @category models
 */
export interface Connection {
  /**
   * The messages that have arrived, oldest first. A message that is not a JSON object is represented by an empty
   * object.
   */
  readonly messages: ReadonlyArray<Body>
  /** The reason why the connection has ended; `undefined` while it is open. */
  readonly ended: () => string | undefined
  /** Sends a text message. */
  readonly send: (text: string) => Effect.Effect<void, Target.TargetError>
  /**
   * Sends a request with a new id, and waits for the response with this id. Skips the rule if the target declares that
   * it lacks the channel.
   */
  readonly request: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<Reply, Verdict.CheckError>
  /**
   * Runs `find` now and after each message, until it returns a value. Succeeds with `undefined` if `find` returns none
   * within `millis` milliseconds.
   */
  readonly wait: <A>(
    find: () => A | undefined,
    millis?: number
  ) => Effect.Effect<A | undefined, Target.TargetError>
}

/** The connections of a check. */
export interface Sockets {
  /** Opens a connection. `onEnd` receives the step that closes it. */
  readonly connect: (onEnd: OnEnd) => Effect.Effect<Connection, Verdict.CheckError>
  /** The connection that all rules share. Opens it on first use, and again after it has ended. */
  readonly shared: (onEnd: OnEnd) => Effect.Effect<Connection, Verdict.CheckError>
}

const decoder = new TextDecoder()

const toBody = (frame: Uint8Array | string): Body => {
  const json = Result.getOrUndefined(Json.parse(typeof frame === "string" ? frame : decoder.decode(frame)))
  return Json.isObject(json) ? json : {}
}

const lost = (reason: string) => new Target.TargetError({ reason, unanswered: Channels.webSocket })

/** Whether an error means that a connection has ended. */
export const isLost = (error: Verdict.CheckError): error is Target.TargetError =>
  error._tag === "TargetError" && error.unanswered === Channels.webSocket

/** Returns the cause of a socket's error, if the cause has more details than the error. */
const reasonOf = ({ message, reason }: Socket.SocketError): string => {
  const cause = "cause" in reason ? reason.cause : undefined
  const detail = typeof cause === "string" ? cause : String(Object(cause)["message"] ?? "")
  return detail === "" || message.includes(detail) ? message : `${message}: ${detail}`
}

/** Opens a connection, which ends with the scope. */
const open = Effect.fnUntraced(function*(
  dial: NonNullable<Target.Target["dial"]>,
  features: Features.Features
): Effect.fn.Return<Connection, Target.TargetError, Scope.Scope> {
  const scope = yield* Effect.scope
  const socket = yield* dial
  const { pull } = yield* Effect.mapError(socket.reader, (error) => lost(reasonOf(error)))
  const writer = yield* socket.writer
  const messages: Array<Body> = []
  let changed = Deferred.makeUnsafe<void>()
  let ended: string | undefined
  let ids = 0
  const notify = () => {
    const waiting = changed
    changed = Deferred.makeUnsafe()
    Deferred.doneUnsafe(waiting, Effect.void)
  }
  yield* Effect.forkIn(
    Effect.forever(Effect.map(pull, (frames) => {
      for (const frame of frames) messages.push(toBody(frame))
      notify()
    })).pipe(Effect.catch((error) =>
      Effect.sync(() => {
        ended = `the WebSocket connection ended: ${reasonOf(error)}`
        notify()
      })
    )),
    scope
  )
  const wait: Connection["wait"] = <A>(find: () => A | undefined, millis = patience) => {
    const look: Effect.Effect<A, Target.TargetError> = Effect.suspend(() => {
      const found = find()
      if (found !== undefined) return Effect.succeed(found)
      return ended === undefined ? Effect.andThen(Deferred.await(changed), look) : Effect.fail(lost(ended))
    })
    return Effect.map(Effect.timeoutOption(look, millis), Option.getOrUndefined)
  }
  const send: Connection["send"] = (text) =>
    Effect.suspend(() =>
      ended === undefined
        ? Effect.mapError(writer.write(text), (error) => lost(reasonOf(error)))
        : Effect.fail(lost(ended))
    )
  const request: Connection["request"] = Effect.fnUntraced(function*(method, params) {
    const missing = Features.whyMissing(features, Channels.ofMethod(method))
    if (missing !== undefined) return yield* Verdict.skip(missing)
    const id = ++ids
    const write = (params: ReadonlyArray<unknown>) => Json.stringify({ id, method, params })
    yield* send(write(params))
    // A token must not appear in a verdict.
    const request = write(method === "authorize" ? ["<redacted>", ...params.slice(1)] : params)
    const at = yield* wait(() => {
      const found = messages.findIndex((message) => message["id"] === id)
      return found < 0 ? undefined : found
    })
    return at === undefined
      ? yield* new Verdict.Broken({ expected: `a response with id ${id}`, got: `none to ${request} in ${patience} ms` })
      : { request, answer: messages[at] ?? {}, at }
  })
  return { messages, ended: () => ended, send, request, wait }
})

/** Returns the connections to a target. `get` makes a public call. */
export const make = (
  { dial, features = {} }: Target.Target,
  get: (path: string) => Effect.Effect<unknown, Verdict.CheckError>
): Sockets => {
  /**
   * The verdict of all further attempts, once a connection could not be opened although the target responds to calls.
   */
  let unserved: Verdict.Broken | undefined
  let shared: Connection | undefined
  const refused = Effect.fnUntraced(function*({ reason }: Target.TargetError) {
    yield* get(Paths.ping)
    unserved = new Verdict.Broken({
      expected: `a WebSocket; if the target has none, list ${Channels.webSocket} under missing in --features`,
      got: reason
    })
    return yield* unserved
  })
  const connect: Sockets["connect"] = Effect.fnUntraced(function*(onEnd) {
    const missing = Features.whyMissing(features, Channels.webSocket)
    if (missing !== undefined) return yield* Verdict.skip(missing)
    if (dial === undefined) return yield* Verdict.skip("needs a way to open WebSockets: see Target.dial")
    if (unserved !== undefined) return yield* unserved
    const once = Effect.gen(function*() {
      const scope = yield* Scope.make()
      yield* onEnd(Scope.close(scope, Exit.void))
      return yield* Scope.provide(open(dial, features), scope)
    })
    return yield* Effect.catchTag(Retrying.retry(once), "TargetError", refused)
  })
  return {
    connect,
    shared: (onEnd) =>
      Effect.suspend(() =>
        shared !== undefined && shared.ended() === undefined
          ? Effect.succeed(shared)
          : Effect.tap(connect(onEnd), (connection) => Effect.sync(() => shared = connection))
      )
  }
}
