/**
 * What is due, and when. What is due at the same time stands in the order in which it was put down.
 *
 * @since 0.1.0
 */
import * as Line from "./Line.ts"
import { Sorted } from "./Sorted.ts"

/** Something, and whether it has been done. */
interface Item<A> {
  /** The thing. */
  readonly value: A
  /** Whether it has been done, or been taken off. */
  isDone: boolean
}

/**
 * Things by the time at which they are due, in Unix microseconds.
 *
 * @category models
 * @since 0.1.0
 */
export type Agenda<A> = Sorted<Line.Line<Item<A>>>

/**
 * Nothing is due.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <A>(): Agenda<A> => new Sorted()

/**
 * Puts something down for a time.
 *
 * @category changing
 * @since 0.1.0
 */
export const add = <A>(agenda: Agenda<A>, at: number, value: A): void => {
  let line = agenda.get(at)
  if (line === undefined) agenda.add(at, line = Line.make(({ isDone }) => !isDone))
  Line.join(line, { value, isDone: false })
}

/**
 * Strikes out what is due next.
 *
 * @category changing
 * @since 0.1.0
 */
export const strike = <A>(agenda: Agenda<A>): void => {
  const { first: line, firstKey: at } = agenda
  const item = line && Line.first(line)
  if (line === undefined || at === undefined || item === undefined) return
  item.isDone = true
  Line.left(line)
  if (line.size === 0) agenda.delete(at)
}

/**
 * What is due next; `undefined` when nothing is.
 *
 * @category reading
 * @since 0.1.0
 */
export const next = <A>({ first }: Agenda<A>): A | undefined => first && Line.first(first)?.value
