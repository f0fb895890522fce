/** A sparse array, stored in pages. Indexes are added in increasing order. */

/** The number of indexes on a page. */
const pageSize = 256

/** An empty page. Copying this page is several times faster than building a new one. */
const blank: ReadonlyArray<undefined> = Array.from({ length: pageSize }, () => undefined)

/** The values at consecutive indexes. */
interface Page<V> {
  /** One slot for each index on the page. */
  readonly values: Array<V | undefined>
  /** The number of values on the page. */
  size: number
}

/**
 * Values, keyed by index. Neighboring indexes share a page, so a value takes less memory than in a map, and lookups are
 * faster.
 */
export class PagedArray<V> {
  /** The pages up to the highest index. A page that becomes empty is dropped, unless it is the last page. */
  private readonly pages: Array<Page<V> | undefined> = []

  /** The number of values on all pages. */
  size = 0

  /** The value at the given index. */
  get(index: number): V | undefined {
    return this.pages[Math.floor(index / pageSize)]?.values[index % pageSize]
  }

  /** Adds a value at an index that has no value. */
  add(index: number, value: V): void {
    const page = this.pages[Math.floor(index / pageSize)] ?? this.turn(Math.floor(index / pageSize))
    page.values[index % pageSize] = value
    page.size++
    this.size++
  }

  /** Removes the value at an index, if there is one. */
  delete(index: number): void {
    const { pages } = this
    const at = Math.floor(index / pageSize)
    const page = pages[at]
    if (page?.values[index % pageSize] === undefined) return
    page.values[index % pageSize] = undefined
    this.size--
    // An empty last page is not dropped, because the next index is probably on that page.
    if (--page.size === 0 && at !== pages.length - 1) pages[at] = undefined
  }

  /** The values, in the order of their indexes. */
  *[Symbol.iterator](): Generator<V, undefined> {
    for (const page of this.pages) {
      for (const value of page?.values ?? []) if (value !== undefined) yield value
    }
  }

  /** Appends an empty page, and drops the previous last page if it is empty. */
  private turn(at: number): Page<V> {
    const { pages } = this
    if (pages.at(-1)?.size === 0) pages[pages.length - 1] = undefined
    while (pages.length < at) pages.push(undefined)
    return pages[at] = { values: blank.slice(), size: 0 }
  }
}
