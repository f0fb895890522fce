/**
 * One rule of the document: a statement, and the property that shows whether a target keeps it. The property is part of
 * the rule, so every rule is checked.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Rule } from "effect-txc/oracle"
 *
 * // A rule of your own: pass it to `check` as one of its `rules`.
 * export const ping = Rule.always({
 *   id: "my.ping",
 *   statement: "Answers a ping with HTTP 200",
 *   clause: "Endpoints §8",
 *   profile: "read-only",
 *   check: (world) =>
 *     Effect.flatMap(world.get("/api/v4/public/ping"), (answer) =>
 *       Rule.expect(answer, "HTTP 200", answer.status === 200))
 * })
 * ```
 */
import type * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type { Dialect } from "../protocol/Dialect.ts"
import type { Profile } from "./Profile.ts"
import type { CheckError } from "./Verdict.ts"
import type { World } from "./world/World.ts"

export { type Profile, profiles } from "./Profile.ts"
export { Broken, type CheckError, conclude, describe, expect, isBroken, skip, Skipped } from "./Verdict.ts"

/**
 * How a dialect treats a rule: it keeps the rule, does something else according to a source, or the rule does not
 * apply.
 *
 * @category models
 */
export type Expectation = Same | Other | NotApplicable

/**
 * The dialect keeps the rule as it stands.
 *
 * @category models
 */
export interface Same {
  readonly _tag: "Same"
}

/**
 * The dialect deviates from the document. The rule checks the dialect's own behaviour.
 *
 * @category models
 */
export interface Other {
  readonly _tag: "Other"
  /** The dialect's behaviour, in words. */
  readonly expectation: string
  /** The source of that behaviour. */
  readonly source: string
}

/**
 * The rule does not apply to the dialect, and is skipped there.
 *
 * @category models
 */
export interface NotApplicable {
  readonly _tag: "NotApplicable"
  /** The reason, in words. */
  readonly why: string
}

/**
 * The dialect keeps the rule as it stands.
 *
 * @category constructors
 */
export const same: Expectation = { _tag: "Same" }

/**
 * The source of deviations that the owner of the live exchange has published.
 *
 * @category constructors
 */
export const liveDocumentation = "the live exchange's own documentation"

/**
 * The source of deviations that clients have recorded.
 *
 * @category constructors
 */
export const liveAnswers = "recorded answers of the live exchange"

/**
 * The dialect deviates from the document. The default source is the live exchange's own documentation.
 *
 * @category constructors
 */
export const other = (expectation: string, source: string = liveDocumentation): Expectation => ({
  _tag: "Other",
  expectation,
  source
})

/**
 * The rule does not apply to the dialect.
 *
 * @category constructors
 */
export const notApplicable = (why: string): Expectation => ({ _tag: "NotApplicable", why })

/**
 * Settings of a check that a generator may depend on.
 *
 * @category models
 */
export interface Setting {
  /** The dialect that the target is expected to speak. */
  readonly dialect: Dialect
  /** The profile of the check. */
  readonly profile: Profile
  /** The point where fast-check resumes shrinking a command sequence; only in a replay. */
  readonly replayPath?: string
}

/**
 * The property of a rule.
 *
 * @category models
 */
export interface Property {
  /** The generator of the values. */
  readonly values: (setting: Setting) => fc.Arbitrary<unknown>
  /** Values that every check tries first, before it generates any. */
  readonly examples: (setting: Setting) => ReadonlyArray<unknown>
  /** The most runs that are useful; 1 or more, `Infinity` for no limit. */
  readonly runs: number
  /** Succeeds when the rule holds for one value. */
  readonly check: (world: World, value: never) => Effect.Effect<unknown, CheckError>
}

/**
 * One rule of the document.
 *
 * @category models
 */
export interface Rule {
  /** Stable and unique. The parts between the dots go from the group to the detail: `auth.nonce.unique`. */
  readonly id: string
  /** The requirement, in one line. */
  readonly statement: string
  /** The heading of the document that states the requirement. */
  readonly clause: string
  /**
   * `MUST` where the document states it; `SHOULD` where the document leaves it open and this project takes a stance;
   * `INFO` where the rule only records what the target does.
   */
  readonly level: "MUST" | "SHOULD" | "INFO"
  /** The weakest profile that can run the rule. */
  readonly profile: Profile
  /** How each dialect treats the rule. */
  readonly dialects: { readonly [K in Dialect["name"]]: Expectation }
  /** The check of the rule and its inputs. */
  readonly property: Property
}

/**
 * Everything in a rule but its property.
 *
 * @category models
 */
export interface Heading {
  /** Stable and unique: `auth.nonce.unique`. */
  readonly id: string
  /** The requirement, in one line. */
  readonly statement: string
  /** The heading of the document that states the requirement. */
  readonly clause: string
  /** `MUST` by default. */
  readonly level?: Rule["level"]
  /** The weakest profile that can run the rule; `control` by default. */
  readonly profile?: Profile
  /** How the document's dialect treats the rule; `same` by default. */
  readonly document?: Expectation
  /** How the live dialect treats the rule; `same` by default. */
  readonly live?: Expectation
}

const heading = (
  { clause, document = same, id, level = "MUST", live = same, profile = "control", statement }: Heading
): Omit<Rule, "property"> => ({ id, statement, clause, level, profile, dialects: { document, live } })

/**
 * A rule that holds for every value of a generator.
 *
 * @category models
 */
export interface ForAll<A> extends Heading {
  /** The generator. */
  readonly values: fc.Arbitrary<A> | ((setting: Setting) => fc.Arbitrary<A>)
  /** Values that every check tries first; none by default. */
  readonly examples?: ReadonlyArray<NoInfer<A>> | ((setting: Setting) => ReadonlyArray<NoInfer<A>>)
  /** The most runs that are useful; no limit by default. */
  readonly runs?: number
  /** Succeeds when the rule holds for one value. */
  readonly check: (world: World, value: A) => Effect.Effect<unknown, CheckError>
}

/**
 * Makes a rule that holds for every value of a generator.
 *
 * @category constructors
 */
export const forAll = <A>(rule: ForAll<A>): Rule => {
  const { check, examples = [], runs = Infinity, values } = rule
  return {
    ...heading(rule),
    property: {
      values: typeof values === "function" ? values : () => values,
      examples: typeof examples === "function" ? examples : () => examples,
      runs,
      check
    }
  }
}

/**
 * A rule that holds for each of a few values.
 *
 * @category models
 */
export interface ForEach<A> extends Heading {
  /** The values; every check tries all of them. */
  readonly values: ReadonlyArray<A> | ((setting: Setting) => ReadonlyArray<A>)
  /** Succeeds when the rule holds for one value. */
  readonly check: (world: World, value: A) => Effect.Effect<unknown, CheckError>
}

/**
 * Makes a rule that holds for each of a few values. Every check tries all of them.
 *
 * @category constructors
 */
export const forEach = <A>(rule: ForEach<A>): Rule => {
  const all = (setting: Setting) => typeof rule.values === "function" ? rule.values(setting) : rule.values
  return forAll({ ...rule, values: (setting) => fc.constantFrom(...all(setting)), examples: all, runs: 1 })
}

/**
 * A rule that needs no values.
 *
 * @category models
 */
export interface Always extends Heading {
  /** Succeeds when the rule holds. */
  readonly check: (world: World) => Effect.Effect<unknown, CheckError>
}

/**
 * Makes a rule that needs no values.
 *
 * @category constructors
 */
export const always = (rule: Always): Rule =>
  forAll({ ...rule, values: fc.constant({}), runs: 1, check: (world) => rule.check(world) })
