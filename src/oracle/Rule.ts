/**
 * Rules. Each rule consists of a statement from the document, and a property that shows whether a target satisfies the
 * statement. No rule exists without a property.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Rule } from "effect-txc/oracle"
 *
 * // A rule of your own: pass it to `check` as one of its `rules`.
 * export const ping = Rule.always({
 *   id: "my.ping",
 *   statement: "Responds to a ping with HTTP 200",
 *   clause: "Endpoints §8",
 *   profile: "read-only",
 *   check: (world) =>
 *     Effect.flatMap(world.get("/api/v4/public/ping"), (response) =>
 *       Rule.expect(response, "HTTP 200", response.status === 200))
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
 * How binding a rule is. `MUST`: the document states the requirement or, in the live dialect, the live exchange's
 * documentation does. `SHOULD`: the point is left open, and this project takes a stance. `INFO`: the rule only records
 * the target's behavior.
 *
 * @category models
 */
export type Level = "MUST" | "SHOULD" | "INFO"

/**
 * How a rule applies to a dialect: unchanged, not at all, or with a different behavior and the source of that behavior.
 *
 * @category models
 */
export type Expectation = Same | Other | NotApplicable

/**
 * The rule applies to the dialect unchanged.
 *
 * @category models
 */
export interface Same {
  readonly _tag: "Same"
}

/**
 * The dialect deviates from the document. The rule checks the dialect's own behavior.
 *
 * @category models
 */
export interface Other {
  readonly _tag: "Other"
  /** A description of the dialect's behavior. */
  readonly expectation: string
  /** The source of that behavior. */
  readonly source: string
  /** The level in this dialect; the rule's own by default. */
  readonly level?: Level
}

/**
 * The rule does not apply to the dialect, and is skipped there.
 *
 * @category models
 */
export interface NotApplicable {
  readonly _tag: "NotApplicable"
  /** The reason why the rule does not apply. */
  readonly why: string
}

/**
 * The rule applies to the dialect unchanged.
 *
 * @category constructors
 */
export const same: Expectation = { _tag: "Same" }

/**
 * The source named for deviations that the operator of the live exchange has published.
 *
 * @category constructors
 */
export const liveDocumentation = "the live exchange's own documentation"

/**
 * The source named for deviations that clients have recorded.
 *
 * @category constructors
 */
export const liveAnswers = "recorded responses of the live exchange"

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
 * The live exchange's own documentation states the behavior, so the rule is `MUST` in the live dialect, even if the
 * document leaves the point open.
 *
 * @category constructors
 */
export const documented = (expectation: string): Expectation => ({
  _tag: "Other",
  expectation,
  source: liveDocumentation,
  level: "MUST"
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
  /** The point where fast-check resumes shrinking a call sequence; only in a replay. */
  readonly replayPath?: string
}

/**
 * The property of a rule: its values, and the check of one value.
 *
 * @category models
 */
export interface Property {
  /** The generator of the values. */
  readonly values: (setting: Setting) => fc.Arbitrary<unknown>
  /** Values that every check tries first, before it generates any. */
  readonly examples: (setting: Setting) => ReadonlyArray<unknown>
  /** The maximum number of useful runs: 1 or more, `Infinity` for no limit. */
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
  /**
   * The rule's stable and unique id. Its parts, separated by dots, go from general to specific: `auth.nonce.unique`.
   */
  readonly id: string
  /** The requirement, in one line. */
  readonly statement: string
  /** The heading of the document that states the requirement. */
  readonly clause: string
  /** How binding the rule is, unless a dialect states a different level; see `levelIn`. */
  readonly level: Level
  /** The weakest profile that can run the rule. */
  readonly profile: Profile
  /** How the rule applies to each dialect. */
  readonly dialects: { readonly [K in Dialect["name"]]: Expectation }
  /** The rule's check, and the values to check. */
  readonly property: Property
}

/**
 * Returns how binding a rule is in a dialect.
 *
 * @category levels
 */
export const levelIn = ({ dialects, level }: Rule, dialect: Dialect["name"]): Level => {
  const expectation = dialects[dialect]
  return expectation._tag === "Other" ? expectation.level ?? level : level
}

/**
 * Everything in a rule except its property.
 *
 * @category models
 */
export interface Heading {
  /** The rule's stable and unique id, such as `auth.nonce.unique`. */
  readonly id: string
  /** The requirement, in one line. */
  readonly statement: string
  /** The heading of the document that states the requirement. */
  readonly clause: string
  /** How binding the rule is; `MUST` by default. */
  readonly level?: Level
  /** The weakest profile that can run the rule; `control` by default. */
  readonly profile?: Profile
  /** How the rule applies to the document's dialect; `same` by default. */
  readonly document?: Expectation
  /** How the rule applies to the live dialect; `same` by default. */
  readonly live?: Expectation
}

const heading = (
  { clause, document = same, id, level = "MUST", live = same, profile = "control", statement }: Heading
): Omit<Rule, "property"> => ({ id, statement, clause, level, profile, dialects: { document, live } })

/**
 * A rule that must hold for every value of a generator.
 *
 * @category models
 */
export interface ForAll<A> extends Heading {
  /** The generator of the values. It may depend on the settings of the check. */
  readonly values: fc.Arbitrary<A> | ((setting: Setting) => fc.Arbitrary<A>)
  /** Values that every check tries first; none by default. */
  readonly examples?: ReadonlyArray<NoInfer<A>> | ((setting: Setting) => ReadonlyArray<NoInfer<A>>)
  /** The number of runs after which further runs would test nothing new; no limit by default. */
  readonly runs?: number
  /** Succeeds when the rule holds for one value. */
  readonly check: (world: World, value: A) => Effect.Effect<unknown, CheckError>
}

/**
 * Creates a rule that must hold for every value of a generator.
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
 * A rule that must hold for each of a few values.
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
 * Creates a rule that must hold for each of a few values. Every check tries all of them.
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
 * Creates a rule that needs no values.
 *
 * @category constructors
 */
export const always = (rule: Always): Rule =>
  forAll({ ...rule, values: fc.constant({}), runs: 1, check: (world) => rule.check(world) })
