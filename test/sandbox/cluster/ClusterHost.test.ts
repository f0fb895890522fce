/** Tests a node whose database fails in ways that each test chooses. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlError from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as ClusterHost from "../../../src/sandbox/cluster/ClusterHost.ts"
import { Membership } from "../../../src/sandbox/cluster/Membership.ts"
import * as Tables from "../../../src/sandbox/cluster/Tables.ts"
import type { Outcome, Request } from "../../../src/sandbox/gateway/Message.ts"
import * as Sockets from "../../../src/sandbox/server/Sockets.ts"
import { until } from "../../support/clock.ts"
import { ping } from "../../support/host.ts"
import { itWithPostgres, postgresServer } from "../../support/postgres.ts"

/** Runs before each statement. Receives the statement's parameters and text. */
type Before = (parameters: ReadonlyArray<unknown>, text: string) => Effect.Effect<unknown, SqlError.SqlError>

/** Runs `before` before each of a client's statements. */
const watched = (sql: PgClient.PgClient, before: Before): PgClient.PgClient =>
  new Proxy(sql, {
    get: (target, key, self) =>
      key === "unsafe"
        ? (text: string, parameters: ReadonlyArray<unknown> = []) =>
          Effect.andThen(Effect.suspend(() => before(parameters, text)), target.unsafe(text, parameters))
        : Reflect.get(target, key, self) as unknown
  })

/** Starts the only node in a cluster. `isOurs` states whether the node's venues are still assigned to it. */
const nodeWith = Effect.fnUntraced(function*(before: Before, isOurs = () => true) {
  const located: Array<string> = []
  const membership = Layer.succeed(Membership, {
    locate: (venue) => Effect.sync(() => located.push(venue)).pipe(Effect.as("self")),
    isOurs,
    shards: () => 1,
    confirm: () => Effect.succeed(true)
  })
  const sender = { send: () => Effect.die("there is no other node"), tunnels: () => 0 }
  const { host } = yield* ClusterHost.open({ address: "self" }, sender).pipe(
    Effect.provideServiceEffect(PgClient.PgClient, Effect.map(PgClient.PgClient, (sql) => watched(sql, before))),
    Effect.provide(membership)
  )
  const get = Effect.fnUntraced(function*(id: string, path: string, headers: Request["headers"]) {
    const clock = yield* Clock.Clock
    const request: Request = { method: "GET", path, headers, body: new Uint8Array(), from: "test" }
    return yield* Effect.callback<Outcome>((resume) =>
      host.placement.send(id, request, clock, (given) => resume(Effect.isEffect(given) ? given : Effect.succeed(given)))
    )
  })
  const look = (id: string, path: string, headers: Request["headers"] = {}) =>
    Effect.map(get(id, path, headers), Sockets.decline)
  /** Connects to a venue's WebSocket, and returns a `Deferred` that completes when the connection closes. */
  const connect = Effect.fnUntraced(function*(id: string) {
    const outcome = yield* get(id, Sockets.path, { upgrade: "websocket" })
    if (outcome._tag !== "Upgraded") return assert.fail(outcome._tag)
    const ended = Deferred.makeUnsafe<void>()
    const end = () => Deferred.doneUnsafe(ended, Exit.void)
    assert.isTrue(Result.isSuccess(outcome.connect({ from: "", send: () => undefined, end, waiting: () => 0 })))
    return ended
  })
  const call = (id: string) =>
    look(id, ping).pipe(
      // A server resets the connection of a request that fails, so a failure counts as a reset here.
      Effect.exit,
      Effect.timeout("30 seconds"),
      Effect.map((exit) => Exit.isFailure(exit) || exit.value._tag === "Reset" ? "reset" : exit.value.status)
    )
  return { host, located, look, connect, call }
})

const itHasTables = (
  name: string,
  test: () => Effect.Effect<unknown, unknown, PgClient.PgClient | import("effect/Scope").Scope>
): void =>
  itWithPostgres(name, () =>
    Effect.gen(function*() {
      const { layer } = yield* postgresServer
      yield* Effect.provide(Effect.andThen(Tables.migrate, test()), layer)
    }))

