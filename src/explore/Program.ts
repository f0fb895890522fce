/**
 * A program to explore, with the sentences that must hold.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type * as Exchange from "../Exchange.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import type { Control, ControlRefused } from "../sandbox/control/Control.ts"
import type { JournalError } from "../sandbox/store/Journal.ts"
import type * as Streams from "../Streams.ts"
import type { Invariant } from "./Invariant.ts"
import type { Possibilities } from "./Possibilities.ts"

/**
 * The services that a program is given: all endpoints, all channels, and a durable store.
 *
 * @category models
 */
export type Services = Exchange.Services | Streams.Services | KeyValueStore.KeyValueStore | Scope.Scope

/**
 * The errors with which the preparation of an exchange may fail.
 *
 * @category models
 */
export type SetUpFailed = ControlRefused | JournalError

/** Marks programs to explore, so that the command finds them among the exports of a module. */
export const TypeId = "~effect-txc/explore/Program"

/**
 * A program and the sentences that must hold.
 *
 * @category models
 */
export interface Program extends Options {
  readonly [TypeId]: typeof TypeId
}

/** Whether a value is a program to explore. */
export const isProgram = (value: unknown): value is Program => Predicate.hasProperty(value, TypeId)

/**
 * A program and the sentences that must hold, as its author states them.
 *
 * @category models
 */
export interface Options {
  /** The program's name, for reports. */
  readonly name: string
  /**
   * The program. Each process runs it from its beginning, so it must create its own state: what a module keeps in
   * variables would survive a kill.
   */
  readonly run: Effect.Effect<unknown, unknown, Services>
  /** The sentences that must hold. */
  readonly invariants: ReadonlyArray<Invariant>
  /** What may happen; everything by default. */
  readonly possible?: Possibilities
  /** The markets whose prices move and on which others trade; `BTC_USDT` by default. */
  readonly markets?: ReadonlyArray<string>
  /** The time in which events happen; one minute by default. */
  readonly during?: Duration.Input
  /** The calm time after that, without faults, before the program is stopped; 30 seconds by default. */
  readonly calm?: Duration.Input
  /** Whether a process that fails is started again a second later; `false` by default. */
  readonly restarts?: boolean
  /**
   * Prepares the exchange, instead of `World.setUp`: it must open the account `alice` with the example's key, and set the
   * prices of the markets.
   */
  readonly setUp?: Effect.Effect<void, SetUpFailed, Control>
  /** The exchange's dialect; the live exchange's by default, because only it has streams. */
  readonly dialect?: Dialect
}
