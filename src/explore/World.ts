/**
 * Runs one history: a program, its exchange, the network between them, and a scenario's events, in one thread. Only
 * this history's tasks run, in an order that the scenario decides. When no task is ready, the time jumps to the next
 * scheduled work.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Dialect from "../protocol/Dialect.ts"
import * as Control from "../sandbox/control/Control.ts"
import type * as Event from "../sandbox/engine/Event.ts"
import * as Example from "../sandbox/Example.ts"
import * as Snapshot from "../sandbox/store/Snapshot.ts"
import * as Ambient from "./Ambient.ts"
import * as Events from "./Events.ts"
import * as Invariant from "./Invariant.ts"
import * as Journal from "./Journal.ts"
import * as Moment from "./Moment.ts"
import * as Network from "./Network.ts"
import * as Prepared from "./Prepared.ts"
import * as Process from "./Process.ts"
import type { Program, SetUpFailed } from "./Program.ts"
import * as Runtime from "./Runtime.ts"
import * as Say from "./Say.ts"
import * as Scenario from "./Scenario.ts"
import * as Seeded from "./Seeded.ts"
import * as Server from "./Server.ts"
import * as Spans from "./Spans.ts"

/** The time at which every history starts, in Unix milliseconds: Monday, 5 January 2026, 10:00 UTC. */
export const start = 1_767_607_200_000

/**
 * The maximum number of tasks in a history. With more tasks, the history is invalid, because the program probably loops
 * forever.
 */
const mostTasks = 500_000

/** The time, in milliseconds, within which a stopped program must end. After that, the history ends in any case. */
const grace = 10_000

/** The delay before a failed process is restarted, in milliseconds. */
const pause = 1000

/**
 * A change in the program's lifecycle.
 *
 * @category models
 */
export interface Mark {
  /** The time, in Unix milliseconds. */
  readonly at: number
  /** The change. */
  readonly what: "started" | "killed" | "stopped" | "ended" | "failed"
  /** The failure, if the program failed. */
  readonly why?: string
}

/**
 * An event, or a step of an event, that had no effect.
 *
 * @category models
 */
export interface Refusal {
  /** The time, in Unix milliseconds. */
  readonly at: number
  /** The event. */
  readonly event: Scenario.Event
  /** The reason, for example that the exchange was down, or that it refused another account's order. */
  readonly why: string
}

/**
 * A completed history.
 *
 * @category models
 */
export interface History {
  /** The scenario that determined the history. */
  readonly scenario: Scenario.Scenario
  /** The invariant that the history breaks; absent if all invariants hold. */
  readonly broken?: Invariant.Broken & {
    /** The time at which the invariant broke, in Unix milliseconds. */
    readonly at: number
  }
  /**
   * The reason why the history could not be checked, for example an error thrown by an invariant, or an event on a
   * market that does not exist; absent if the history was checked.
   */
  readonly invalid?: string
  /** The required states that the history reached. */
  readonly reached: ReadonlyArray<string>
  /**
   * The resources that the seed does not control. Unless the list is empty, a replay might not reproduce the history.
   */
  readonly foreign: ReadonlyArray<Ambient.Foreign>
  /** The changes in the program's lifecycle, oldest first. */
  readonly marks: ReadonlyArray<Mark>
  /** The events that had no effect, or had a step without effect, oldest first. */
  readonly refusals: ReadonlyArray<Refusal>
  /** The names of the channels that the program has subscribed to, as on the wire. */
  readonly channels: ReadonlySet<string>
  /** The final state. */
  readonly moment: Moment.Moment
  /** The history's duration, in milliseconds. */
  readonly millis: number
  /** The time at which the calm period began, or would have begun, in Unix milliseconds. */
  readonly calmAt: number
  /** The number of tasks that ran. */
  readonly tasks: number
  /** All commands of the exchange, including those that prepared it, as lines that a new venue can replay. */
  readonly lines: () => ReadonlyArray<string>
  /** The exchange's events, oldest first. */
  readonly events: ReadonlyArray<Happened>
  /** The program's latest spans. */
  readonly spans: () => ReadonlyArray<Spans.Span>
}

