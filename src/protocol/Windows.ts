/**
 * Indexes all substrings of a given length in a string. With this index, a single pass over another string finds every
 * place where one of the substrings occurs.
 *
 * Strings are represented as arrays of character codes.
 */

/** The base of the polynomial rolling hash. */
const factor = 0x01000193

/** An index of all substrings of one length in a string. */
export class Windows {
  /** Each substring's length, in characters. */
  readonly width: number
  private readonly text: Uint16Array
  /**
   * A hash table with linear probing. An entry is the start position of a substring plus one; zero means that the entry
   * is free. At least half of the entries are free.
   */
  private readonly places: Uint32Array
  /** The factor by which the hash multiplies the code of a substring's first character. */
  private readonly power: number

  /** Indexes the substrings of `width` characters. */
  constructor(text: Uint16Array, width: number) {
    this.text = text
    this.width = width
    this.places = new Uint32Array(2 ** (33 - Math.clz32(text.length | 1)))
    this.power = Array.from({ length: width - 1 }).reduce<number>((power) => Math.imul(power, factor), 1)
    let hash = 0
    for (let end = 0; end < text.length; end++) {
      hash = this.next(hash, text, end)
      const at = end - width + 1
      if (at >= 0) this.places[this.placeOf(hash, text, at)] = at + 1
    }
  }

  /**
   * Searches another string for the substrings. Calls `found` with the start of each occurrence, in ascending order.
   */
  find(codes: Uint16Array, found: (at: number) => void): void {
    const { places, width } = this
    let hash = 0
    for (let end = 0; end < codes.length; end++) {
      hash = this.next(hash, codes, end)
      const at = end - width + 1
      if (at >= 0 && places[this.placeOf(hash, codes, at)] !== 0) found(at)
    }
  }

  /** Returns the hash of the window that ends at `end`, from the hash of the window before it, in constant time. */
  private next(hash: number, codes: Uint16Array, end: number): number {
    const gone = end < this.width ? 0 : Math.imul(codes[end - this.width] ?? 0, this.power)
    return (Math.imul(hash - gone, factor) + (codes[end] ?? 0)) | 0
  }

  /**
   * Returns the index of a substring in the hash table or, if the substring is not in the table, the free index where
   * it belongs.
   */
  private placeOf(hash: number, codes: Uint16Array, at: number): number {
    const { places } = this
    const last = places.length - 1
    let place = Math.imul(hash, 0x9e3779b1) >>> Math.clz32(last)
    for (;;) {
      const start = places[place] ?? 0
      if (start === 0 || this.isAt(start - 1, codes, at)) return place
      place = (place + 1) & last
    }
  }

  private isAt(start: number, codes: Uint16Array, at: number): boolean {
    for (let index = 0; index < this.width; index++) {
      if (this.text[start + index] !== codes[at + index]) return false
    }
    return true
  }
}