const failure = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ message: "the connection broke", cause: new Error("the connection broke") })
})

/** The faults that can hit a database statement about a venue. */
const faults = {
  "it fails": () => Effect.fail(failure),
  "it dies": () => Effect.die("a defect"),
  "it is interrupted": () => Effect.interrupt,
  "another node has taken the venue over": (venue: string) =>
    Effect.flatMap(PgClient.PgClient, (sql) => sql`UPDATE txc_venue SET epoch = epoch + 1 WHERE venue = ${venue}`)
} as const

itHasTables(
  "the next call to a venue succeeds, whichever statement fails while the venue wakes or falls asleep, and however it fails",
  () =>
    Effect.gen(function*() {
      const context = yield* Effect.context<PgClient.PgClient>()
      /** For each venue, the number of statements that still succeed, and the fault that hits the next one. */
      const pending = new Map<unknown, { left: number; readonly fault: keyof typeof faults }>()
      const { call, host } = yield* nodeWith(([venue]) => {
        const plan = pending.get(venue)
        if (plan === undefined || plan.left-- > 0) return Effect.void
        pending.delete(venue)
        return Effect.provideContext(faults[plan.fault](String(venue)), context)
      })
      let happened = 0
      const suffers = Effect.fnUntraced(
        function*(fault: keyof typeof faults, when: "waking" | "sleeping", left: number) {
          const { id } = yield* host.make({ example: false })
          assert.strictEqual(yield* call(id), 200)
          if (when === "waking") assert.isTrue(yield* host.sleep(id))
          pending.set(id, { left, fault })
          const why = `${when}: ${fault}, statement ${left}`
          if (when === "sleeping") yield* Effect.timeout(Effect.exit(host.sleep(id)), "10 seconds")
          else assert.include([200, 503, "reset"], yield* call(id), why)
          const hasHappened = !pending.delete(id)
          if (hasHappened) happened++
          assert.strictEqual(yield* call(id), 200, why)
          return hasHappened
        }
      )
      const suffersEach = Effect.fnUntraced(function*(fault: keyof typeof faults, when: "waking" | "sleeping") {
        let left = 0
        while (yield* suffers(fault, when, left)) left++
        return left
      })
      yield* Effect.forEach(
        (Object.keys(faults) as ReadonlyArray<keyof typeof faults>).flatMap((fault) =>
          (["waking", "sleeping"] as const).map((when) => suffersEach(fault, when))
        ),
        (work) => work,
        { concurrency: 4, discard: true }
      )
      assert.isAbove(happened, 30)
    })
)

itHasTables(
  "a venue preserves its faults, limits and call log, whichever database statement fails while it is waking",
  () =>
    Effect.gen(function*() {
      let id = ""
      /** The number of statements about the venue that still succeed before one fails, or `undefined` if none fails. */
      let left: number | undefined
      /** The text of the statement that failed. */
      let failed = ""
      const { call, host, look } = yield* nodeWith(([venue], text) => {
        if (left === undefined || venue !== id || left-- > 0) return Effect.void
        left = undefined
        failed = text
        return Effect.fail(failure)
      })
      const { controlToken, id: made } = yield* host.make({ example: false })
      id = made
      const logged = Effect.gen(function*() {
        const answer = yield* look(id, "/control/v1/Requests", { authorization: `Bearer ${controlToken}` })
        return answer._tag === "Answer" ? answer.body.split(`"${ping}"`).length - 1 : assert.fail(answer._tag)
      })
      for (let working = 0, calls = 1;; working++, calls++) {
        assert.strictEqual(yield* call(id), 200)
        assert.strictEqual(yield* logged, calls)
        assert.isTrue(yield* host.sleep(id))
        left = working
        // Wakes the venue, and tries again if a statement fails.
        const kept = yield* logged
        assert.isUndefined(left, "a statement fails")
        // This statement is the first after waking. It confirms that the node may serve the venue.
        if (failed.includes("AS fenced")) break
        assert.strictEqual(kept, calls, failed)
      }
    })
)