/** An event that the exchange reported. */
export interface Happened {
  /** The time, in Unix milliseconds. */
  readonly at: number
  /** The event, as the engine reports it. */
  readonly event: Event.Event
}

/** Prepares the exchange that every history of a program starts from. */
export const prepare = Effect.fnUntraced(function*(
  { dialect = Dialect.live, setUp = Prepared.setUp }: Program
): Effect.fn.Return<Journal.Prepared, SetUpFailed> {
  const { finish, tasks } = Runtime.make(start, 0)
  const journal = Journal.make(undefined, tasks.add)
  const server = yield* finish(Server.make(dialect, 0, journal))
  const { venue } = server.latest()
  const control = Control.make(venue)
  yield* finish(Effect.provideService(Effect.andThen(setUp, control.begin), Control.Control, control))
  const sequence = venue.sequence()
  return { snapshot: { sequence, origin: sequence, state: Snapshot.encode(venue.state) }, lines: journal.lines() }
})

/** A history in progress. */
class Running {
  private readonly program: Program
  /** The length of the period in which events happen, in milliseconds. */
  private readonly activeMillis: number
  private readonly scenario: Scenario.Scenario
  private readonly base: Runtime.Runtime
  private readonly server: Server.Server
  private readonly journal: Journal.Journal
  private readonly ambient: Ambient.Ambient
  private readonly network: Network.Network
  private readonly moment: Moment.Moment
  private readonly spans = Spans.make()
  private readonly contents = new Map<string, string | Uint8Array>()
  private readonly said = new Map<string, Moment.Said>()
  private readonly failures: Array<string> = []
  private readonly marks: Array<Mark> = []
  private readonly refusals: Array<Refusal> = []
  private readonly events: Array<Happened> = []
  private readonly monitors: ReadonlyArray<readonly [Invariant.Invariant, Invariant.Monitor]>
  private process: Process.Process | undefined
  private starts = 0
  private orders = 0
  private drift = 0
  private isRestartPending = false
  private isStopping = false
  private isOver = false
  private isCalm = false
  private scheduled: Events.Scheduled | undefined
  private broken: History["broken"]
  private invalid: string | undefined

  constructor(
    program: Program,
    scenario: Scenario.Scenario,
    parts: Runtime.Runtime,
    server: Server.Server,
    journal: Journal.Journal
  ) {
    const { fork, timeline } = parts
    this.program = program
    this.activeMillis = Duration.toMillis(Duration.fromInputUnsafe(program.during ?? "1 minute"))
    this.scenario = scenario
    this.base = parts
    this.server = server
    this.journal = journal
    this.ambient = Ambient.enter({
      date: () => timeline.now() + this.drift,
      now: timeline.now,
      random: Seeded.make(scenario.order, 4)
    })
    this.network = new Network.Network({
      scenario,
      timeline,
      server,
      fork,
      handedOver: (call) => this.handedOver(call)
    })
    this.moment = Moment.make({
      server,
      account: Example.alice.account,
      now: timeline.now,
      start,
      sent: this.network.calls,
      said: this.said,
      arrived: this.network.arrived,
      isRunning: () => this.process?.hasEnded() === false,
      starts: () => this.starts,
      failures: this.failures
    })
    this.monitors = program.invariants.map((invariant) =>
      [invariant, Invariant.watch(invariant, (millis) => timeline.after(millis, () => this.look()))] as const
    )
  }

  /** Schedules the scenario's events, and starts the program. */
  begin(): void {
    const { fork, timeline } = this.base
    const { calm = "30 seconds" } = this.program
    this.watch()
    this.scheduled = Events.schedule({
      timeline,
      server: this.server,
      fork: (effect) => this.oversee(fork(effect)),
      kill: (millis) => this.kill(millis),
      stop: (millis) => this.stop(millis),
      drift: (millis) => {
        this.drift = millis
      },
      started: () => this.watch(),
      refused: (event, why) => this.refuse(event, why),
      impossible: ({ _tag }, why) => {
        this.invalid = `the event ${_tag} can't happen: ${why}`
      }
    }, this.scenario)
    this.startProcess()
    const active = this.activeMillis
    const quiet = Duration.toMillis(Duration.fromInputUnsafe(calm))
    timeline.after(active, () => this.calm())
    timeline.after(active + quiet, () => this.conclude())
    timeline.after(active + quiet + grace, () => {
      this.isOver = true
    })
  }

