import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Check from "../../src/oracle/Check.ts"
import { rules } from "../../src/oracle/Rules.ts"
import { runRule } from "../../src/oracle/Run.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { isLong, isSample, sampleOf } from "../support/long.ts"
import * as Support from "../support/oracle.ts"
import { all, streams } from "./mutants/all.ts"
import * as Mutant from "./mutants/Mutant.ts"
import * as Shapes from "./mutants/Shapes.ts"

const dialects = [Dialect.document, Dialect.live]

const ruleOf = (id: string) => rules.find((rule) => rule.id === id) ?? assert.fail(`unknown rule ${id}`)

const applies = (id: string, { name }: Dialect.Dialect): boolean => ruleOf(id).dialects[name]._tag !== "NotApplicable"

/**
 * Skips the check's waits for late lists and market data, because mutants are never late. Timeouts stay as they are.
 */
const withoutWaiting = Effect.updateService(Clock.Clock, (clock) => ({
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  sleep: (duration) => Duration.toMillis(duration) < 2000 ? Effect.void : clock.sleep(duration)
}))

/**
 * Runs a rule on a sandbox with this fault, and returns the rule's outcome. Tries a single run first, because one
 * run is enough to detect most faults.
 */
const outcome = Effect.fnUntraced(function*(id: string, dialect: Dialect.Dialect, change: Mutant.Change) {
  const run = (runs: number) =>
    Effect.scoped(Effect.gen(function*() {
      const target = yield* Support.inProcess(dialect, Mutant.layer(change, dialect).pipe(Layer.orDie))
      const session = Session.make(target, "control", yield* Target.now)
      return yield* withoutWaiting(runRule(session, ruleOf(id), { seed: 1, runs }))
    }))
  const first = yield* run(1)
  return first._tag === "Broken" ? first : yield* run(10)
})

/** Defines tests that run only in long test runs, as in CI, because there are hundreds of malformed responses. */
const describeInFull = isLong ? describe : () => undefined

// -----------------------------------------------------------------------------
// Malformed responses
// -----------------------------------------------------------------------------

/** For each call's path, the objects in its response, with the id prefix of the rules about each object's fields. */
const tables: Readonly<Record<string, ReadonlyArray<readonly [within: string, rules: string]>>> = {
  [Paths.interest]: [["records.*.", "interest.payment."], ["", "interest.response."]],
  [Paths.oco]: [["", "oco.response."]],
  [Paths.stopLimit]: [["", "stop-limit.response."]],
  [Paths.fees]: [["*.", "fees.entry."]],
  [Paths.applyCode]: [["", "codes.result."]],
  [Paths.mainBalance]: [["*.", "balance.entry."]],
  [Paths.markets]: [["*.", "markets.entry."]],
  [Paths.subAccounts]: [["data.*.", "sub-accounts.entry."], ["", "sub-accounts.response."]],
  [Paths.apiKeys]: [["data.*.", "api-keys.entry."], ["", "api-keys.response."]]
}

const documentKeys: Readonly<Record<string, string>> = {
  orderId: "order_id",
  clientOrderId: "client_order_id",
  dealMoney: "deal_money",
  dealStock: "deal_stock",
  dealFee: "deal_fee"
}

const ruleAt = (path: string, place: Mutant.Place): string => {
  const name = place.join(".")
  const found = tables[path]?.find(([within]) => name.startsWith(within)) ?? assert.fail(`no table for ${path}`)
  const [within, prefix] = found
  return prefix +
    name.slice(within.length).replace(/\*\./gu, "").replace(/[A-Za-z]+$/u, (key) => documentKeys[key] ?? key)
}

/** Whether the live exchange may omit the field, in which case a missing field is not a fault. */
const mayBeMissing = (id: string, { name }: Dialect.Dialect): boolean => {
  const expectation = ruleOf(id).dialects[name]
  return expectation._tag === "Other" && expectation.expectation.includes("may be missing")
}

