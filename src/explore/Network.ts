/**
 * The network between a program and its exchange. Each message has a delay, which is drawn from the seed. A message
 * that the program has handed to the network arrives even if the program's process is killed afterwards, but the
 * response to it is discarded. When the exchange stops, all calls in progress are lost.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Transport from "../client/transport/Transport.ts"
import * as Signature from "../protocol/Signature.ts"
import type { Answer, Streamed } from "../sandbox/gateway/Message.ts"
import type * as Socket from "../sandbox/gateway/Socket.ts"
import type { Scenario } from "./Scenario.ts"
import * as Seeded from "./Seeded.ts"
import type { Running, Server } from "./Server.ts"
import type { IsAlive } from "./Tasks.ts"
import type { Timeline } from "./Timeline.ts"

/**
 * The outcome of a call from the caller's point of view: `waiting` for a response; `answered` if the process received
 * the response; `lost` if it received none, because the connection broke, because it no longer waited (after a timeout
 * or an interruption), or because it had ended; `not-sent` if the exchange refused the connection.
 *
 * @category models
 */
export type Outcome = "waiting" | "answered" | "lost" | "not-sent"

/**
 * A call that the program made, as the network saw it.
 *
 * @category models
 */
export interface Sent {
  /** The call's number, counted from 1. */
  readonly number: number
  /** The call's path, such as `/api/v4/order/new`. */
  readonly path: string
  /** The number of the process that made the call, counted from 1. */
  readonly process: number
  /** Whether the call is private, that is, signed with the API key. */
  readonly isPrivate: boolean
  /** The time at which the program handed the call to the network, in Unix milliseconds. */
  readonly at: number
  /** The time at which the call arrived at the exchange, in Unix milliseconds; absent if it has not arrived. */
  arrivedAt?: number
  /** The call's outcome so far. */
  outcome: Outcome
  /** The response's HTTP status, if a response has come back, even if the process no longer waited for it. */
  status?: number
  /**
   * The time at which the response came back, or at which the connection broke, in Unix milliseconds; absent before
   * that. Only if the outcome is `answered` did the process receive the response.
   */
  answeredAt?: number
}

/** A message that arrived at a process over a stream connection. */
export interface Arrived {
  /** The time at which the message arrived, in Unix milliseconds. */
  readonly at: number
  /** The number of the process at which the message arrived, counted from 1. */
  readonly process: number
  /** The message as sent by the exchange. A fault may have cut it off. */
  readonly text: string
}

/** A process that is connected to the network. */
export interface Peer {
  readonly number: number
  readonly isAlive: IsAlive
}

/** The parts of a history that the network uses. */
export interface World {
  readonly scenario: Scenario
  readonly timeline: Timeline
  readonly server: Server
  /** Runs an effect in the history, outside of the program. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Called when the program has handed a call to the network. */
  readonly handedOver: (call: Sent) => void
}

/** Matches a subscription request, and captures the channel's name. */
const subscription = /"method":"(\w+)_subscribe"/u

type End = Effect.Effect<Transport.Answer, Transport.SendFailed>

const lost = Effect.fail(
  new Transport.SendFailed({ proof: { kind: "lost" }, reason: "the connection was reset" })
)

const notSent = Effect.fail(
  new Transport.SendFailed({
    proof: { kind: "not-sent", why: "refused" },
    reason: "the exchange refused the connection"
  })
)

/** Reads a response, whose body may arrive in parts. */
const readAll = ({ body, headers, status }: Streamed): End =>
  Effect.matchEffect(Stream.mkUint8Array(body), {
    onFailure: () => lost,
    onSuccess: (bytes) => Effect.succeed({ status, headers, text: new TextDecoder().decode(bytes) })
  })

const read = (answer: Answer): End => {
  switch (answer._tag) {
    case "Answer":
      return Effect.succeed({ status: answer.status, headers: answer.headers, text: answer.body })
    case "Stream":
      return readAll(answer)
    case "Reset":
      return lost
  }
}

/** Returns a function that draws the delay of one message, in milliseconds. */
const delays = ({ latency: { from, to }, order }: Scenario): () => number => {
  const random = Seeded.make(order, 1)
  const [least, most] = [Math.min(from, to), Math.max(from, to)]
  return () => least + random.below(most - least + 1)
}

/** Sends a request to the exchange, whose clock is `clock`. Returns the response. */
const ask = (
  { venue }: Running,
  request: Transport.Request,
  clock: Clock.Clock
): End => {
  const url = new URL(request.url)
  const message = {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: { host: url.host, ...request.headers },
    body: request.body ?? new Uint8Array(),
    from: "program"
  }
  return Effect.flatMap(
    Effect.callback<Effect.Effect<Answer>>((resume) =>
      venue.receive(
        message,
        clock,
        (answer) => resume(Effect.succeed(Effect.isEffect(answer) ? answer : Effect.succeed(answer)))
      )
    ),
    Effect.flatMap(read)
  )
}

