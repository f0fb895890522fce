/**
 * A skip list: values sorted by a numeric key. Every entry links to the next entry, and some entries also link to
 * entries further on. Adding or removing an entry only changes links, and moves no other entry.
 */

/** A sort key. Bigints are for values that a `number` can't represent exactly; equal keys must have the same type. */
export type Key = number | bigint

/**
 * An entry. Each index of `next` is a lane: `next[0]` is the following entry, `next[1]` is about four entries further
 * on, `next[2]` about sixteen, and so on.
 */
interface Entry<V> {
  readonly key: Key
  readonly value: V
  readonly next: Array<Entry<V> | undefined>
}

/** The maximum number of lanes, enough for 4 ** 12 entries. A longer list is slower, but still correct. */
const mostLanes = 12

/** Values, sorted by their keys. */
export class SkipList<V> {
  private readonly entries = new Map<Key, Entry<V>>()
  private readonly start: Array<Entry<V> | undefined> = []
  /**
   * The state of the random generator. Each entry gets a random number of lanes, so that no sequence of insertions is
   * slow. The random numbers affect only the speed.
   */
  private seed = 1

  /** The number of values. */
  get size(): number {
    return this.entries.size
  }

  /** The value with the smallest key; `undefined` if the list is empty. */
  get first(): V | undefined {
    return this.start[0]?.value
  }

  /** The smallest key; `undefined` if the list is empty. */
  get firstKey(): Key | undefined {
    return this.start[0]?.key
  }

  /** The value with the given key; `undefined` if the list does not contain the key. */
  get(key: Key): V | undefined {
    return this.entries.get(key)?.value
  }

  /** Adds a value for a key that is not in the list yet. */
  add(key: Key, value: V): void {
    const entry: Entry<V> = { key, value, next: [] }
    this.entries.set(key, entry)
    const lanes = this.lanes()
    this.visit(key, (before, lane) => {
      if (lane >= lanes) return
      entry.next[lane] = before[lane]
      before[lane] = entry
    }, lanes)
  }

  /** Removes the value with the given key, if there is one. */
  delete(key: Key): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.visit(key, (before, lane) => {
      if (before[lane] === entry) before[lane] = entry.next[lane]
    })
  }

  /** The values, smallest key first. It is safe to remove the value just yielded during the loop. */
  *[Symbol.iterator](): Generator<V, undefined> {
    for (let entry = this.start[0]; entry !== undefined; entry = entry.next[0]) yield entry.value
  }

  /**
   * Calls `link` once for each lane, highest lane first, with the `next` array of the lane's last entry before a key.
   */
  private visit(
    key: Key,
    link: (before: Array<Entry<V> | undefined>, lane: number) => void,
    lanes = 0
  ): void {
    let before = this.start
    for (let lane = Math.max(this.start.length, lanes) - 1; lane >= 0; lane--) {
      for (let next = before[lane]; next !== undefined && next.key < key; next = before[lane]) before = next.next
      link(before, lane)
    }
  }

  /** Draws the number of lanes for a new entry: at least one, and each further lane with probability 1/4. */
  private lanes(): number {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.min(1 + Math.floor(Math.clz32(this.seed) / 2), mostLanes)
  }
}
