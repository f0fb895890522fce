/** A program to explore, with its invariants. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Exchange from "../Exchange.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import type { Control, ControlRefused } from "../sandbox/control/Control.ts"
import type { JournalError } from "../sandbox/store/Journal.ts"
import type * as Streams from "../Streams.ts"
import type { Invariant } from "./Invariant.ts"
import type { Possibilities } from "./Possibilities.ts"

/**
 * The services that a program may require: all endpoints, all channels, a durable store, and a scope.
 *
 * @category models
 */
export type Services = Exchange.Services | Streams.Services | KeyValueStore.KeyValueStore | Scope.Scope

/**
 * The errors with which the preparation of the exchange can fail.
 *
 * @category models
 */
export type SetUpFailed = ControlRefused | JournalError

/**
 * A program, or a scenario of it, could not be checked. The reason says what to change.
 *
 * @category errors
 */
export class NotChecked extends Schema.TaggedError<NotChecked>()("NotChecked", {
  program: Schema.String,
  why: Schema.String
}) {
  /** The program's name. */
  declare readonly program: string
  /** The reason. */
  declare readonly why: string
  override get message(): string {
    return `${this.program} could not be checked: ${this.why}`
  }
}

/** Marks programs to explore, so that the command can find them among a module's exports. */
export const TypeId = "~effect-txc/explore/Program"

/**
 * A program with its invariants.
 *
 * @category models
 */
export interface Program extends Options {
  readonly [TypeId]: typeof TypeId
}

/** Whether a value is a program to explore. */
export const isProgram = (value: unknown): value is Program => Predicate.hasProperty(value, TypeId)

/**
 * The definition of a program to explore.
 *
 * @category models
 */
export interface Options {
  /** The program's name in reports. */
  readonly name: string
  /**
   * The program. Each process runs it from the beginning. The program must create all its state inside this effect,
   * because module variables would survive a simulated kill.
   */
  readonly run: Effect.Effect<unknown, unknown, Services>
  /** The invariants that must hold; at least one. */
  readonly invariants: ReadonlyArray<Invariant>
  /** The events and faults that may occur. Default: all of them except `Key` events. */
  readonly possible?: Possibilities
  /**
   * The markets whose prices move and on which another account trades; `BTC_USDT` by default. An event on a market that
   * does not exist, or that has no price, makes the verdict `invalid`.
   */
  readonly markets?: ReadonlyArray<string>
  /** The length of the period in which events happen; one minute by default. */
  readonly during?: Duration.Input
  /**
   * The length of the calm period that follows, without events or faults; 30 seconds by default. At its start, the
   * exchange is restarted if it is down, and the quotes, the API key, the mark prices and the program's clock are
   * restored. Market prices and funding rates stay as they are. Calls in progress may still be late, and a killed program
   * may still be down. After the calm period, the program is stopped. Time limits of `Invariant.eventually` that are then
   * still running are not judged, so the calm period should not be shorter than they are.
   */
  readonly calm?: Duration.Input
  /** Whether a failed process is restarted after one second; `false` by default. */
  readonly restarts?: boolean
  /**
   * Prepares the exchange, in place of the default preparation. This effect must open the account `alice` with the
   * example's key, and set the prices of the program's markets. If `Trade` events may happen, it must also open the
   * account `bob` with the example's key, and fund it.
   */
  readonly setUp?: Effect.Effect<void, SetUpFailed, Control>
  /** The exchange's API dialect. The default is the live exchange's, because only that dialect has streams. */
  readonly dialect?: Dialect
}

/** The definition of a program in a module that the compiler has not checked. */
type Unchecked = { readonly [K in keyof Options]?: unknown }

/** Returns the program's name. */
export const nameOf = ({ name }: Unchecked): string => typeof name === "string" ? name : "a program without a name"

/** Whether a value is a duration. The cast is safe, because `fromInput` returns `none` for any other value. */
export const isDuration = (input: unknown): boolean => Option.isSome(Duration.fromInput(input as Duration.Input))

/**
 * Returns the reason why a program cannot be checked, or `undefined` if it can. A module in JavaScript may define a
 * program that the types forbid.
 */
export const flawOf = (program: Unchecked): string | undefined => {
  const { calm = 0, during = 0, invariants, markets = [""], name, run } = program
  if (typeof name !== "string" || name.trim() === "") return "it needs a name"
  if (!Effect.isEffect(run)) return "`run` must be an Effect"
  if (!Array.isArray(invariants) || invariants.length === 0)
    return "it has no invariants, so no history could break one: add at least one to `invariants`"
  const wrong = invariants.findIndex((invariant) => !Predicate.hasProperty(invariant, "_tag"))
  if (wrong >= 0) {
    return `\`invariants[${wrong}]\` is not an invariant; a function such as \`Invariant.noOrderTwice\` must be called`
  }
  if (!Array.isArray(markets) || markets.length === 0) return "`markets` is empty: name at least one market, or omit it"
  if (!isDuration(during)) return `\`during\` is not a duration: ${JSON.stringify(during)}`
  return isDuration(calm) ? undefined : `\`calm\` is not a duration: ${JSON.stringify(calm)}`
}
