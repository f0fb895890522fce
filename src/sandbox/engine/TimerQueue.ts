/**
 * A queue of items, sorted by due time. Items that are due at the same time stay in the order in which they were added.
 */
import * as FifoQueue from "./FifoQueue.ts"
import { SkipList } from "./SkipList.ts"

/** An item, its due time, and whether it has been removed. */
interface Item<A> {
  /** The value that was added to the queue. */
  readonly value: A
  /** The due time, in Unix microseconds. */
  readonly at: number
  /** Whether the item has been removed. */
  isDone: boolean
}

/** A queue of items, sorted by due time in Unix microseconds. */
export interface TimerQueue<A> {
  /** The items, keyed by due time. */
  readonly queues: SkipList<FifoQueue.FifoQueue<Item<A>>>
  /** The entry of each item in the queue, keyed by item. */
  readonly items: Map<A, Item<A>>
}

/** Creates an empty queue. */
export const make = <A>(): TimerQueue<A> => ({ queues: new SkipList(), items: new Map() })

/** Adds an item. The item must not already be in the queue. */
export const add = <A>({ items, queues }: TimerQueue<A>, at: number, value: A): void => {
  let queue = queues.get(at)
  if (queue === undefined) queues.add(at, queue = FifoQueue.make(({ isDone }) => !isDone))
  const item = { value, at, isDone: false }
  FifoQueue.join(queue, item)
  items.set(value, item)
}

/** Removes an item. Does nothing if the item is not in the queue. */
export const remove = <A>({ items, queues }: TimerQueue<A>, value: A): void => {
  const item = items.get(value)
  const queue = item && queues.get(item.at)
  if (item === undefined || queue === undefined) return
  item.isDone = true
  items.delete(value)
  FifoQueue.left(queue)
  if (queue.size === 0) queues.delete(item.at)
}

/** Removes the item that is due next. */
export const pop = <A>(queue: TimerQueue<A>): void => {
  const value = next(queue)
  if (value !== undefined) remove(queue, value)
}

/** The due time of the next item, in Unix microseconds; `undefined` if the queue is empty. */
export const nextTime = <A>({ queues: { firstKey } }: TimerQueue<A>): number | undefined =>
  typeof firstKey === "number" ? firstKey : undefined

/** The item that is due next; `undefined` if the queue is empty. */
export const next = <A>({ queues: { first } }: TimerQueue<A>): A | undefined => first && FifoQueue.first(first)?.value
