/** What is due, and when. What is due at the same time stands in the order in which it was put down. */
import * as Line from "./Line.ts"
import { Sorted } from "./Sorted.ts"

/** Something, when it is due, and whether it has been done. */
interface Item<A> {
  /** The thing. */
  readonly value: A
  /** When it is due. */
  readonly at: number
  /** Whether it has been done, or been taken off. */
  isDone: boolean
}

/** Things by the time at which they are due, in Unix microseconds. */
export interface Agenda<A> {
  /** Everything, by the time at which it is due. */
  readonly lines: Sorted<Line.Line<Item<A>>>
  /** The item of each thing. */
  readonly items: Map<A, Item<A>>
}

/** Nothing is due. */
export const make = <A>(): Agenda<A> => ({ lines: new Sorted(), items: new Map() })

/** Puts something down for a time. It must not be down for another one. */
export const add = <A>({ items, lines }: Agenda<A>, at: number, value: A): void => {
  let line = lines.get(at)
  if (line === undefined) lines.add(at, line = Line.make(({ isDone }) => !isDone))
  const item = { value, at, isDone: false }
  Line.join(line, item)
  items.set(value, item)
}

/** Strikes something out before it is due. What is not down changes nothing. */
export const remove = <A>({ items, lines }: Agenda<A>, value: A): void => {
  const item = items.get(value)
  const line = item && lines.get(item.at)
  if (item === undefined || line === undefined) return
  item.isDone = true
  items.delete(value)
  Line.left(line)
  if (line.size === 0) lines.delete(item.at)
}

/** Strikes out what is due next. */
export const strike = <A>(agenda: Agenda<A>): void => {
  const value = next(agenda)
  if (value !== undefined) remove(agenda, value)
}

/** What is due next; `undefined` when nothing is. */
export const next = <A>({ lines: { first } }: Agenda<A>): A | undefined => first && Line.first(first)?.value
