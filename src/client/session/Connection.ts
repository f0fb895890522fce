/**
 * A connection to the exchange's WebSocket, for requests and their responses, and for pushed messages.
 *
 * A connection that has ended is never reused. The next connection has its own socket, request ids and writer, so a
 * message for one connection can't reach another.
 */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import * as Frame from "../../protocol/Frame.ts"
import type { Dialer } from "./Dialer.ts"

/**
 * The time between application pings. The exchange closes a connection over which a client sends nothing for 60 s, and
 * recommends a ping every 50 s. With pings every 30 s, the client notices a dead connection sooner.
 */
export const pingEvery = "30 seconds"

/**
 * The maximum wait for a response, including a pong. If there is no response within this time, the connection is
 * considered dead. So a silent connection ends, at the latest, after the time between two pings plus this wait.
 */
export const deadline = "10 seconds"

/** The connection was lost: it ended, or can no longer be trusted. */
export class Lost extends Data.TaggedError("Lost")<{ readonly problem: string }> {
  /** The reason, for the log. */
  declare readonly problem: string
}

/** The exchange refused a request. */
export class Refused extends Data.TaggedError("Refused")<
  { readonly method: string; readonly code: number; readonly reason: string }
> {
  /** The request's method, such as `depth_subscribe`. */
  declare readonly method: string
  /** The exchange's code: see `Frame.codes`. */
  declare readonly code: number
  /** The exchange's own message. */
  declare readonly reason: string
}

/** An open connection. */
export interface Connection {
  /**
   * Sends a request, and waits for its response. `onAnswer` runs before any later message is handled, because a
   * subscription's first pushed message may arrive together with the response.
   */
  readonly request: (
    method: string,
    params: ReadonlyArray<unknown>,
    onAnswer?: () => void
  ) => Effect.Effect<unknown, Lost | Refused>
  /** Sends a request whose response only confirms success. */
  readonly command: Connection["request"]
  /** Ends the connection. */
  readonly fail: (cause: Cause.Cause<Lost>) => void
  /** Waits until the connection ends. */
  readonly ended: Effect.Effect<never, Lost>
  /** The time of the latest message, in Unix milliseconds. */
  readonly heardAt: () => number
}

/** The requests that wait for a response, keyed by id. */
class Requests {
  readonly #waiting = new Map<number, (frame: Frame.Answer | Frame.Refusal) => void>()
  #next = 1

  add(onAnswer: (frame: Frame.Answer | Frame.Refusal) => void): number {
    const id = this.#next++
    this.#waiting.set(id, onAnswer)
    return id
  }

  remove(id: number): void {
    this.#waiting.delete(id)
  }

  /**
   * Hands a response to its request. Ignores a response that no request waits for, such as the response to an
   * interrupted query.
   */
  answer(frame: Frame.Answer | Frame.Refusal): void {
    const onAnswer = this.#waiting.get(frame.id)
    this.#waiting.delete(frame.id)
    onAnswer?.(frame)
  }
}

const decoder = new TextDecoder()

const reading = (pull: Socket.Reader["pull"], hear: () => void, receive: (frame: Frame.Received) => void) =>
  Effect.forever(
    Effect.flatMap(pull, (frames): Effect.Effect<void, Lost> => {
      hear()
      for (const frame of frames) {
        if (frame.length > Frame.maxLength) return Effect.fail(new Lost({ problem: "a message is too long" }))
        const read = Frame.readReceived(typeof frame === "string" ? frame : decoder.decode(frame))
        if (Result.isFailure(read)) return Effect.fail(new Lost({ problem: `a message is ${read.failure}` }))
        receive(read.success)
      }
      return Effect.void
    })
  ).pipe(Effect.catchTag("SocketError", (error) => Effect.fail(new Lost({ problem: error.message }))))

/** Opens a connection, which ends when its scope closes. `onPush` handles each pushed message, in order. */
export const open: (
  dialer: Dialer["Service"],
  onPush: (push: Frame.Push) => void
) => Effect.Effect<Connection, Lost, Scope.Scope> = Effect.fnUntraced(function*(dialer, onPush) {
  const clock = yield* Clock.Clock
  const socket = yield* dialer.dial
  const { pull } = yield* Effect.mapError(socket.reader, (error) => new Lost({ problem: error.message }))
  const writer = yield* socket.writer
  const ended = Deferred.makeUnsafe<never, Lost>()
  const requests = new Requests()
  let heardAt = clock.currentTimeMillisUnsafe()

  const requesting = (isCommand: boolean): Connection["request"] => (method, params, onAnswer) =>
    Effect.suspend(() => {
      const answered = Deferred.makeUnsafe<unknown, Refused>()
      const id = requests.add((received) => {
        const frame = isCommand ? Frame.confirmed(received) : received
        if (frame._tag === "Answer") {
          onAnswer?.()
          Deferred.doneUnsafe(answered, Effect.succeed(frame.result))
        } else {
          const { code, message } = frame
          Deferred.doneUnsafe(answered, Effect.fail(new Refused({ method, code, reason: message })))
        }
      })
      return writer.write(Frame.writeRequest({ id, method, params })).pipe(
        Effect.mapError((error) => new Lost({ problem: error.message })),
        Effect.andThen(Deferred.await(answered)),
        Effect.timeoutOrElse({
          duration: deadline,
          orElse: () => Effect.fail(new Lost({ problem: `no response to ${method} within ${deadline}` }))
        }),
        Effect.raceFirst(Deferred.await(ended)),
        Effect.tapError((error) =>
          Effect.sync(() => error._tag === "Lost" && Deferred.doneUnsafe(ended, Effect.fail(error)))
        ),
        Effect.ensuring(Effect.sync(() => requests.remove(id)))
      )
    })

  const request = requesting(false)

  const hear = () => {
    heardAt = clock.currentTimeMillisUnsafe()
  }
  const receive = (frame: Frame.Received) => frame._tag === "Push" ? onPush(frame) : requests.answer(frame)
  // A refusal of a ping also shows that the connection is alive.
  const ping = Effect.ignore(request(Frame.methods.ping, []))
  yield* Effect.forkScoped(Effect.onExit(
    Effect.raceFirst(reading(pull, hear, receive), Effect.forever(Effect.delay(ping, pingEvery))),
    (exit) => Effect.sync(() => Deferred.doneUnsafe(ended, exit))
  ))
  return {
    request,
    command: requesting(true),
    fail: (cause) => Deferred.doneUnsafe(ended, Effect.failCause(cause)),
    ended: Deferred.await(ended),
    heardAt: () => heardAt
  }
})
