/**
 * Removes secrets from text.
 *
 * A server may echo a secret in any form: truncated, wrapped, in capitals, as Base64 with or without padding, as
 * hexadecimal, escaped for a URL, HTML or JSON, or in a combination of these. So this module searches the text both as
 * it is and with its escape sequences decoded, and removes every part that also occurs in an encoding of a secret.
 */
import * as Hex from "effect/encoding/Hex"
import * as Bytes from "./Bytes.ts"
import { Windows } from "./Windows.ts"

/** The replacement for each removed part. */
const removed = "<redacted>"

/** The minimum length of a removed part of a secret, in characters. A shorter secret is only removed as a whole. */
const window = 8

/** Matches runs of letters, digits and `+/=_-` that are long enough to be a secret. */
const longRun = /[A-Za-z0-9+/=_-]{24,}/gu

/**
 * A text whose escape sequences were decoded, with the start and end of each character in the original text. Without
 * positions, this is the original text itself.
 */
interface Reading {
  readonly text: string
  readonly starts?: ReadonlyArray<number>
  readonly ends?: ReadonlyArray<number>
}

const escape =
  /\\u\{?([0-9a-f]{4})\}?|\\x([0-9a-f]{2})|\\([^ux])|%u([0-9a-f]{4})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});?|&#([0-9]{1,7});?|&([a-z]{2,6});/giu

const named: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  colon: ":",
  equals: "=",
  gt: ">",
  hyphen: "-",
  lowbar: "_",
  lt: "<",
  nbsp: " ",
  num: "#",
  percnt: "%",
  period: ".",
  plus: "+",
  quot: "\"",
  sol: "/"
}

const whitespace: Readonly<Record<string, string>> = { b: " ", f: " ", n: " ", r: " ", t: " " }

/** Decodes an escape sequence, given the match of {@link escape}. Returns `undefined` if the sequence is not valid. */
const meant = (escaped: ReadonlyArray<string | undefined>): string | undefined => {
  const [, unicode, byte, character, percentUnicode, percent, entityHex, entityDecimal, entity] = escaped
  if (character !== undefined) return whitespace[character] ?? character
  if (entity !== undefined) return named[entity.toLowerCase()]
  const hex = unicode ?? byte ?? percentUnicode ?? percent ?? entityHex
  const code = hex === undefined ? Number(entityDecimal) : Number.parseInt(hex, 16)
  return code <= 0xffff ? String.fromCharCode(code) : undefined
}

/** Decodes each escape sequence in the text once. Returns `undefined` if there are no valid escape sequences. */
const unescaped = ({ ends, starts, text }: Reading): Reading | undefined => {
  if (!/[\\%&]/u.test(text)) return undefined
  let read = ""
  const newStarts: Array<number> = []
  const newEnds: Array<number> = []
  const keep = (from: number, to: number) => {
    read += text.slice(from, to)
    for (let at = from; at < to; at++) {
      newStarts.push(starts?.[at] ?? at)
      newEnds.push(ends?.[at] ?? at + 1)
    }
  }
  let last = 0
  for (const found of text.matchAll(escape)) {
    const character = meant(found)
    if (character === undefined) continue
    const after = found.index + found[0].length
    keep(last, found.index)
    read += character
    newStarts.push(starts?.[found.index] ?? found.index)
    newEnds.push(ends?.[after - 1] ?? after)
    last = after
  }
  if (last === 0) return undefined
  keep(last, text.length)
  return { text: read, starts: newStarts, ends: newEnds }
}

/** The maximum number of times that a text is decoded: once for each level of nested escape sequences. */
const maxEscapes = 5

/** Returns the original text, followed by the text with its escape sequences decoded once, twice, and so on. */
const readings = (text: string): ReadonlyArray<Reading> => {
  const found: Array<Reading> = [{ text }]
  for (let last = found[0]; last !== undefined && found.length <= maxEscapes;) {
    last = unescaped(last)
    if (last !== undefined) found.push(last)
  }
  return found
}

// oxlint-disable-next-line no-control-regex -- the pattern matches control characters on purpose.
const nowhere = /[\s=\u0000-\u0020\u007f\u00ad\u200b-\u200d\u2060\ufeff]/u

/**
 * Normalizes a character for comparison: converts it to lower case and to the standard Base64 alphabet, and drops
 * whitespace and padding.
 */
const toCompared = (character: string): string => {
  if (nowhere.test(character)) return ""
  if (character === "-") return "+"
  if (character === "_") return "/"
  const small = character.toLowerCase()
  return small.length === 1 ? small : character
}

/** Returns the code of a normalized character; 0 for a character that is dropped. */
const toCode = (character: string): number => toCompared(character).charCodeAt(0) || 0

const ascii = Uint16Array.from({ length: 128 }, (_, code) => toCode(String.fromCharCode(code)))

const codeAt = (text: string, at: number): number => ascii[text.charCodeAt(at)] ?? toCode(text.charAt(at))

/** Returns the codes of a string's normalized characters, without those that are dropped. */
const compared = (text: string): Uint16Array => {
  const codes = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = codeAt(text, at)
    if (code !== 0) codes[length++] = code
  }
  return codes.subarray(0, length)
}

/** Returns the positions of the characters in the text that are not dropped. */
const placesOf = (text: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = 0; at < text.length; at++) if (codeAt(text, at) !== 0) places.push(at)
  return places
}

/**
 * Returns the three ways in which bytes can appear inside the Base64 of longer data: Base64 encodes groups of three
 * bytes, so there is one way per offset in a group. Characters that also depend on the preceding bytes are left out.
 */