  /**
   * Runs the history. Returns `true` when the history is over, or `false` if it has to wait for work that the seed does
   * not control, such as a promise.
   */
  run(): boolean {
    return this.ambient.detect(() => this.go())
  }

  private go(): boolean {
    const { tasks, timeline } = this.base
    while (!this.isOver) {
      if (tasks.runOne()) {
        if (tasks.count() > mostTasks) this.invalid = `the history did not end after ${mostTasks} tasks`
        if (this.invalid !== undefined) return true
      } else if (this.ambient.isPending()) return false
      // After an invariant breaks, the history continues until the end of the same millisecond, so that the story
      // includes everything that happened at this time.
      else if (this.broken !== undefined || this.isIdle()) this.isOver = true
      else {
        const next = timeline.next()
        if (next === undefined) this.isOver = true
        else timeline.advance(next)
      }
    }
    if (this.broken === undefined) {
      for (const [invariant, monitor] of this.monitors)
        this.judge(
          invariant,
          monitor.end
        )
    }
    return true
  }

  /** Returns the completed history. */
  end(): History {
    const { tasks, timeline } = this.base
    this.reportMissed()
    return {
      scenario: this.scenario,
      ...this.broken === undefined ? {} : { broken: this.broken },
      ...this.invalid === undefined ? {} : { invalid: this.invalid },
      reached: this.monitors.flatMap(([{ _tag, name }, monitor]) =>
        _tag === "Reached" && monitor.isReached() ? [name] : []
      ),
      foreign: this.ambient.foreign,
      marks: this.marks,
      refusals: this.refusals,
      channels: this.network.channels,
      moment: this.moment,
      millis: timeline.now() - start,
      calmAt: start + this.activeMillis,
      tasks: tasks.count(),
      lines: this.journal.lines,
      events: this.events,
      spans: this.spans.latest
    }
  }

  /** Reports the events that were still to come when the history ended. */
  private reportMissed(): void {
    this.scheduled?.end()
    const calls = this.network.calls.length
    for (const event of this.scenario.events) {
      if (event._tag === "KillAtCall" && event.call > calls) this.refuse(event, "the program made fewer calls")
    }
  }

  /** Restores the platform's clock and random numbers. */
  leave(): void {
    this.ambient.leave()
  }

  /** Whether a task is ready. */
  isReady(): boolean {
    return this.base.tasks.isReady()
  }

  /**
   * Whether the program has ended, will not be restarted, has no call in progress, and no invariant's time limit is
   * running. Once the exploration itself has stopped the program, limits no longer count, because the program could not
   * keep them.
   */
  private isIdle(): boolean {
    return this.process?.hasEnded() === true && !this.isRestartPending && this.network.pending() === 0 &&
      (this.isStopping || !this.monitors.some(([, monitor]) => monitor.isWaiting()))
  }

  private watch(): void {
    this.server.latest().venue.watch(({ at, events }) => {
      for (const event of events) this.events.push({ at: at / 1000, event })
      this.look()
    })
  }

  /** Makes the history invalid if carrying out an event fails, because this means that the sandbox has a bug. */
  private oversee(fiber: Fiber.Fiber<unknown>): void {
    fiber.addObserver((exit) => {
      if (Exit.isFailure(exit)) this.invalid = `the exchange has failed: ${Cause.pretty(exit.cause)}`
    })
  }

  private mark(what: Mark["what"], why?: string): void {
    this.marks.push({ at: this.base.timeline.now(), what, ...why === undefined ? {} : { why } })
  }

  private startProcess(): void {
    const { tasks, timeline } = this.base
    this.isRestartPending = false
    this.mark("started")
    this.process = Process.start(
      {
        dialect: this.program.dialect ?? Dialect.live,
        tasks,
        timeline,
        network: this.network,
        contents: this.contents,
        drift: () => this.drift,
        seed: this.scenario.order,
        tracer: this.spans.tracer,
        clientOrderId: () => `order-${++this.orders}`,
        hear: (name, value) => {
          this.said.set(name, { value: Say.copy(value), at: timeline.now(), process: this.starts })
          this.look()
        },
        ended: (_process, exit) => this.ended(Process.failureOf(exit))
      },
      this.program,
      ++this.starts
    )
  }

