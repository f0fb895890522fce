import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { Amount, Price } from "../../../src/domain/Decimal.ts"
import { MarketName, PlanId } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as History from "../../../src/sandbox/engine/History.ts"
import type { State } from "../../../src/sandbox/engine/State.ts"
import * as Snapshot from "../../../src/sandbox/store/Snapshot.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import * as Engine from "../../support/engine.ts"
import { usdt } from "../../support/exchange.ts"
import { scratchFile } from "../../support/files.ts"
import { property } from "../../support/property.ts"
import { commands } from "./commands.ts"

const dialect = Dialect.document

/** Returns the hash of a state without its identity, which a restore does not reset. */
const hash = (state: State): string => {
  const { identity: _identity, ...rest } = state
  return Engine.hash(rest)
}

/** Commands that change the parts of the state that random commands do not change. */
const settings = (at: number): ReadonlyArray<Command> => [
  { at, action: { _tag: "SetSkew", skew: 5000 } },
  { at, action: { _tag: "SetClock", clock: { _tag: "Running", ahead: 7 } } },
  { at, action: playPrices("BTC_USDT", [[1, "900"], [2000, "1100"]]) },
  {
    at,
    action: { _tag: "OpenPlan", planId: PlanId.make("plan"), ticker: usdt, dailyPercent: Amount.make("1"), days: 3 }
  }
]

/**
 * The random commands, except price paths with a price that is due immediately. The venue would apply such a price
 * itself, with an extra command.
 */
const withoutDuePrices = commands.map((list) =>
  list.filter(({ action }) => action._tag !== "PlayPrices" || action.steps.every(({ afterMillis }) => afterMillis > 0))
)

const playPrices = (market: string, steps: ReadonlyArray<readonly [number, string]>) => ({
  _tag: "PlayPrices" as const,
  market: MarketName.make(market),
  steps: steps.map(([afterMillis, price]) => ({ afterMillis, price: Price.make(price) }))
})

type Step = { readonly _tag: "Replay"; readonly count: number } | {
  readonly _tag: "Restore" | "Fork"
  readonly share: number
} | { readonly _tag: "Reset" | "Begin" | "Snapshot" | "Reopen" }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ _tag: fc.constant("Replay" as const), count: fc.integer({ min: 1, max: 15 }) })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        _tag: fc.constantFrom("Restore" as const, "Restore" as const, "Fork" as const),
        share: fc.double({ min: 0, max: 1, noNaN: true })
      })
    },
    { weight: 3, arbitrary: fc.record({ _tag: fc.constantFrom("Reset" as const, "Begin", "Snapshot", "Reopen") }) }
  ),
  { minLength: 8, maxLength: 30 }
)

describe("restoring a state", () => {
  property(
    "a restore returns to the state after the given command, whatever has happened since",
    [withoutDuePrices, steps],
    (list, steps) =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        /** The hash of the state after each command. */
        const states: Array<string> = []
        let origin = 0
        let left: ReadonlyArray<Command> = list
        const opened = <A, E>(
          work: (venue: Venue.Venue["Service"], control: Control.Control["Service"]) => Effect.Effect<A, E>
        ) =>
          Effect.scoped(Effect.flatMap(
            Venue.make({ dialect, file }),
            (venue) => work(venue, Control.make(venue))
          ))
        const segments: Array<Array<Step>> = [[]]
        for (const step of steps)
          if (step._tag === "Reopen") segments.push([])
          else segments.at(-1)?.push(step)

        for (const segment of segments) {
          yield* opened((venue, control) =>
            Effect.gen(function*() {
              if (states.length === 0) states.push(hash(venue.state))
              assert.strictEqual(hash(venue.state), states.at(-1), "reopened")
              assert.strictEqual(venue.sequence(), states.length - 1)
              assert.strictEqual(venue.origin(), origin)
              for (const step of segment) {
                const last = states.length - 1
                switch (step._tag) {
                  case "Replay":
                    for (const command of left.slice(0, step.count)) {
                      yield* venue.replay([command])
                      if (venue.sequence() === states.length) states.push(hash(venue.state))
                    }
                    left = left.slice(step.count)
                    break
                  case "Restore": {
                    const to = Math.round(step.share * last)
                    yield* control.restore(to)
                    assert.strictEqual(hash(venue.state), states[to], `restored ${to} of ${last}`)
                    states.push(hash(venue.state))
                    break
                  }
                  case "Reset":
                    yield* control.reset
                    assert.strictEqual(hash(venue.state), states[origin])
                    states.push(hash(venue.state))
                    break
                  case "Fork": {
                    const of = Math.round(step.share * last)
                    const forked = yield* Effect.scoped(Effect.map(control.fork(of), (fork) => [
                      hash(fork.state),
                      fork.sequence(),
                      fork.journal.sequence()
                    ]))
                    assert.deepStrictEqual(forked, [states[of], of, of])
                    break
                  }
                  case "Begin":
                    yield* control.begin
                    origin = venue.sequence()
                    states.push(hash(venue.state))
                    break
                  default:
                    assert.strictEqual(yield* control.snapshot, last)
                }
                assert.strictEqual(venue.sequence(), states.length - 1)
              }
            })
          )
        }
        // Another venue reaches the same state and digest from the exported journal alone.
        yield* opened((venue, control) =>
          Effect.gen(function*() {
            const lines = yield* Stream.runCollect(control.journal)
            assert.strictEqual(lines.length, states.length - 1)
            const other = yield* Venue.make({ dialect })
            yield* Control.make(other).replay(lines)
            assert.deepStrictEqual([hash(other.state), other.journal.digest(), other.origin()], [
              states.at(-1),
              venue.journal.digest(),
              origin
            ])
          }).pipe(Effect.scoped)
        )
      }),
    { runs: 40, timeout: 600_000 }
  )

  property(
    "a state that was encoded and decoded continues like the original",
    [commands, commands],
    (before, after) =>
      Effect.sync(() => {
        const history = History.make(dialect.policy)
        const none = () => assert.fail("no command restores an earlier state")
        for (const command of [...before, ...settings(before.at(-1)?.at ?? 0)]) History.apply(history, command, none)
        const decoded = { ...history, state: Snapshot.decode(Snapshot.encode(history.state), dialect.policy) }
        assert.strictEqual(hash(decoded.state), hash(history.state))
        const later = history.state.at
        for (const { action, at } of after) {
          const command = { at: at + later, action }
          assert.strictEqual(
            Engine.canonical(History.apply(decoded, command, none)),
            Engine.canonical(History.apply(history, command, none))
          )
        }
        assert.strictEqual(hash(decoded.state), hash(history.state))
      }),
    { runs: 60 }
  )
})
