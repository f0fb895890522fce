/**
 * Values by a number, in the order of the numbers. Nothing is shifted when one comes or goes: it is a skip list, in which
 * every entry knows the next one, and some know one further on.
 */

/**
 * What values are sorted by. A bigint is for what a number can't hold exactly; the same value is always the same of both.
 */
export type Key = number | bigint

/** An entry. `next[0]` is the one after it, `next[1]` about four further on, `next[2]` about sixteen, and so on. */
interface Entry<V> {
  readonly key: Key
  readonly value: V
  readonly next: Array<Entry<V> | undefined>
}

/** Enough for 4 ** 12 entries; with more it becomes slower, and stays right. */
const mostLanes = 12

/** Values, sorted by their keys. */
export class SkipList<V> {
  private readonly entries = new Map<Key, Entry<V>>()
  private readonly start: Array<Entry<V> | undefined> = []
  /** Which lanes an entry has is drawn, so that no order of arrival is a bad one. What is drawn is nobody's to see. */
  private seed = 1

  /** How many values there are. */
  get size(): number {
    return this.entries.size
  }

  /** The value of the least key. */
  get first(): V | undefined {
    return this.start[0]?.value
  }

  /** The least key. */
  get firstKey(): Key | undefined {
    return this.start[0]?.key
  }

  /** The value of a key. */
  get(key: Key): V | undefined {
    return this.entries.get(key)?.value
  }

  /** Adds the value of a key that has none. */
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

  /** Removes the value of a key, if it has one. */
  delete(key: Key): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.visit(key, (before, lane) => {
      if (before[lane] === entry) before[lane] = entry.next[lane]
    })
  }

  /** The values from the least key on. The one that was given last may be removed meanwhile. */
  *[Symbol.iterator](): Generator<V, undefined> {
    for (let entry = this.start[0]; entry !== undefined; entry = entry.next[0]) yield entry.value
  }

  /** Visits, lane by lane from the fastest down, the links that lead over the place of a key. */
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

  /** In how many lanes the next entry is: in one, and with a chance of one in four in one more, and so on. */
  private lanes(): number {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.min(1 + Math.floor(Math.clz32(this.seed) / 2), mostLanes)
  }
}
