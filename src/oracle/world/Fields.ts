/**
 * Rules about the fields of answers, one for each row of the document's tables: it is there, and it is what it should be.
 *
 * @since 0.1.0
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

/**
 * A row: the field's place, its kind and its meaning. Where a dialect writes the key or the value otherwise, or leaves
 * the field out, `live` says so.
 *
 * @category models
 * @since 0.1.0
 */
export interface Row {
  readonly key: string
  readonly kind: Kind
  readonly meaning: string
  readonly live?: {
    readonly key?: string
    readonly kind?: Kind
    readonly isOptional?: boolean
  }
  /** Whether it may be missing in the document's dialect too; then only its value is judged. */
  readonly isOptional?: boolean
}

/** An object of an answer that is judged, and the answer it is from. */
export interface Sample {
  readonly answer: Target.Answer
  readonly objects: ReadonlyArray<unknown>
}

/**
 * Where the objects of a table come from, and what rules about them are called. `within` is where they are in the answer,
 * for people.
 *
 * @category models
 * @since 0.1.0
 */
export interface Table {
  readonly id: string
  readonly clause: string
  readonly profile: Profile
  readonly within: string
  readonly sample: (world: World) => Effect.Effect<Sample, Verdict.CheckError>
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
      isThere ? { [key]: object[key] } : `there is no ${key}; there are ${Object.keys(object).join(", ")}`,
      isThere ? kind.holds(object[key]) : isOptional,
      answer
    )
  }, { discard: true })

/**
 * One rule for each row of a table.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rules = ({ clause, id, profile, rows, sample, within }: Table): ReadonlyArray<Rule.Rule> =>
  rows.map((row) =>
    Rule.always({
      id: `${id}.${row.key}`,
      statement: `${row.key} of ${within}: ${row.meaning}; ${
        row.isOptional === true ? "if there, " : ""
      }${row.kind.name}`,
      clause,
      profile,
      live: expectationOf(row),
      check: (world) =>
        Effect.gen(function*() {
          const { answer, objects } = yield* sample(world)
          yield* judge(world.dialect, row, within, { answer, objects: yield* some(world, answer, objects, within) })
        })
    })
  )

/**
 * Objects to judge, one at least. An account of somebody's own may have none, and then there is nothing to judge; one of a
 * sandbox was given some.
 */
export const some = <A>(
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

/** The records of a page, one at least. */
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
  return Effect.map(some<unknown>(world, answer, list, key), (objects) => ({ answer, objects }))
}

/** Parts of the objects of a sample. */
export const part = (sample: Sample, key: string): Sample => ({
  ...sample,
  objects: sample.objects.map((object) => Json.isObject(object) ? object[key] : undefined)
})
