/**
 * All parts of one length of a text, kept so that those which other texts have in common with it are found in one pass.
 *
 * Texts are given as the codes of their characters.
 */

/** A part is hashed as a polynomial of its characters' codes, by this factor. */
const factor = 0x01000193

/** The parts of one text. */
export class Windows {
  /** How many characters each of them has. */
  readonly width: number
  private readonly text: Uint16Array
  /** Where in the text a part begins, plus one, at its hash or in the next free place after it: at least half are free. */
  private readonly places: Uint32Array
  /** What the first character of a part is multiplied by in the hash. */
  private readonly power: number

  /** Keeps the parts of a text that have so many characters. */
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

  /** Calls `found` for every place of another text where one of the parts begins, from its start to its end. */
  find(codes: Uint16Array, found: (at: number) => void): void {
    const { places, width } = this
    let hash = 0
    for (let end = 0; end < codes.length; end++) {
      hash = this.next(hash, codes, end)
      const at = end - width + 1
      if (at >= 0 && places[this.placeOf(hash, codes, at)] !== 0) found(at)
    }
  }

  /** The hash of the part that ends here, made of the one before it: a part costs no more than a character. */
  private next(hash: number, codes: Uint16Array, end: number): number {
    const gone = end < this.width ? 0 : Math.imul(codes[end - this.width] ?? 0, this.power)
    return (Math.imul(hash - gone, factor) + (codes[end] ?? 0)) | 0
  }

  /** The place of a part, or the free place that it would take. */
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
