/**
 * A first-in, first-out queue. Any member can leave at any time; on average, the cost of leaving does not depend on the
 * queue's length.
 */

/** A queue of members, in the order in which they joined. */
export interface FifoQueue<A> {
  /**
   * The members, in the order in which they joined. A member that has left stays in this array until the next
   * compaction.
   */
  places: Array<A>
  /** All members before this index have left. */
  start: number
  /** The number of members that have not left. */
  size: number
  /** Whether a member is still in the queue. */
  readonly isWaiting: (member: A) => boolean
}

/**
 * Creates an empty queue. When {@link left} is called for a member, `isWaiting` must already return `false` for that
 * member. A member never rejoins.
 */
export const make = <A>(isWaiting: (member: A) => boolean): FifoQueue<A> => ({
  places: [],
  start: 0,
  size: 0,
  isWaiting
})

/** Adds a member at the end. */
export const join = <A>(queue: FifoQueue<A>, member: A): void => {
  queue.places.push(member)
  queue.size++
}

/** The array is not compacted while it has at most this many vacated slots. */
const gaps = 16

/** Records that a member has left. */
export const left = <A>(queue: FifoQueue<A>): void => {
  queue.size--
  // Compacting only after more than half of the members have left keeps the average cost per leaving member constant.
  if (queue.places.length <= 2 * queue.size + gaps) return
  first(queue)
  const { isWaiting, places, size, start } = queue
  // If only members at the front have left, the other members don't have to be checked.
  queue.places = places.length - start === size ? places.slice(start) : places.filter(isWaiting)
  queue.start = 0
}

/** The first member; `undefined` if the queue is empty. */
export const first = <A>(queue: FifoQueue<A>): A | undefined => {
  const { isWaiting, places } = queue
  for (;;) {
    const member = places[queue.start]
    if (member === undefined || isWaiting(member)) return member
    queue.start++
  }
}

/** The members, in the order in which they joined. */
export const members = function*<A>({ isWaiting, places, start }: FifoQueue<A>): Generator<A, undefined> {
  for (let index = start; index < places.length; index++) {
    const member = places[index]
    if (member !== undefined && isWaiting(member)) yield member
  }
}

/** The members, latest first. It is safe for the member just yielded to leave during the loop. */
export const latest = function*<A>({ isWaiting, places, start }: FifoQueue<A>): Generator<A, undefined> {
  for (let index = places.length - 1; index >= start; index--) {
    const member = places[index]
    if (member !== undefined && isWaiting(member)) yield member
  }
}
