/**
 * Removing from a text what must stay secret.
 *
 * A server may echo what it was sent in any spelling: cut, wrapped, in capitals, with or without padding, as Base64, as
 * hexadecimal, escaped for URLs, HTML or JSON, and several of these at once. So a text is read in all its spellings, and
 * whatever has a part in common with a spelling of a secret is removed.
 */
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"
import * as Bytes from "./Bytes.ts"
import { Windows } from "./Windows.ts"

/** What stands in the place of what was removed. */
const removed = "<redacted>"

/** So many consecutive characters of a spelling of a secret are not shown. */
const window = 8

/** So many consecutive letters and digits are not shown where they may be anything. No field of the API is as long. */
const longRun = /[A-Za-z0-9+/=_-]{24,}/gu

// -----------------------------------------------------------------------------
// How a text may be read
// -----------------------------------------------------------------------------

/** A text, and where each of its characters stands in the text that it was read from; absent when it is that text. */
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

/** What an escape stands for; `undefined` when it is none. */
const meant = (escaped: ReadonlyArray<string | undefined>): string | undefined => {
  const [, unicode, byte, character, percentUnicode, percent, entityHex, entityDecimal, entity] = escaped
  if (character !== undefined) return whitespace[character] ?? character
  if (entity !== undefined) return named[entity.toLowerCase()]
  const hex = unicode ?? byte ?? percentUnicode ?? percent ?? entityHex
  const code = hex === undefined ? Number(entityDecimal) : Number.parseInt(hex, 16)
  return code <= 0xffff ? String.fromCharCode(code) : undefined
}

/** The same text with each escape read once; `undefined` when it has none. */
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

/** How often escapes may be escaped themselves. */
const maxEscapes = 5

/** The text as it is, with its escapes read, with the escapes that this shows read, and so on. */
const readings = (text: string): ReadonlyArray<Reading> => {
  const found: Array<Reading> = [{ text }]
  for (let last = found[0]; last !== undefined && found.length <= maxEscapes;) {
    last = unescaped(last)
    if (last !== undefined) found.push(last)
  }
  return found
}

// oxlint-disable-next-line no-control-regex -- control characters are what is meant.
const nowhere = /[\s=\u0000-\u0020\u007f\u00ad\u200b-\u200d\u2060\ufeff]/u

/**
 * A character in the form in which texts are compared: small, of one alphabet of Base64, and none at all where a line may
 * be broken or padded.
 */
const toCompared = (character: string): string => {
  if (nowhere.test(character)) return ""
  if (character === "-") return "+"
  if (character === "_") return "/"
  const small = character.toLowerCase()
  return small.length === 1 ? small : character
}

/** The code of a character in that form; 0, which is never compared, where it is none. */
const toCode = (character: string): number => toCompared(character).charCodeAt(0) || 0

const ascii = Uint16Array.from({ length: 128 }, (_, code) => toCode(String.fromCharCode(code)))

const codeAt = (text: string, at: number): number => ascii[text.charCodeAt(at)] ?? toCode(text.charAt(at))

/** The codes of a text in the form in which texts are compared. */
const compared = (text: string): Uint16Array => {
  const codes = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = codeAt(text, at)
    if (code !== 0) codes[length++] = code
  }
  return codes.subarray(0, length)
}

/** Where in the text each of the codes stands that it is compared by. */
const placesOf = (text: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = 0; at < text.length; at++) if (codeAt(text, at) !== 0) places.push(at)
  return places
}

// -----------------------------------------------------------------------------
// How a secret may be spelled
// -----------------------------------------------------------------------------

/**
 * The Base64 of bytes in the middle of others, for each place of a group of three that they may begin at: without what
 * depends on those before them.
 */
const base64InText = (bytes: string): ReadonlyArray<string> => [
  btoa(bytes),
  btoa(`\0${bytes}`).slice(2),
  btoa(`\0\0${bytes}`).slice(3)
]

const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  const oneByOne = bytes.length === secret.length ? secret : Bytes.oneByOne(bytes)
  const decoded = Result.getOrUndefined(Hex.decode(secret))
  const all = [
    ...new Set([
      secret,
      oneByOne,
      Hex.encode(bytes),
      ...base64InText(oneByOne),
      ...(decoded === undefined ? [] : base64InText(Bytes.oneByOne(decoded)))
    ])
  ]
  return [
    ...all,
    // Where a plus stands for a space, or a space for a plus.
    ...all.filter((text) => text.includes("+")).map((text) => text.replaceAll("+", "")),
    ...all.filter((text) => text.includes(" ")).map((text) => text.replaceAll(" ", "+"))
  ]
}

/** Stands between two spellings, and in none of them. */
const between = "\uffff"

/**
 * The parts of a spelling that are shorter than the window when they are compared, because they hold spaces or padding, and
 * the spelling itself if it is.
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
  // Something shorter is in many a text by chance.
  if (kept > window / 2 && kept < window) found.push(spelling)
  return found
}

/** The parts of secrets that are not shown, by their length. */
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

// -----------------------------------------------------------------------------
// Removing
// -----------------------------------------------------------------------------

/** Marks what is removed from a text. Most texts are clean. */
class Marks {
  private readonly text: string
  private marks: Uint8Array | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Marks the characters of a reading from the first to the last. */
  add({ ends, starts }: Reading, first: number, last: number): void {
    this.marks ??= new Uint8Array(this.text.length)
    this.marks.fill(1, starts?.[first] ?? first, ends?.[last] ?? last + 1)
  }

  /** The text without what is marked. */
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
 * A text without any of the given secrets. No eight consecutive characters of one are left, neither as it is nor as Base64
 * or hexadecimal, however the text spells them. A secret of less than eight characters is only removed as a whole.
 */
export const scrubber = (...secrets: ReadonlyArray<string>): (text: string) => string => {
  // Most calls succeed and show nothing.
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
 * A text without long runs of letters and digits, also where they are escaped: whatever else a stranger's answer reveals,
 * no key, signature or code is in what is left.
 */
export const withoutLongRuns = (text: string): string => {
  const marks = new Marks(text)
  for (const reading of readings(text)) {
    for (const { 0: run, index } of reading.text.matchAll(longRun)) marks.add(reading, index, index + run.length - 1)
  }
  return marks.removed()
}