/** Advances the test clock until the effect ends, with pauses in which statements finish, unless they hang. */
const passing = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.withLive(Effect.sleep(3))
      yield* TestClock.adjust(200)
    }
    return yield* Fiber.join(fiber)
  })

itHasTables(
  "if any database statement hangs while a venue is waking, a call gets 503 or a reset in ten seconds, and the venue wakes later",
  () =>
    Effect.gen(function*() {
      let id = ""
      /** The number of statements about the venue that still succeed before one hangs, or `undefined` if none hangs. */
      let left: number | undefined
      const { call, host } = yield* nodeWith(([venue]) =>
        left === undefined || venue !== id || left-- > 0 ? Effect.void : Effect.never
      )
      id = (yield* passing(host.make({ example: false }))).id
      const timed = (pause: number) =>
        Effect.gen(function*() {
          yield* Effect.sleep(pause)
          const began = yield* Clock.currentTimeMillis
          const answer = yield* call(id)
          return { answer, millis: (yield* Clock.currentTimeMillis) - began }
        })
      assert.strictEqual(yield* passing(call(id)), 200)
      // Waking a venue takes fewer than nine statements.
      for (let working = 0; working < 9; working++) {
        yield* until(passing(host.sleep(id)))
        left = working
        const answers = yield* passing(
          Effect.forEach([0, 3000, 7000, 9000, 15_000], timed, { concurrency: "unbounded" })
        )
        for (const { answer, millis } of answers) {
          // The time limit also applies to a call that has reached its venue and is waiting for its own command.
          assert.isAtMost(millis, 10_200, `${String(answer)} after ${working} statements`)
          assert.include(working === 0 ? [503] : [200, 503, "reset"], answer)
        }
        left = undefined
        yield* until(passing(Effect.map(call(id), (answer) => answer === 200)))
      }
    }).pipe(Effect.provide(TestClock.layer()))
)

itHasTables(
  "when a venue is assigned to another node, its feed and WebSockets close, even while the database does not respond",
  () =>
    Effect.gen(function*() {
      let isOurs = true
      let isSilent = false
      const { connect, host, look } = yield* nodeWith(() => isSilent ? Effect.never : Effect.void, () => isOurs)
      const { controlToken, id } = yield* host.make({ dialect: "live", example: false })
      const feed = yield* look(id, "/control/v1/Events", { authorization: `Bearer ${controlToken}` })
      if (feed._tag !== "Stream") return assert.fail(feed._tag)
      const reading = yield* Effect.forkChild(Stream.runDrain(feed.body), { startImmediately: true })
      const ended = yield* connect(id)
      assert.isFalse(yield* host.sleep(id))
      isOurs = false
      isSilent = true
      yield* Fiber.await(reading)
      yield* Deferred.await(ended)
      isSilent = false
    })
)

itHasTables(
  "many calls to nonexistent venues cause only a few queries, and no search for a node",
  () =>
    Effect.gen(function*() {
      let statements = 0
      const { call, host, located } = yield* nodeWith(() => Effect.sync(() => void statements++))
      const before = statements
      const began = yield* Clock.currentTimeMillis
      const answers = yield* Effect.forEach(
        Array.from({ length: 1000 }, (_, at) => `unknown${at}`),
        call,
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers)], [404])
      // Each second, the node also looks for new, ended and lost venues, reports its state, and sometimes deletes
      // expired responses.
      const seconds = Math.ceil(((yield* Clock.currentTimeMillis) - began) / 1000)
      assert.isAtMost(statements - before, 2 + 5 * seconds)
      assert.deepStrictEqual(located, [])
      const { id } = yield* host.make({ example: false })
      assert.strictEqual(yield* call(id), 200)
    })
)
