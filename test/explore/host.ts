/**
 * A host's venue as a program to explore. The venue falls asleep and wakes while clients call it, and the host is killed
 * and started again. The exchange of the exploration itself is not used.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Transport from "../../src/client/transport/Transport.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import * as Exchange from "../../src/Exchange.ts"
import { Explore, Invariant } from "../../src/explore/index.ts"
import * as Journal from "../../src/explore/Journal.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Views from "../../src/sandbox/control/Views.ts"
import * as Example from "../../src/sandbox/Example.ts"
import { type Answer, type Outcome, reset } from "../../src/sandbox/gateway/Message.ts"
import * as Resident from "../../src/sandbox/host/Resident.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import * as Chain from "../../src/sandbox/store/Chain.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { market } from "./programs.ts"

type Store = KeyValueStore.KeyValueStore

interface Options {
  /** The exchange that the venue starts from. */
  readonly prepared: Journal.Prepared
  /** Whether the host makes the mistake that the exploration must find: responding before commands are durable. */
  readonly isHasty: boolean
}

/** Sleeps for a random time of at most `millis` milliseconds. */
const pause = (millis: number) => Effect.flatMap(Random.nextIntBetween(0, millis), (drawn) => Effect.sleep(drawn))

/** Keys that start with `prefix`, without the prefix. */
const keysOf = (store: Store, prefix: string) =>
  Effect.map(store.keys, (keys) => keys.flatMap((key) => key.startsWith(prefix) ? [key.slice(prefix.length)] : []))

/**
 * The venue's journal, in the program's store. Like a disk, the store is slow, and it stores a group of commands either
 * completely or not at all. A hasty journal says that commands are durable before they are.
 */
const journalOn = Effect.fnUntraced(function*(store: Store, { isHasty, prepared }: Options) {
  const run = Effect.runForkWith(yield* Effect.context())
  let stored = 0
  const flush = (commit: () => void): Effect.Effect<void> =>
    Effect.suspend(() => {
      const lines = journal.commands.slice(stored).map((command) => Result.getOrThrow(Chain.encode(command)))
      if (lines.length === 0) {
        // Nothing may be appended between this check and the commit.
        commit()
        return Effect.void
      }
      const key = `group ${stored}`
      stored += lines.length
      if (isHasty) commit()
      return pause(300).pipe(
        Effect.andThen(Effect.orDie(store.set(key, JSON.stringify(lines)))),
        Effect.andThen(isHasty ? Effect.void : flush(commit))
      )
    })
  const journal = Journal.make(prepared, (commit) => void run(flush(commit)))
  const { append } = journal.open({ rules: "" })
  for (const from of (yield* keysOf(store, "group ")).map(Number).toSorted((one, other) => one - other)) {
    const lines = JSON.parse((yield* store.get(`group ${from}`)) ?? "[]") as ReadonlyArray<string>
    for (const line of lines) append(Result.getOrThrow(Chain.decode(line)))
  }
  stored = journal.commands.length
  return journal
})

/** Opens the venue as a host does, with slow files. */
const open = Effect.fnUntraced(function*(store: Store, journal: Journal.Journal, woken: (memory: boolean) => void) {
  yield* Effect.addFinalizer(() => pause(400))
  yield* pause(400)
  const memory = yield* store.getUint8Array("memory")
  const venue = yield* Venue.wake({
    dialect: Dialect.live,
    file: "venue",
    journal: (options) =>
      Effect.sync(() => ({ ...journal.open(options), digest: () => String(journal.commands.length) })),
    remember: (bytes) => Effect.orDie(store.set("memory", bytes)),
    ...(memory === undefined ? {} : { memory })
  })
  if (memory !== undefined) yield* store.remove("memory")
  woken(memory !== undefined)
  return venue
}, Effect.orDie)

/**
 * Wakes the venue if necessary, passes it to `use`, and returns the result. Returns `undefined` if the venue can't be
 * woken.
 */
const using = <A>(resident: Resident.Resident<never>, use: (venue: Venue.Venue["Service"]) => A) =>
  Effect.clockWith((clock) =>
    Effect.callback<A | undefined>((resume) =>
      resident.acquire(clock, (exit) => {
        const used = Exit.isSuccess(exit) ? use(exit.value.venue) : undefined
        if (Exit.isSuccess(exit)) resident.release(clock)
        resume(Effect.succeed(used))
      })
    )
  )

const isAnswer = (outcome: Outcome): outcome is Extract<Answer, { readonly _tag: "Answer" }> =>
  outcome._tag === "Answer"

const lost = new Transport.SendFailed({ proof: { kind: "lost" }, reason: "the connection was reset" })

/** Carries calls to the venue, with delays. A call continues even if its caller gives up. */
const transportTo = Effect.fnUntraced(function*(resident: Resident.Resident<never>, answered: () => void) {
  const run = Effect.runForkWith(yield* Effect.context())
  const carry = (request: Transport.Request) =>
    Effect.clockWith((clock) =>
      Effect.callback<Transport.Answer, Transport.SendFailed>((resume) => {
        const url = new URL(request.url)
        const message = {
          method: request.method,
          path: url.pathname,
          query: url.search.slice(1),
          headers: { host: url.host, ...request.headers },
          body: request.body ?? new Uint8Array(),
          from: "client"
        }
        const arrived = (outcome: Outcome) => {
          if (isAnswer(outcome)) answered()
          const { body, headers, status } = isAnswer(outcome) ? outcome : { body: "", headers: {}, status: 0 }
          run(Effect.delay(
            Effect.sync(() =>
              resume(status === 0 ? Effect.fail(lost) : Effect.succeed({ status, headers, text: body }))
            ),
            20
          ))
        }
        run(Effect.andThen(
          pause(100),
          Effect.sync(() =>
            resident.receive(
              message,
              clock,
              (given) => void run(Effect.map(Effect.isEffect(given) ? given : Effect.succeed(given), arrived)),
              (exit) => Exit.isSuccess(exit) ? Resident.backendFor(exit.value, message) ?? reset : reset
            )
          )
        ))
      })
    )
  return {
    send: (request: Transport.Request) =>
      Effect.timeoutOrElse(carry(request), {
        duration: request.timeout,
        orElse: () => Effect.fail(Transport.timedOut(request))
      })
  }
})

