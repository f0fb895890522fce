/** A sparse array in pages. Numbers are added in rising order. */

/** The number of values in a page. */
const pageSize = 256

/** An empty page. Copying it is several times faster than building one. */
const blank: ReadonlyArray<undefined> = Array.from({ length: pageSize }, () => undefined)

/** The values of consecutive numbers. */
interface Page<V> {
  /** One place for each number of the page. */
  readonly values: Array<V | undefined>
  /** The number of values. */
  size: number
}

/**
 * Values by whole number. Consecutive numbers share a page, so a value takes less memory than in a map, and is found
 * faster.
 */
export class PagedArray<V> {
  /** The pages up to the greatest number. A page that became empty is dropped. */
  private readonly pages: Array<Page<V> | undefined> = []

  /** The number of values. */
  size = 0

  /** The value under a number. */
  get(number: number): V | undefined {
    return this.pages[Math.floor(number / pageSize)]?.values[number % pageSize]
  }

  /** Adds a value under a number that has none. */
  add(number: number, value: V): void {
    const page = this.pages[Math.floor(number / pageSize)] ?? this.turn(Math.floor(number / pageSize))
    page.values[number % pageSize] = value
    page.size++
    this.size++
  }

  /** Removes the value under a number, if there is one. */
  delete(number: number): void {
    const { pages } = this
    const at = Math.floor(number / pageSize)
    const page = pages[at]
    if (page?.values[number % pageSize] === undefined) return
    page.values[number % pageSize] = undefined
    this.size--
    // An empty last page stays: the next number is probably on it.
    if (--page.size === 0 && at !== pages.length - 1) pages[at] = undefined
  }

  /** The values, in the order of their numbers. */
  *[Symbol.iterator](): Generator<V, undefined> {
    for (const page of this.pages) {
      for (const value of page?.values ?? []) if (value !== undefined) yield value
    }
  }

  /** Appends a page. */
  private turn(at: number): Page<V> {
    const { pages } = this
    if (pages.at(-1)?.size === 0) pages[pages.length - 1] = undefined
    while (pages.length < at) pages.push(undefined)
    return pages[at] = { values: blank.slice(), size: 0 }
  }
}
