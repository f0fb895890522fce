/** A line: first come, first served. Anyone may leave at any time, which costs the same however long the line is. */

/** Those who wait, in the order in which they came. */
export interface FifoQueue<A> {
  /** Everyone who has come. Those who have left stay here until they are in the way. */
  places: Array<A>
  /** Before this place, all have left. */
  start: number
  /** How many wait. */
  size: number
  /** Whether someone has not left. */
  readonly isWaiting: (member: A) => boolean
}

/** An empty line. Whoever leaves must say so to `isWaiting` first, and never comes back. */
export const make = <A>(isWaiting: (member: A) => boolean): FifoQueue<A> => ({
  places: [],
  start: 0,
  size: 0,
  isWaiting
})

/** Adds someone at the end. */
export const join = <A>(line: FifoQueue<A>, member: A): void => {
  line.places.push(member)
  line.size++
}

/** How many places may be empty before the line closes up. */
const gaps = 16

/** Says that someone has left. */
export const left = <A>(line: FifoQueue<A>): void => {
  line.size--
  // So many have left since the last time that looking at everyone costs each of them the same.
  if (line.places.length <= 2 * line.size + gaps) return
  first(line)
  const { isWaiting, places, size, start } = line
  // Where only the first have left, nobody else has to be looked at.
  line.places = places.length - start === size ? places.slice(start) : places.filter(isWaiting)
  line.start = 0
}

/** Whose turn it is; `undefined` when nobody waits. */
export const first = <A>(line: FifoQueue<A>): A | undefined => {
  const { isWaiting, places } = line
  for (;;) {
    const member = places[line.start]
    if (member === undefined || isWaiting(member)) return member
    line.start++
  }
}

/** Those who wait, the first to come first. */
export const members = function*<A>({ isWaiting, places, start }: FifoQueue<A>): Generator<A, undefined> {
  for (let index = start; index < places.length; index++) {
    const member = places[index]
    if (member !== undefined && isWaiting(member)) yield member
  }
}

/** Those who wait, the last to come first. Whoever was given last may leave meanwhile. */
export const latest = function*<A>({ isWaiting, places, start }: FifoQueue<A>): Generator<A, undefined> {
  for (let index = places.length - 1; index >= start; index--) {
    const member = places[index]
    if (member !== undefined && isWaiting(member)) yield member
  }
}
