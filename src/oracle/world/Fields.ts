/**
 * Rules about the fields of answers, one for each row of the document's tables: the field is there, and its value is of
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

/** A field of an object. */
export interface Row {
  /** Its key in the document's dialect. */
  readonly key: string
  /** What its value must be. */
  readonly kind: Kind
  /** What it means. */
  readonly meaning: string
  /** What the live dialect does otherwise. */
  readonly live?: LiveRow
  /** Whether it may be missing in the document's dialect too; then only its value is judged. False by default. */
  readonly isOptional?: boolean
}

/** What the live dialect does otherwise with a field. */
export interface LiveRow {
  /** Its key; the document's by default. */
  readonly key?: string
  /** What its value must be; as in the document by default. */
  readonly kind?: Kind
  /** Whether it may be missing; false by default. */
  readonly isOptional?: boolean
}

/** Objects to judge. */
export interface Sample {
  /** The answer that they are from. */
  readonly answer: Target.Answer
  /** The objects; a table expects one at least. */
  readonly objects: ReadonlyArray<unknown>
}

/** The fields of an object in an answer. */
export interface Table {
  /** What the ids of its rules begin with. */
  readonly id: string
  /** The heading of the document that shows the table. */
  readonly clause: string
  /** `MUST` by default. */
  readonly level?: Rule.Rule["level"]
  /** What its rules need of the target. */
  readonly profile: Profile
  /** What the object is, in words. */
  readonly within: string
  /** Gets objects to judge. */
  readonly sample: (world: World) => Effect.Effect<Sample, Verdict.CheckError>
  /** The fields. */
  readonly rows: ReadonlyArray<Row>
}

const keyOf = ({ name }: Dialect, { key, live }: Row): string => name === "live" ? live?.key ?? key : key

const expectationOf = ({ key, live }: Row): Rule.Expectation => {
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
    const isThere = Object.hasOwn(object, key)
    return Verdict.conclude(
      isOptional ? `${key} in ${within}, if it is there, is ${kind.name}` : `${key} in ${within} is ${kind.name}`,
      isThere ? { [key]: object[key] } : `no ${key}, but ${Object.keys(object).join(", ")}`,
      isThere ? kind.holds(object[key]) : isOptional,
      answer
    )
  }, { discard: true })

/** Makes one rule for each row of a table. */
export const rules = ({ clause, id, level = "MUST", profile, rows, sample, within }: Table): ReadonlyArray<Rule.Rule> =>
  rows.map((row) =>
    Rule.always({
      id: `${id}.${row.key}`,
      statement: `${row.key} of ${within}: ${row.meaning}; ${
        row.isOptional === true ? "if there, " : ""
      }${row.kind.name}`,
      clause,
      level,
      profile,
      live: expectationOf(row),
      check: (world) =>
        Effect.gen(function*() {
          const { answer, objects } = yield* sample(world)
          yield* judge(world.dialect, row, within, {
            answer,
            objects: yield* atLeastOne(world, answer, objects, within)
          })
        })
    })
  )

/** Expects one object at least. Somebody's own account may have none, and then the rule is skipped. */
export const atLeastOne = <A>(
  { profile }: Pick<World, "profile">,
  answer: Target.Answer,
  objects: ReadonlyArray<A>,
  within: string
): Effect.Effect<ReadonlyArray<A>, Verdict.CheckError> => {
  if (objects.length > 0) return Effect.succeed(objects)
  return profile === "control"
    ? Effect.fail(new Verdict.Broken({ expected: `${within}, one at least`, got: Verdict.describe(answer), answer }))
    : Verdict.skip("the account has nothing to list")
}

/** The records of a page; expects one at least. */
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

/** The value of one key in each object of a sample. */
export const part = (sample: Sample, key: string): Sample => ({
  ...sample,
  objects: sample.objects.map((object) => Json.isObject(object) ? object[key] : undefined)
})
