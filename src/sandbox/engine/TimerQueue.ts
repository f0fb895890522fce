/** What is due, and when. What is due at the same time stands in the order in which it was put down. */
import * as FifoQueue from "./FifoQueue.ts"
import { SkipList } from "./SkipList.ts"

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
export interface TimerQueue<A> {
  /** Everything, by the time at which it is due. */
  readonly queues: SkipList<FifoQueue.FifoQueue<Item<A>>>
  /** The item of each thing. */
  readonly items: Map<A, Item<A>>
}

/** Nothing is due. */
export const make = <A>(): TimerQueue<A> => ({ queues: new SkipList(), items: new Map() })

/** Puts something down for a time. It must not be down for another one. */
export const add = <A>({ items, queues }: TimerQueue<A>, at: number, value: A): void => {
  let queue = queues.get(at)
  if (queue === undefined) queues.add(at, queue = FifoQueue.make(({ isDone }) => !isDone))
  const item = { value, at, isDone: false }
  FifoQueue.join(queue, item)
  items.set(value, item)
}

/** Strikes something out before it is due. What is not down changes nothing. */
export const remove = <A>({ items, queues }: TimerQueue<A>, value: A): void => {
  const item = items.get(value)
  const queue = item && queues.get(item.at)
  if (item === undefined || queue === undefined) return
  item.isDone = true
  items.delete(value)
  FifoQueue.left(queue)
  if (queue.size === 0) queues.delete(item.at)
}

/** Strikes out what is due next. */
export const pop = <A>(queue: TimerQueue<A>): void => {
  const value = next(queue)
  if (value !== undefined) remove(queue, value)
}

/** What is due next; `undefined` when nothing is. */
export const next = <A>({ queues: { first } }: TimerQueue<A>): A | undefined => first && FifoQueue.first(first)?.value
