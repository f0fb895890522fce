/**
 * Values by their numbers, which rise: whoever comes has a greater number than all before.
 *
 * @since 0.1.0
 */

/** How many numbers share a page. */
const pageSize = 256

/** The values of neighbouring numbers. */
interface Page<V> {
  /** As many as there are numbers on a page. */
  readonly values: Array<V | undefined>
  /** How many there are. */
  size: number
}

/**
 * Values by whole numbers. Neighbours lie on the same page, so a value takes less room than in a map, and is found sooner.
 *
 * @category models
 * @since 0.1.0
 */
export class Numbered<V> {
  private readonly pages = new Map<number, Page<V>>()
  /** The page of the greatest number. It stays when it is empty: the next number is on it too, most likely. */
  private latest = -1

  /** How many values there are. */
  size = 0

  /** The value of a number. */
  get(number: number): V | undefined {
    return this.pages.get(Math.floor(number / pageSize))?.values[number % pageSize]
  }

  /** Adds the value of a number that has none. */
  add(number: number, value: V): void {
    const key = Math.floor(number / pageSize)
    const page = this.pages.get(key) ?? this.turn(key)
    page.values[number % pageSize] = value
    page.size++
    this.size++
  }

  /** Removes the value of a number, if it has one. */
  delete(number: number): void {
    const key = Math.floor(number / pageSize)
    const page = this.pages.get(key)
    if (page?.values[number % pageSize] === undefined) return
    page.values[number % pageSize] = undefined
    this.size--
    if (--page.size === 0 && key !== this.latest) this.pages.delete(key)
  }

  /** The values, in the order of their numbers. */
  *[Symbol.iterator](): Generator<V, undefined> {
    for (const { values } of this.pages.values()) {
      for (const value of values) if (value !== undefined) yield value
    }
  }

  /** Begins a page, which is the latest from now on. */
  private turn(key: number): Page<V> {
    if (this.pages.get(this.latest)?.size === 0) this.pages.delete(this.latest)
    const page: Page<V> = { values: new Array<V | undefined>(pageSize).fill(undefined), size: 0 }
    this.pages.set(key, page)
    this.latest = key
    return page
  }
}
