/** Values by their numbers, which rise: whoever comes has a greater number than all before. */

/** How many numbers share a page. */
const pageSize = 256

/** A page without values. Copying it is several times faster than making one. */
const blank: ReadonlyArray<undefined> = Array.from({ length: pageSize }, () => undefined)

/** The values of neighbouring numbers. */
interface Page<V> {
  /** As many as there are numbers on a page. */
  readonly values: Array<V | undefined>
  /** How many there are. */
  size: number
}

/**
 * Values by whole numbers. Neighbours lie on the same page, so a value takes less room than in a map, and is found sooner.
 */
export class PagedArray<V> {
  /** The pages, as far as there are numbers. An empty one is gone. */
  private readonly pages: Array<Page<V> | undefined> = []

  /** How many values there are. */
  size = 0

  /** The value of a number. */
  get(number: number): V | undefined {
    return this.pages[Math.floor(number / pageSize)]?.values[number % pageSize]
  }

  /** Adds the value of a number that has none. */
  add(number: number, value: V): void {
    const page = this.pages[Math.floor(number / pageSize)] ?? this.turn(Math.floor(number / pageSize))
    page.values[number % pageSize] = value
    page.size++
    this.size++
  }

  /** Removes the value of a number, if it has one. */
  delete(number: number): void {
    const { pages } = this
    const at = Math.floor(number / pageSize)
    const page = pages[at]
    if (page?.values[number % pageSize] === undefined) return
    page.values[number % pageSize] = undefined
    this.size--
    // The last page stays when it is empty: most likely the next number is on it too.
    if (--page.size === 0 && at !== pages.length - 1) pages[at] = undefined
  }

  /** The values, in the order of their numbers. */
  *[Symbol.iterator](): Generator<V, undefined> {
    for (const page of this.pages) {
      for (const value of page?.values ?? []) if (value !== undefined) yield value
    }
  }

  /** Begins a page, which is the last from now on. */
  private turn(at: number): Page<V> {
    const { pages } = this
    if (pages.at(-1)?.size === 0) pages[pages.length - 1] = undefined
    while (pages.length < at) pages.push(undefined)
    return pages[at] = { values: blank.slice(), size: 0 }
  }
}