/** The client order ids of alice's orders on the venue. An id that several orders have is repeated. */
const ordersOn = ({ state }: Venue.Venue["Service"]): ReadonlyArray<string> =>
  [...Views.openOrders(state, Example.alice.account), ...Views.endedOrders(state, Example.alice.account)].flatMap(
    ({ clientOrderId }) => clientOrderId === undefined ? [] : [clientOrderId]
  )

const run = Effect.fnUntraced(function*(options: Options) {
  const store = yield* KeyValueStore.KeyValueStore
  // Like a host, closes the venue only after everything that calls it has ended.
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const journal = yield* journalOn(store, options)
  const accepted = new Set(yield* keysOf(store, "accepted "))
  const counts = { woken: 0, remembered: 0, waiting: 0, answered: 0 }
  const resident = Resident.make<never>({
    controlToken: "token",
    open: open(store, journal, (memory) => {
      counts.woken++
      if (memory) counts.remembered++
    }),
    capacity: Effect.succeed(true),
    baseUrl: () => "",
    onIdle: () => undefined,
    clock: yield* Effect.clockWith(Effect.succeed),
    scope,
    run: Effect.runForkWith(yield* Effect.context())
  })
  const transport = yield* transportTo(resident, () => counts.answered++)

  /** Compares the venue with the responses that clients have received. */
  const check = using(resident, (venue) => {
    const orders = ordersOn(venue)
    return {
      lost: [...accepted].filter((id) => !orders.includes(id)),
      twice: orders.filter((id, index) => orders.indexOf(id) !== index),
      forgotten: Math.max(0, counts.answered - venue.callLog.after(0).length)
    }
  }).pipe(Effect.flatMap((checked) => checked === undefined ? Effect.void : Explore.say("checked", checked)))

  const client = Effect.fnUntraced(function*(name: string) {
    const { create } = yield* LimitOrders.LimitOrders
    for (let order = 0; order < 4; order++) {
      yield* pause(3000)
      const clientOrderId = ClientOrderId.make(`${name}-${order}`)
      const terms = { market, side: "buy", amount: Decimal.amount("0.01"), price: Decimal.price("39000") } as const
      counts.waiting = Math.max(counts.waiting, resident.look().waiting)
      yield* create({ ...terms, clientOrderId }).pipe(
        Effect.andThen(Effect.sync(() => accepted.add(clientOrderId))),
        Effect.andThen(store.set(`accepted ${clientOrderId}`, "yes")),
        Effect.ignore
      )
    }
  })

  const sleeper = Effect.gen(function*() {
    yield* pause(2000)
    yield* (yield* Random.nextIntBetween(0, 5)) === 0 ? resident.restart : resident.sleep
    yield* Explore.say("counts", { ...counts })
    if ((yield* Random.nextIntBetween(0, 3)) === 0) yield* check
  })

  const starts = Number((yield* store.get("starts")) ?? 0) + 1
  yield* store.set("starts", String(starts))
  yield* check
  yield* Effect.forkScoped(Effect.forever(sleeper))
  yield* Effect.forEach(["a", "b", "c"], (name) => client(`${starts}-${name}`), { concurrency: "unbounded" }).pipe(
    Effect.provide(Exchange.layer({
      baseUrl: InProcess.baseUrl,
      dialect: Dialect.live,
      credentials: {
        apiKey: Redacted.make(Example.alice.apiKey),
        apiSecret: Redacted.make(Example.alice.apiSecret)
      },
      transport: Layer.succeed(Transport.Transport, transport)
    }))
  )
  yield* check
  yield* resident.sleep
  yield* check
})

const said = (name: string, field: string) => ({ said }: Parameters<Invariant.Always["holds"]>[0]): unknown =>
  (said.get(name)?.value as Record<string, unknown> | undefined)?.[field]

export const hosting = (options: Options) =>
  Explore.program({
    name: "hosting",
    run: run(options),
    invariants: [
      Invariant.neverFails,
      Invariant.always("an accepted order is never lost, and no order is placed twice", (moment) => {
        const [lost = [], twice = []] = [said("checked", "lost")(moment), said("checked", "twice")(moment)] as Array<
          ReadonlyArray<string> | undefined
        >
        return lost.length + twice.length === 0 || `lost: ${lost.join(" ")}; twice: ${twice.join(" ")}`
      }),
      Invariant.always(
        "a venue that has slept still has its log of calls",
        (moment) => (said("checked", "forgotten")(moment) ?? 0) === 0 || "calls are missing"
      ),
      Invariant.reached("a venue wakes with its memory", (moment) => Number(said("counts", "remembered")(moment)) > 0),
      Invariant.reached("callers wait for a venue", (moment) => Number(said("counts", "waiting")(moment)) > 0),
      Invariant.reached("a killed host has accepted orders", (moment) =>
        moment.starts > 1 && said("checked", "lost")(moment) !== undefined)
    ],
    during: "20 seconds",
    possible: { weights: { Kill: 4, Stop: 1, Drift: 1 } }
  })
