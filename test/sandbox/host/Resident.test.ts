import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Resident from "../../../src/sandbox/host/Resident.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import { passing } from "../../support/clock.ts"
import { property } from "../../support/property.ts"

/** The possible outcomes of a step in opening or closing a venue. */
const steps = {
  works: Effect.void,
  dies: Effect.die("a defect"),
  "is interrupted": Effect.interrupt,
  "takes long": Effect.sleep("4 seconds"),
  "takes too long": Effect.sleep("40 seconds"),
  hangs: Effect.never,
  "is stuck": Effect.uninterruptible(Effect.never)
} as const

const openings = ["works", "dies", "is interrupted", "takes long", "takes too long", "hangs", "is stuck"] as const
// A finalizer can't be interrupted, so a venue whose finalizer hangs can't close.
const closings = ["works", "dies", "takes long", "takes too long", "is stuck"] as const

const attempt = fc.record({
  before: fc.constantFrom(...openings),
  after: fc.constantFrom(...openings),
  closing: fc.constantFrom(...closings)
})

const action = fc.record({
  at: fc.integer({ min: 0, max: 60 }),
  kind: fc.constantFrom("call", "call", "call", "sleep", "restart", "end")
})

/** Creates a venue whose first attempts to wake follow the plan. Later attempts succeed. */
const residentOf = Effect.fnUntraced(function*(
  plan: ReadonlyArray<{
    readonly before: keyof typeof steps
    readonly after: keyof typeof steps
    readonly closing: keyof typeof steps
  }>
) {
  let attempts = 0
  const open: Effect.Effect<Venue.Venue["Service"], never, Scope.Scope> = Effect.gen(function*() {
    const { after, before, closing } = plan[attempts++] ?? { before: "works", after: "works", closing: "works" }
    yield* Effect.addFinalizer(() => steps[closing])
    yield* steps[before]
    const venue = yield* Effect.orDie(Venue.make({ dialect: Dialect.document }))
    yield* steps[after]
    return venue
  })
  return Resident.make<never>({
    controlToken: "token",
    open,
    capacity: Effect.succeed(true),
    baseUrl: () => "",
    onIdle: () => undefined,
    clock: yield* Clock.Clock,
    // The venue has a separate scope, because the test's own scope could not be closed if the venue is stuck.
    scope: yield* Scope.make(),
    run: Effect.runForkWith(yield* Effect.context())
  })
})

/** Uses the venue for one second. Returns the outcome. */
const use = <E>(resident: Resident.Resident<E>) =>
  Effect.clockWith((clock) =>
    Effect.gen(function*() {
      const exit = yield* Effect.callback<Exit.Exit<unknown, unknown>>((resume) =>
        resident.acquire(clock, (exit) => resume(Effect.succeed(exit)))
      )
      if (Exit.isSuccess(exit)) {
        yield* Effect.sleep("1 second")
        resident.release(clock)
      }
      return Exit.match(exit, { onSuccess: () => "used", onFailure: () => "refused" })
    })
  )

/** The maximum waits in milliseconds, including one second of use and one step of the test clock. */
const bounds = { call: Resident.patience + 2000, sleep: 11_000, restart: 11_000, end: 16_000 }

property(
  "however opening or closing a venue fails, every wait ends in time, and a later call reaches the venue unless the venue is stuck",
  [fc.array(attempt, { maxLength: 4 }), fc.array(action, { minLength: 1, maxLength: 12 })],
  (plan, actions) =>
    Effect.gen(function*() {
      const resident = yield* residentOf(plan)
      const doing = {
        call: use(resident),
        sleep: Effect.suspend(() => resident.sleep),
        restart: Effect.suspend(() => resident.restart),
        end: Effect.suspend(() => resident.end)
      }
      yield* passing(
        Effect.forEach(actions, ({ at, kind }) =>
          Effect.gen(function*() {
            yield* Effect.sleep(at * 1000)
            const began = yield* Clock.currentTimeMillis
            yield* doing[kind as keyof typeof doing]
            assert.isAtMost((yield* Clock.currentTimeMillis) - began, bounds[kind as keyof typeof bounds], kind)
          }), { concurrency: "unbounded", discard: true }),
        1000
      )
      const isStuck = plan.some(({ after, before, closing }) => [after, before, closing].includes("is stuck"))
      if (isStuck || actions.some(({ kind }) => kind === "end")) return
      // Each attempt takes at most one minute to open and forty seconds to close.
      for (const _ of [...plan, undefined]) {
        yield* passing(use(resident), 1000)
        yield* passing(Effect.sleep("101 seconds"), 1000)
      }
      assert.strictEqual(yield* passing(use(resident), 1000), "used")
    }).pipe(Effect.provide(Logger.layer([]))),
  { runs: 100, timeout: 600_000 }
)