/** The network in a history. */
export class Network {
  /** All calls so far. */
  readonly calls: Array<Sent> = []
  /** The messages that arrived over stream connections, oldest first. */
  readonly arrived: Array<Arrived> = []
  /** The names of the channels that the program has subscribed to, as on the wire. */
  readonly channels = new Set<string>()
  private readonly world: World
  private readonly delay: () => number
  private readonly clock: Clock.Clock
  /** For each process number, the functions that close the process's connections. */
  private readonly links = new Map<number, Set<() => void>>()
  private unanswered = 0

  constructor(world: World) {
    this.world = world
    this.delay = delays(world.scenario)
    this.clock = world.timeline.clock(() => 0)
  }

  /** The number of calls that have no response yet. */
  pending(): number {
    return this.unanswered
  }

  /** Creates the transport for a process. */
  transportOf(peer: Peer): Transport.Transport["Service"] {
    return {
      send: (request) =>
        Effect.timeoutOrElse(Effect.callback((resume) => this.carry(peer, request, resume)), {
          duration: request.timeout,
          orElse: () => Effect.fail(Transport.timedOut(request))
        })
    }
  }

  /** Connects a process to the exchange's streams. */
  connectOf(peer: Peer): Socket.Connect {
    const { delay, world: { server, timeline } } = this
    return (wire) => {
      const running = server.running()
      if (running === undefined)
        return Result.fail({ kind: "unavailable", message: "the exchange refused the connection" })
      const recorded: Socket.Wire = {
        ...wire,
        send: (text) => {
          this.arrived.push({ at: timeline.now(), process: peer.number, text })
          wire.send(text)
        }
      }
      return Result.map(running.streams.connect(delayed(recorded, timeline, delay, peer.isAlive)), (client) => {
        const links = this.links.get(peer.number) ?? new Set()
        this.links.set(peer.number, links.add(() => client.end()))
        const receive = inOrder(timeline, delay, (text: string) => {
          if (server.running() === running) client.receive(text)
        })
        return {
          ...client,
          receive: (text) => {
            const channel = subscription.exec(text)?.[1]
            if (channel !== undefined) this.channels.add(channel)
            receive(text)
          }
        }
      })
    }
  }

  /** Closes the connections of a process that has ended or was killed. */
  forget({ number }: Peer): void {
    for (const end of this.links.get(number) ?? []) end()
    this.links.delete(number)
  }

  /** Carries a call to the exchange, and its response back. Returns an effect to run when the caller stops waiting. */
  private carry(peer: Peer, request: Transport.Request, resume: (end: End) => void): Effect.Effect<void> {
    const { clock, delay, world: { fork, handedOver, server, timeline } } = this
    const call: Sent = {
      number: this.calls.length + 1,
      path: new URL(request.url).pathname,
      process: peer.number,
      isPrivate: request.headers[Signature.headers.apiKey] !== undefined,
      at: timeline.now(),
      outcome: "waiting"
    }
    this.calls.push(call)
    this.unanswered++
    let isAwaited = true
    const end = (outcome: Outcome, result: End, status?: number) => {
      this.unanswered--
      call.outcome = outcome === "answered" && !(isAwaited && peer.isAlive()) ? "lost" : outcome
      call.answeredAt = timeline.now()
      if (status !== undefined) call.status = status
      if (peer.isAlive()) resume(result)
    }
    const handedTo = server.running()
    timeline.after(delay(), () => {
      if (handedTo === undefined) return end("not-sent", notSent)
      if (server.running() !== handedTo) return end("lost", lost)
      call.arrivedAt = timeline.now()
      const answered = (exit: Exit.Exit<Transport.Answer, Transport.SendFailed>) => {
        if (exit._tag === "Failure" || server.running() !== handedTo) end("lost", lost)
        else end("answered", exit, exit.value.status)
      }
      // A call in progress ends with the exchange. Otherwise, a late call would enter the journal of a stopped exchange.
      Fiber.runIn(
        fork(
          Effect.onExit(
            ask(handedTo, request, clock),
            (exit) => Effect.sync(() => timeline.after(delay(), () => answered(exit)))
          )
        ),
        handedTo.scope
      )
    })
    handedOver(call)
    return Effect.sync(() => {
      isAwaited = false
    })
  }
}

/** Returns a function that delivers messages with a delay, but in the order in which they were sent. */
const inOrder = <A>(timeline: Timeline, delay: () => number, deliver: (message: A) => void): (message: A) => void => {
  const waiting: Array<A> = []
  let last = 0
  const next = (): void => {
    for (const message of waiting.splice(0, 1)) deliver(message)
  }
  return (message) => {
    waiting.push(message)
    last = Math.max(last, timeline.now() + delay())
    timeline.after(last - timeline.now(), next)
  }
}

/** A connection that delivers messages with a delay, and delivers nothing to a process that has ended or was killed. */
const delayed = (wire: Socket.Wire, timeline: Timeline, delay: () => number, isAlive: IsAlive): Socket.Wire => {
  const deliver = inOrder(timeline, delay, (message: () => void) => {
    if (isAlive()) message()
  })
  return {
    from: "program",
    waiting: wire.waiting,
    send: (text) => deliver(() => wire.send(text)),
    end: (ending) => deliver(() => wire.end(ending))
  }
}
