/** A process of the program: its fibers, its clock and its services. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Scheduler from "effect/Scheduler"
import * as Tracer from "effect/Tracer"
import * as ClientOrderIds from "../client/ClientOrderIds.ts"
import * as Dialer from "../client/session/Dialer.ts"
import * as Transport from "../client/transport/Transport.ts"
import { ClientOrderId } from "../domain/Identifiers.ts"
import * as Exchange from "../Exchange.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Example from "../sandbox/Example.ts"
import * as InProcess from "../sandbox/server/InProcess.ts"
import * as InProcessSocket from "../sandbox/server/InProcessSocket.ts"
import * as Streams from "../Streams.ts"
import type { Network, Peer } from "./Network.ts"
import type * as Program from "./Program.ts"
import * as Say from "./Say.ts"
import * as Seeded from "./Seeded.ts"
import * as Store from "./Store.ts"
import type { Tasks } from "./Tasks.ts"
import type { Timeline } from "./Timeline.ts"

/** A process of the program. */
export interface Process extends Peer {
  /** Kills the process: none of its fibers runs again, and no finalizers run. */
  readonly kill: () => void
  /** Interrupts the process, so its finalizers run. */
  readonly stop: () => void
  /** Whether the process has ended or was killed. */
  readonly hasEnded: () => boolean
}

/** The parts of a history that a process uses. */
export interface World {
  readonly dialect: Dialect
  readonly tasks: Tasks
  readonly timeline: Timeline
  readonly network: Network
  readonly contents: Store.Contents
  /**
   * Returns the difference between the process's clock and the exchange's clock, in milliseconds; negative if the
   * process's clock is behind.
   */
  readonly drift: () => number
  /** The seed of the history. The process's random numbers depend on it and on the process's number. */
  readonly seed: number
  /** Returns the next client order id. */
  readonly clientOrderId: () => string
  /** Called with each value that the program reports with `say`. */
  readonly hear: (name: string, value: Parameters<typeof Say.say>[1]) => void
  /** The tracer. Every process is traced, even if the trace is not read, because tracing changes where fibers yield. */
  readonly tracer: Tracer.Tracer
  /** Called when the process has ended by itself or was stopped, but not when it was killed. */
  readonly ended: (process: Process, exit: Exit.Exit<unknown, unknown>) => void
}

/** Creates Effect's random number service from a seed. */
const randomOf = (seed: number, number: number) => {
  const random = Seeded.make(seed, 2, number)
  return {
    nextDoubleUnsafe: random.next,
    nextIntUnsafe: () => Math.floor((random.next() - 0.5) * 2 * Number.MAX_SAFE_INTEGER)
  }
}

/** Creates the layer with the services that the program requires. */
const layerOf = ({ contents, dialect, network }: World, peer: Peer) => {
  const { apiKey, apiSecret } = Example.alice
  const exchange = Exchange.layer({
    baseUrl: InProcess.baseUrl,
    dialect,
    credentials: { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) },
    transport: Layer.sync(Transport.Transport, () => network.transportOf(peer))
  })
  const dialer = Layer.sync(Dialer.Dialer, () => ({
    dial: InProcessSocket.make(dialect, { connect: network.connectOf(peer) })
  }))
  return Layer.mergeAll(
    Layer.provideMerge(Layer.provide(Streams.layerInProcess, dialer), exchange),
    Layer.sync(KeyValueStore.KeyValueStore, () => Store.make(contents))
  )
}

const contextOf = (world: World, peer: Peer): Context.Context<never> => {
  const { clientOrderId, drift, hear, seed, tasks, timeline, tracer } = world
  return Context.empty().pipe(
    Context.add(Scheduler.Scheduler, tasks.schedulerOf(peer.isAlive)),
    Context.add(Clock.Clock, timeline.clock(drift)),
    Context.add(Random.Random, randomOf(seed, peer.number)),
    Context.add(
      ClientOrderIds.ClientOrderIds,
      ClientOrderIds.make(Effect.sync(() => ClientOrderId.make(clientOrderId())))
    ),
    Context.add(Say.Listener, hear),
    // Effect would keep the console of the first history.
    Context.add(Console.Console, console),
    Context.add(Tracer.Tracer, tracer),
    Context.add(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())
  )
}

/** Starts a process. */
export const start = (world: World, program: Program.Program, number: number): Process => {
  let isAlive = true
  let hasEnded = false
  let isStopped = false
  const peer: Peer = { number, isAlive: () => isAlive }
  // oxlint-disable-next-line effecttsgo/any-unknown-in-error-context -- A program can fail with anything.
  const run = Effect.exit(Effect.provide(Effect.scoped(program.run), layerOf(world, peer)))
  let fiber: Fiber.Fiber<Exit.Exit<unknown, unknown>> | undefined
  const process: Process = {
    ...peer,
    kill: () => {
      isAlive = false
      hasEnded = true
      world.network.forget(peer)
    },
    stop: () => {
      isStopped = true
      fiber?.interruptUnsafe()
    },
    hasEnded: () => hasEnded
  }
  // The process starts in a task of its own, so that the seed decides when it starts. A kill can't interrupt a task, so
  // no process is ever killed while it starts. If it is killed or stopped before this task, the program never runs.
  world.tasks.add(() => {
    if (hasEnded) return
    fiber = Effect.runForkWith(contextOf(world, peer))(isStopped ? Effect.exit(Effect.interrupt) : run)
    fiber.addObserver((exit) => {
      if (hasEnded) return
      hasEnded = true
      isAlive = false
      world.network.forget(peer)
      world.ended(process, Exit.isSuccess(exit) ? exit.value : exit)
    })
  })
  return process
}

/** Returns the reason why a process has failed, or `undefined` if it succeeded or was interrupted. */
export const failureOf = (exit: Exit.Exit<unknown, unknown>): string | undefined =>
  exit._tag === "Success" || Cause.hasInterruptsOnly(exit.cause) ? undefined : Cause.prettyErrors(exit.cause).map(
    ({ message, name }) => message === "" ? name : `${name}: ${message}`
  ).join("; ")
