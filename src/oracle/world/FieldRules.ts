/**
 * Rules about the fields of responses, one per row of the document's tables: the field must be present, with a value of
 * the right kind.
 */
import * as Effect from "effect/Effect"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Json from "../../protocol/Json.ts"
import type { Profile } from "../Profile.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import type { Kind } from "./Kinds.ts"
import type { World } from "./World.ts"

/** A field of an object, as a row of the document's tables describes it. */
export interface Row {
  /** The key in the document's dialect. */
  readonly key: string
  /** The kind of the field's value. */
  readonly kind: Kind
  /** The meaning of the field. */
  readonly meaning: string
  /** How the field differs in the live dialect. */
  readonly live?: LiveRow
  /**
   * Whether the field may be missing, in both dialects. If it is present, its value is still checked. False by default.
   */
  readonly isOptional?: boolean
}

/** How a field differs in the live dialect. */
export interface LiveRow {
  /** The key; the document's by default. */
  readonly key?: string
  /** The kind of the value; the document's by default. */
  readonly kind?: Kind
  /** Whether the field may be missing; false by default. */
  readonly isOptional?: boolean
}

/** The objects that a table's rules check. */
export interface Sample {
  /** The response that contains the objects. */
  readonly answer: Target.Answer
  /** The objects, of which there is at least one. */
  readonly objects: ReadonlyArray<unknown>
}

/** The fields of an object in a response. */
export interface Table {
  /** The prefix of the rules' ids. */
  readonly id: string
  /** The heading of the document that contains the table. */
  readonly clause: string
  /** How binding the rules are; `MUST` by default. */
  readonly level?: Rule.Level
  /**
   * Whether the live exchange's documentation shows the object, so that its rules are `MUST` in the live dialect; false
   * by default.
   */
  readonly isDocumented?: boolean
  /** The weakest profile that can run the rules. */
  readonly profile: Profile
  /** A readable name for the object. */
  readonly within: string
  /** Makes the call whose response contains the objects. */
  readonly sample: (world: World) => Effect.Effect<Sample, Verdict.CheckError>
  /** The fields of the object, with one rule each. */
  readonly rows: ReadonlyArray<Row>
}

const keyOf = ({ name }: Dialect, { key, live }: Row): string => name === "live" ? live?.key ?? key : key

const expectationOf = ({ key, live }: Row, isDocumented: boolean): Rule.Expectation => {
  if (isDocumented) return Rule.documented("the field is documented")
  if (live === undefined) return Rule.same
  const differences = [
    ...(live.key === undefined || live.key === key ? [] : [`the key is ${live.key}`]),
    ...(live.kind === undefined ? [] : [`the value is ${live.kind.name}`]),
    ...(live.isOptional === true ? ["the field may be missing"] : [])
  ]
  return differences.length === 0 ? Rule.same : Rule.other(differences.join("; "), Rule.liveAnswers)
}

const judge = (dialect: Dialect, row: Row, within: string, { answer, objects }: Sample) =>
  Effect.forEach(objects, (object) => {
    const key = keyOf(dialect, row)
    const live = dialect.name === "live" ? row.live : undefined
    const kind = live?.kind ?? row.kind
    const isOptional = row.isOptional === true || live?.isOptional === true
    if (!Json.isObject(object)) return Verdict.expect(answer, `${within} is an object with ${key}`, false)
    const isPresent = Object.hasOwn(object, key)
    return Verdict.conclude(
      isOptional ? `${key} in ${within}, if present, is ${kind.name}` : `${key} in ${within} is ${kind.name}`,
      isPresent ? { [key]: object[key] } : `no ${key}, but ${Object.keys(object).join(", ")}`,
      isPresent ? kind.holds(object[key]) : isOptional,
      answer
    )
  }, { discard: true })

/** Fetches a table's sample once per check, because all its rows check the same objects. */
const once = (sample: Table["sample"]): Table["sample"] => {
  // The key is `placements`, an object that all rules of a check share.
  const known = new WeakMap<World["placements"], Sample>()
  return (world) =>
    Effect.suspend(() => {
      const found = known.get(world.placements)
      return found === undefined
        ? Effect.tap(sample(world), (fetched) => Effect.sync(() => known.set(world.placements, fetched)))
        : Effect.succeed(found)
    })
}

/** Creates one rule for each row of a table. */
export const rules = (table: Table): ReadonlyArray<Rule.Rule> => {
  const { clause, id, isDocumented = false, level = "MUST", profile, rows, within } = table
  const sample = once(table.sample)
  return rows.map((row) =>
    Rule.always({
      id: `${id}.${row.key}`,
      statement: `Shows ${row.key} in ${within} as ${row.kind.name}${
        row.isOptional === true ? ", if present" : ""
      }: ${row.meaning}`,
      clause,
      level,
      profile,
      live: expectationOf(row, isDocumented),
      check: Effect.fnUntraced(function*(world) {
        const { answer, objects } = yield* sample(world)
        yield* judge(world.dialect, row, within, {
          answer,
          objects: yield* atLeastOne(world, answer, objects, within)
        })
      })
    })
  )
}

/** Expects at least one object. Skips the rule if a real account has none. */
export const atLeastOne = <A>(
  { profile }: Pick<World, "profile">,
  answer: Target.Answer,
  objects: ReadonlyArray<A>,
  within: string
): Effect.Effect<ReadonlyArray<A>, Verdict.CheckError> => {
  if (objects.length > 0) return Effect.succeed(objects)
  return profile === "control"
    ? Effect.fail(new Verdict.Broken({ expected: `at least one ${within}`, got: Verdict.describe(answer), answer }))
    : Verdict.skip(Verdict.lacksRecords.none)
}

/** Returns a page's records, and expects at least one. */
export const records = (
  world: Pick<World, "profile">,
  answer: Target.Answer,
  key: string
): Effect.Effect<Sample, Verdict.CheckError> => {
  const list = Json.isObject(answer.json) ? answer.json[key] : undefined
  if (answer.status !== 200 || !Array.isArray(list)) {
    return Effect.fail(
      new Verdict.Broken({ expected: `HTTP 200 with an array ${key}`, got: Verdict.describe(answer), answer })
    )
  }
  return Effect.map(atLeastOne<unknown>(world, answer, list, key), (objects) => ({ answer, objects }))
}

/** Returns the value of this key in each object. */
export const part = (sample: Sample, key: string): Sample => ({
  ...sample,
  objects: sample.objects.map((object) => Json.isObject(object) ? object[key] : undefined)
})
