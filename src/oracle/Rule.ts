/**
 * A rule of the document: one statement, and the property that shows whether a target holds it. The property is part of
 * the rule, so there is no rule without one.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Json from "../protocol/Json.ts"
import type { Answer, TargetError } from "./Target.ts"
import type { World } from "./world/World.ts"

/**
 * What a rule needs:
 *
 * - `read-only`: reads, and calls that must be refused whoever answers them
 * - `mutating`: orders of the smallest amount, far from the market, canceled again. One that is wrong on purpose is such
 *   that it buys and sells nothing even where it is accepted as it stands
 * - `control`: a sandbox whose accounts, funds and prices can be set
 *
 * @category models
 * @since 0.1.0
 */
export type Profile = "read-only" | "mutating" | "control"

/** Each profile allows what those before it allow. */
export const profiles: ReadonlyArray<Profile> = ["read-only", "mutating", "control"]

/**
 * What a dialect makes of a rule: the same, something else (and who says so), or nothing.
 *
 * @category models
 * @since 0.1.0
 */
export type Expectation =
  | { readonly _tag: "Same" }
  | { readonly _tag: "Other"; readonly expectation: string; readonly source: string }
  | { readonly _tag: "NotApplicable"; readonly why: string }

/** @category constructors */
export const same: Expectation = { _tag: "Same" }

/** What the owner of the live exchange has published about it. */
export const liveDocumentation = "the live exchange's own documentation"

/** What clients have recorded of its answers. */
export const liveAnswers = "recorded answers of the live exchange"

/** @category constructors */
export const other = (expectation: string, source: string = liveDocumentation): Expectation => ({
  _tag: "Other",
  expectation,
  source
})

/** @category constructors */
export const notApplicable = (why: string): Expectation => ({ _tag: "NotApplicable", why })

/** An answer of a target, with the request that it answers. Targets make them, and nobody reads them from outside. */
const TargetAnswer = Schema.declare((value: unknown): value is Answer => Json.isObject(value) && "sent" in value)

/**
 * The target did not do what a rule says. `answer` is the one that shows it.
 *
 * @category errors
 * @since 0.1.0
 */
export class Broken extends Schema.TaggedError<Broken>()("Broken", {
  expected: Schema.String,
  got: Schema.String,
  answer: Schema.optionalKey(TargetAnswer)
}) {
  override get message(): string {
    return `expected ${this.expected}, got ${this.got}`
  }
}

/** @category errors */
export const isBroken: (error: unknown) => error is Broken = Schema.is(Broken)

/**
 * The rule can't be judged here, for a reason that is not the target's fault.
 *
 * @category errors
 * @since 0.1.0
 */
export class Skipped extends Schema.TaggedError<Skipped>()("Skipped", { why: Schema.String }) {}

/** How a check ends other than well. */
export type Stop = Broken | Skipped | TargetError

/**
 * What a generator may know of the run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Setting {
  readonly dialect: Dialect
  readonly profile: Profile
  /** Where the shrinking of a list of commands begins again. */
  readonly replayPath?: string
}

/**
 * - `values`: what is drawn
 * - `examples`: values that are always tried, before any is drawn
 * - `runs`: the most runs that make sense
 * - `check`: whether the rule holds for one value
 *
 * @category models
 * @since 0.1.0
 */
export interface Property {
  readonly values: (setting: Setting) => fc.Arbitrary<unknown>
  readonly examples: (setting: Setting) => ReadonlyArray<unknown>
  readonly runs: number
  readonly check: (world: World, value: never) => Effect.Effect<unknown, Stop>
}

/**
 * - `id`: stable; the words between dots are a path, from the group to the detail
 * - `statement`: what must be so, in one line
 * - `clause`: the heading of the document that says it
 * - `level`: SHOULD where the document leaves it open and this project takes a stance
 *
 * @category models
 * @since 0.1.0
 */
export interface Rule {
  readonly id: string
  readonly statement: string
  readonly clause: string
  readonly level: "MUST" | "SHOULD"
  readonly profile: Profile
  readonly dialects: { readonly [K in Dialect["name"]]: Expectation }
  readonly property: Property
}

/** What a rule says of itself. */
export interface Heading {
  readonly id: string
  readonly statement: string
  readonly clause: string
  readonly level?: Rule["level"]
  readonly profile?: Profile
  readonly document?: Expectation
  readonly live?: Expectation
}

const heading = (
  { clause, document = same, id, level = "MUST", live = same, profile = "control", statement }: Heading
): Omit<Rule, "property"> => ({ id, statement, clause, level, profile, dialects: { document, live } })

/**
 * A rule that holds for every value of a generator.
 *
 * @category constructors
 * @since 0.1.0
 */
export const forAll = <A>(
  rule: Heading & {
    readonly values: fc.Arbitrary<A> | ((setting: Setting) => fc.Arbitrary<A>)
    readonly examples?: ReadonlyArray<NoInfer<A>> | ((setting: Setting) => ReadonlyArray<NoInfer<A>>)
    readonly runs?: number
    readonly check: (world: World, value: A) => Effect.Effect<unknown, Stop>
  }
): Rule => {
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
 * A rule that holds for each of a few values: all of them are tried in every run.
 *
 * @category constructors
 * @since 0.1.0
 */
export const forEach = <A>(
  rule: Heading & {
    readonly values: ReadonlyArray<A> | ((setting: Setting) => ReadonlyArray<A>)
    readonly check: (world: World, value: A) => Effect.Effect<unknown, Stop>
  }
): Rule => {
  const all = (setting: Setting) => typeof rule.values === "function" ? rule.values(setting) : rule.values
  return forAll({ ...rule, values: (setting) => fc.constantFrom(...all(setting)), examples: all, runs: 1 })
}

/**
 * A rule that needs no values.
 *
 * @category constructors
 * @since 0.1.0
 */
export const always = (
  rule: Heading & { readonly check: (world: World) => Effect.Effect<unknown, Stop> }
): Rule => forAll({ ...rule, values: fc.constant({}), runs: 1, check: (world) => rule.check(world) })

// -----------------------------------------------------------------------------
// Judging
// -----------------------------------------------------------------------------

const shown = 600

/** An answer in one line. */
export const describe = ({ headers, json, status, text }: Answer): string => {
  const body = text.length > shown ? `${text.slice(0, shown)}... (${text.length} characters)` : text
  const type = json === undefined ? ` (no JSON; ${headers["content-type"] ?? "no content type"})` : ""
  return `HTTP ${status}${type} ${body}`
}

/**
 * Says what was expected of an answer, and whether it came.
 *
 * @category judging
 * @since 0.1.0
 */
export const expect = (answer: Answer, expected: string, holds: boolean): Effect.Effect<void, Broken> =>
  holds ? Effect.void : Effect.fail(new Broken({ expected, got: describe(answer), answer }))

/**
 * The same of what was concluded from several answers.
 *
 * @category judging
 * @since 0.1.0
 */
export const conclude = (
  expected: string,
  got: unknown,
  holds: boolean,
  answer?: Answer
): Effect.Effect<void, Broken> =>
  holds ? Effect.void : Effect.fail(
    new Broken({
      expected,
      got: typeof got === "string" ? got : JSON.stringify(got) ?? String(got),
      ...(answer === undefined ? {} : { answer })
    })
  )

/** @category judging */
export const skip = (why: string): Effect.Effect<never, Skipped> => Effect.fail(new Skipped({ why }))