  private restartAfter(millis: number): void {
    if (this.isStopping) return
    this.isRestartPending = true
    this.base.timeline.after(millis, () => {
      if (!this.isStopping && this.isRestartPending) this.startProcess()
    })
  }

  private kill(downMillis: number): string | undefined {
    if (this.process?.hasEnded() !== false) return "the program is not running"
    this.process.kill()
    this.downMillis = undefined
    this.mark("killed")
    this.restartAfter(downMillis)
    return undefined
  }

  /** The time between the end of the process that is being stopped and its restart, in milliseconds. */
  private downMillis: number | undefined

  private stop(downMillis: number): string | undefined {
    if (this.process?.hasEnded() !== false) return "the program is not running"
    if (this.downMillis !== undefined) return "the program is already stopping"
    this.mark("stopped")
    this.downMillis = downMillis
    this.process.stop()
    return undefined
  }

  private ended(failure: string | undefined): void {
    const { downMillis } = this
    this.downMillis = undefined
    if (failure === undefined) this.mark("ended")
    else {
      this.failures.push(failure)
      this.mark("failed", failure)
    }
    if (downMillis !== undefined) this.restartAfter(downMillis)
    else if (failure !== undefined && this.program.restarts === true) this.restartAfter(pause)
    this.look()
  }

  private handedOver({ number }: Network.Sent): void {
    for (const event of this.scenario.events) {
      if (event._tag !== "KillAtCall" || event.call !== number) continue
      const why = this.isCalm ? Events.tooLate : this.kill(event.downMillis)
      if (why !== undefined) this.refuse(event, why)
    }
  }

  /** Records an event, or a step of it, that had no effect. */
  private refuse(event: Scenario.Event, why: string): void {
    this.refusals.push({ at: this.base.timeline.now(), event, why })
  }

  private calm(): void {
    this.isCalm = true
    this.scheduled?.calm()
  }

  /** Stops the program. The history ends once the program has ended. */
  private conclude(): void {
    this.isStopping = true
    if (this.process?.hasEnded() === false) {
      this.mark("stopped")
      this.process.stop()
    }
  }

  private judge(invariant: Invariant.Invariant, look: Invariant.Monitor["look"]): void {
    const judged = Result.try(() => look(this.moment))
    if (Result.isFailure(judged))
      this.invalid = `the invariant "${invariant.name}" threw an error: ${String(judged.failure)}`
    else if (judged.success !== undefined && this.broken === undefined) {
      this.broken = { invariant: invariant.name, why: judged.success, at: this.base.timeline.now() }
    }
  }

  private look(): void {
    if (this.broken !== undefined) return
    for (const [invariant, monitor] of this.monitors) this.judge(invariant, monitor.look)
  }
}

/** How long each attempt waits for work that the seed does not control, in milliseconds of real time. */
const patience = [0, 1, 5, 20]

/**
 * Waits until work that the seed does not control has made a task ready, or until the last attempt. Then continues the
 * history.
 */
const wait = (running: Running): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    for (const millis of patience) {
      yield* Effect.callback<void>((resume) => Ambient.turn(millis, () => resume(Effect.void)))
      if (running.isReady()) break
    }
    return running.run()
  })

/** Runs a history. */
export const run = Effect.fnUntraced(function*(
  program: Program,
  prepared: Journal.Prepared,
  scenario: Scenario.Scenario
): Effect.fn.Return<History> {
  const parts = Runtime.make(start, scenario.order)
  const journal = Journal.make(prepared, parts.tasks.add)
  const server = yield* parts.finish(Server.make(program.dialect ?? Dialect.live, scenario.order, journal))
  const running = new Running(program, scenario, parts, server, journal)
  return yield* Effect.gen(function*() {
    running.begin()
    let isOver = running.run()
    while (!isOver) isOver = yield* wait(running)
    return running.end()
  }).pipe(Effect.ensuring(Effect.sync(() => running.leave())))
})