const base64InText = (bytes: string): ReadonlyArray<string> => [
  btoa(bytes),
  btoa(`\0${bytes}`).slice(2),
  btoa(`\0\0${bytes}`).slice(3)
]

/**
 * Decodes a hexadecimal secret to a string with one character per byte; returns `undefined` if the secret is not
 * hexadecimal. Effect's decoder would add 0.2 KB (gzip) to a bundle with one endpoint.
 */
const fromHex = (secret: string): string | undefined =>
  /^(?:[0-9a-f]{2})+$/iu.test(secret)
    ? secret.replace(/../gu, (byte) => String.fromCharCode(Number.parseInt(byte, 16)))
    : undefined

const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  const oneByOne = bytes.length === secret.length ? secret : Bytes.oneByOne(bytes)
  const decoded = fromHex(secret)
  const all = [
    ...new Set([
      secret,
      oneByOne,
      Hex.encode(bytes),
      ...base64InText(oneByOne),
      ...(decoded === undefined ? [] : base64InText(decoded))
    ])
  ]
  return [
    ...all,
    // In a URL, a plus stands for a space. So a plus may have been decoded to a space, which is dropped, and a space
    // may have been encoded as a plus.
    ...all.filter((text) => text.includes("+")).map((text) => text.replaceAll("+", "")),
    ...all.filter((text) => text.includes(" ")).map((text) => text.replaceAll(" ", "+"))
  ]
}

/** A separator between two encodings. This character does not occur in an encoding. */
const between = "\uffff"

/**
 * Returns the parts of an encoding that are {@link window} characters long but that normalization shortens, because
 * they contain whitespace or padding. Also returns the entire encoding if it is shorter than {@link window} after
 * normalization.
 */
const shortParts = (spelling: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let kept = 0
  let gap = -1
  for (let last = 0; last < spelling.length; last++) {
    if (codeAt(spelling, last) === 0) gap = last
    else kept++
    const start = last - window + 1
    if (start >= 0 && gap >= start) found.push(spelling.slice(start, last + 1))
  }
  // Strings of four characters or fewer occur in ordinary text by chance.
  if (kept > window / 2 && kept < window) found.push(spelling)
  return found
}

/** Indexes the parts of secrets that must be removed: one index for each length of a part. */
const partsOf = (secrets: ReadonlyArray<string>): ReadonlyArray<Windows> => {
  const short = new Map<number, Set<string>>()
  const add = (text: string, least: number) => {
    const { length } = compared(text)
    if (length < least || length >= window) return
    const known = short.get(length)
    if (known === undefined) short.set(length, new Set([text]))
    else known.add(text)
  }
  const all = secrets.flatMap(spellings)
  for (const secret of secrets) add(secret, 1)
  for (const part of all.flatMap(shortParts)) add(part, window / 2)
  return [
    new Windows(compared(all.join(between)), window),
    ...Array.from(short, ([length, parts]) => new Windows(compared([...parts].join(between)), length))
  ]
}

/**
 * Marks the parts of a text that must be removed. Allocates memory only when the first part is marked, because most
 * texts contain no secret.
 */
class Marks {
  private readonly text: string
  private marks: Uint8Array | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Marks the original text of the decoded characters from `first` to `last`, inclusive. */
  add({ ends, starts }: Reading, first: number, last: number): void {
    this.marks ??= new Uint8Array(this.text.length)
    this.marks.fill(1, starts?.[first] ?? first, ends?.[last] ?? last + 1)
  }

  /** Returns the text with each marked part replaced. */
  removed(): string {
    const { marks, text } = this
    if (marks === undefined) return text
    let clean = ""
    let last = 0
    for (let at = marks.indexOf(1); at !== -1;) {
      const end = marks.indexOf(0, at)
      const to = end === -1 ? text.length : end
      clean += text.slice(last, at) + removed
      last = to
      at = marks.indexOf(1, to)
    }
    return clean + text.slice(last)
  }
}

/**
 * Creates a function that removes the given secrets from a text. No eight consecutive characters of a secret remain,
 * whether they are plain, Base64 or hexadecimal, and whichever escapes the text uses. A secret of fewer than eight
 * characters is removed only where the entire secret occurs.
 */
export const scrubber = (...secrets: ReadonlyArray<string>): (text: string) => string => {
  // The index is built on first use, because most calls succeed and never need it.
  let parts: ReadonlyArray<Windows> | undefined
  return (text) => {
    parts ??= partsOf(secrets.filter((secret) => secret !== ""))
    const marks = new Marks(text)
    for (const reading of readings(text)) {
      const codes = compared(reading.text)
      let places: ReadonlyArray<number> | undefined
      for (const windows of parts) {
        windows.find(codes, (at) => {
          places ??= placesOf(reading.text)
          marks.add(reading, places[at] ?? 0, places[at + windows.width - 1] ?? 0)
        })
      }
    }
    return marks.removed()
  }
}

/**
 * Removes runs of 24 or more letters, digits and `+/=_-`, even if they are escaped. Afterwards, an excerpt of a
 * response from an unknown server may still reveal other data, but no key, signature or code.
 */
export const withoutLongRuns = (text: string): string => {
  const marks = new Marks(text)
  for (const reading of readings(text)) {
    for (const { 0: run, index } of reading.text.matchAll(longRun)) marks.add(reading, index, index + run.length - 1)
  }
  return marks.removed()
}