/** Returns the sandbox's response with the most fields to each call: the longest, if several have as many. */
const answers = (dialect: Dialect.Dialect) =>
  Effect.gen(function*() {
    const found = new Map<string, unknown>()
    const sizes = new Map<string, readonly [fields: number, length: number]>()
    const record = Mutant.layer({
      make: () => ({
        answer: (answer, { path }) => {
          if (answer.status < 300 && Object.hasOwn(tables, path)) {
            const json = Mutant.jsonOf(answer)
            const size = [Shapes.places(json, isName(path)).length, JSON.stringify(json).length] as const
            const [fields = 0, length = 0] = sizes.get(path) ?? []
            if (size[0] > fields || (size[0] === fields && size[1] > length)) {
              found.set(path, json)
              sizes.set(path, size)
            }
          }
          return answer
        }
      })
    }, dialect)
    const target = yield* Support.inProcess(dialect, record.pipe(Layer.orDie))
    // The other rules take most of a check's time, and get no responses to these calls with more fields.
    const only = Object.values(tables).flat().map(([, prefix]) => prefix.replace(/\..*/u, ""))
    yield* Check.check(target, { profile: "control", seed: 1, runs: 1, only, skip: ["*.model", "*.applies"] })
    assert.sameMembers([...found.keys()], Object.keys(tables))
    return found
  })

const isName = (path: string) => (key: string) => path !== Paths.mainBalance || key === "main_balance"

describeInFull("malformed responses", () => {
  for (const dialect of dialects) {
    it.live(
      `every missing or retyped field of every response breaks its rule (${dialect.name})`,
      () =>
        Effect.gen(function*() {
          const survivors: Array<string> = []
          const found = new Set<string>()
          for (const [path, answer] of yield* answers(dialect)) {
            for (const place of sampleOf(Shapes.places(answer, isName(path)))) {
              const id = ruleAt(path, place)
              // The document names only some of a market's fields. No rule checks whether a live leg is reduce-only.
              const mayLackRule = path === Paths.markets || id.endsWith(".reduceOnly")
              if (mayLackRule && !rules.some((rule) => rule.id === id)) continue
              const faults = Shapes.faultsAt(path, place).filter(({ fault }) =>
                fault !== "missing" || !mayBeMissing(id, dialect)
              )
              for (const fault of faults) {
                const { _tag } = yield* outcome(id, dialect, fault)
                if (_tag === "Broken") found.add(id)
                else survivors.push(`${path} ${place.join(".")} ${fault.fault}: ${id} is ${_tag}`)
              }
            }
          }
          assert.deepStrictEqual(survivors, [])
          if (isSample) return
          // Conversely, every rule about a field is broken by a fault in some response, or by a separate mutant.
          const untouched = rules.map(({ id }) => id).filter((id) =>
            Object.values(tables).flat().some(([, prefix]) => id.startsWith(prefix)) && !found.has(id)
          )
          const own = new Set(all.flatMap(({ breaks }) => breaks))
          assert.deepStrictEqual(untouched.filter((id) => !own.has(id)), [])
        })
    )
  }
})

// -----------------------------------------------------------------------------
// Semantic faults
// -----------------------------------------------------------------------------

describe("semantic faults", () => {
  it("every mutant has a unique id", () => {
    assert.strictEqual(new Set(all.map(({ id }) => id)).size, all.length)
  })

  // Only long test runs, as in CI, check all mutants.
  for (const dialect of isLong ? dialects : []) {
    it.live(`every mutant breaks all the rules that it lists (${dialect.name})`, () =>
      Effect.gen(function*() {
        const survivors: Array<string> = []
        let count = 0
        for (const mutant of sampleOf(all)) {
          if (mutant.dialects?.includes(dialect.name) === false) continue
          for (const id of mutant.breaks) {
            if (!applies(id, dialect)) continue
            count++
            const { _tag } = yield* outcome(id, dialect, mutant)
            if (_tag !== "Broken") survivors.push(`${mutant.id}: ${id} is ${_tag}`)
          }
        }
        assert.deepStrictEqual(survivors, [], `${count - survivors.length} of ${count} found`)
      }))
  }

  for (const dialect of dialects) {
    it(`every rule that applies to the dialect has a mutant (${dialect.name})`, () => {
      const faults = all.filter(({ dialects }) => dialects?.includes(dialect.name) !== false)
      const broken = new Set([...faults, ...streams].flatMap(({ breaks }) => breaks))
      // No mutant is needed for these rules, because long test runs prove that malformed responses break them.
      const form = Object.values(tables).flat().map(([, prefix]) => prefix)
      const without = rules.map(({ id }) => id).filter((id) =>
        applies(id, dialect) && !broken.has(id) && !form.some((prefix) => id.startsWith(prefix))
      )
      assert.deepStrictEqual(without, [])
    })
  }
})
