/**
 * Removing from a text what must stay secret.
 *
 * A server may echo what it was sent in any spelling: cut, wrapped, in capitals, with or without padding, as Base64, as
 * hexadecimal, escaped for URLs, HTML or JSON, and several of these at once. So a text is read in all its spellings, and
 * whatever has a part in common with a spelling of a secret is removed.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"

/** What stands in the place of what was removed. */
const removed = "<redacted>"

/** So many consecutive characters of a spelling of a secret are not shown. */
const window = 8

/** So many consecutive letters and digits are not shown where they may be anything. No field of the API is as long. */
const longRun = /[A-Za-z0-9+/=_-]{24,}/gu

// -----------------------------------------------------------------------------
// How a text may be read
// -----------------------------------------------------------------------------

/** A text, and where each of its characters stands in the text that it was read from. */
interface Reading {
  readonly text: string
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
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

const asWritten = (text: string): Reading => ({
  text,
  starts: Array.from(text, (_, index) => index),
  ends: Array.from(text, (_, index) => index + 1)
})

/** The same text with each escape read once; `undefined` when it has none. */
const unescaped = ({ ends, starts, text }: Reading): Reading | undefined => {
  let read = ""
  const newStarts: Array<number> = []
  const newEnds: Array<number> = []
  const keep = (from: number, to: number) => {
    read += text.slice(from, to)
    for (let at = from; at < to; at++) {
      newStarts.push(starts[at] ?? 0)
      newEnds.push(ends[at] ?? 0)
    }
  }
  let last = 0
  for (const found of text.matchAll(escape)) {
    const character = meant(found)
    if (character === undefined) continue
    const after = found.index + found[0].length
    keep(last, found.index)
    read += character
    newStarts.push(starts[found.index] ?? 0)
    newEnds.push(ends[after - 1] ?? 0)
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
  const found = [asWritten(text)]
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

const ascii = Array.from({ length: 128 }, (_, code) => toCompared(String.fromCharCode(code)))

const compared = (text: string, at: number): string => ascii[text.charCodeAt(at)] ?? toCompared(text.charAt(at))

const comparedText = (text: string): string => {
  let read = ""
  for (let at = 0; at < text.length; at++) read += compared(text, at)
  return read
}

const comparedReading = ({ ends, starts, text }: Reading): Reading => {
  let read = ""
  const newStarts: Array<number> = []
  const newEnds: Array<number> = []
  for (let at = 0; at < text.length; at++) {
    const character = compared(text, at)
    if (character === "") continue
    read += character
    newStarts.push(starts[at] ?? 0)
    newEnds.push(ends[at] ?? 0)
  }
  return { text: read, starts: newStarts, ends: newEnds }
}

// -----------------------------------------------------------------------------
// How a secret may be spelled
// -----------------------------------------------------------------------------

/**
 * The Base64 of bytes in the middle of others, for each place of a group of three that they may begin at: without what
 * depends on those before them.
 */
const base64InText = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const text = Base64.encode(new Uint8Array([...new Uint8Array(before), ...bytes]))
    return before === 0 ? text : text.slice(before + 1)
  })

const isHex = /^(?:[0-9a-f]{2})+$/iu

const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  const decoded = isHex.test(secret) ? Result.getOrUndefined(Hex.decode(secret)) : undefined
  const all = [
    secret,
    // As bytes that were read one by one.
    String.fromCharCode(...bytes),
    Hex.encode(bytes),
    ...base64InText(bytes),
    ...(decoded === undefined ? [] : base64InText(decoded))
  ]
  return [
    ...new Set(all.flatMap((text) => [
      text,
      // Where a plus stands for a space, or a space for a plus.
      text.replaceAll("+", ""),
      text.replaceAll(" ", "+")
    ]))
  ]
}

/** What is not shown. */
interface Parts {
  /** All spellings, one after the other: no part of as many characters as the window is shown. */
  readonly spelled: string
  /** What is shorter than the window, by its length. */
  readonly short: ReadonlyMap<number, ReadonlySet<string>>
}

const partsOf = (secrets: ReadonlyArray<string>): Parts => {
  const short = new Map<number, Set<string>>()
  const spelled: Array<string> = []
  const add = (part: string, least: number) => {
    if (part.length < least || part.length >= window) return
    const known = short.get(part.length)
    if (known === undefined) short.set(part.length, new Set([part]))
    else known.add(part)
  }
  for (const secret of secrets) add(comparedText(secret), 1)
  for (const spelling of secrets.flatMap(spellings)) {
    const text = comparedText(spelling)
    spelled.push(text)
    // Something shorter is in many a text by chance.
    add(text, window / 2 + 1)
    // A part that holds spaces or padding is shorter when it is compared.
    if (text.length === spelling.length) continue
    for (let at = 0; at + window <= spelling.length; at++)
      add(comparedText(spelling.slice(at, at + window)), window / 2)
  }
  return { spelled: spelled.join("\n"), short }
}

// -----------------------------------------------------------------------------
// Removing
// -----------------------------------------------------------------------------

/** The text without what is marked. */
const without = (text: string, marks: Uint8Array): string => {
  let clean = ""
  let last = 0
  for (let at = marks.indexOf(1); at !== -1;) {
    const end = marks.indexOf(0, at)
    const to = end === -1 ? text.length : end
    clean += text.slice(last, at) + removed
    last = to
    at = marks.indexOf(1, to)
  }
  return last === 0 ? text : clean + text.slice(last)
}

/**
 * A text without any of the given secrets. No eight consecutive characters of one are left, neither as it is nor as Base64
 * or hexadecimal, however the text spells them. A secret of less than eight characters is only removed as a whole.
 *
 * @category scrubbing
 * @since 0.1.0
 */
export const scrubber = (...secrets: ReadonlyArray<string>): (text: string) => string => {
  // Most calls succeed and show nothing.
  let known: ReturnType<typeof partsOf> | undefined
  return (text) => {
    known ??= partsOf(secrets.filter((secret) => secret !== ""))
    const marks = new Uint8Array(text.length)
    for (const reading of readings(text)) {
      const { ends, starts, text: read } = comparedReading(reading)
      for (let at = 0; at + window <= read.length; at++) {
        if (known.spelled.includes(read.slice(at, at + window))) marks.fill(1, starts[at], ends[at + window - 1])
      }
      for (const [length, parts] of known.short) {
        for (let at = 0; at + length <= read.length; at++) {
          if (parts.has(read.slice(at, at + length))) marks.fill(1, starts[at], ends[at + length - 1])
        }
      }
    }
    return without(text, marks)
  }
}

/**
 * A text without long runs of letters and digits, also where they are escaped: whatever else a stranger's answer reveals,
 * no key, signature or code is in what is left.
 *
 * @category scrubbing
 * @since 0.1.0
 */
export const withoutLongRuns = (text: string): string => {
  const marks = new Uint8Array(text.length)
  for (const { ends, starts, text: read } of readings(text)) {
    for (const { 0: run, index } of read.matchAll(longRun)) {
      marks.fill(1, starts[index], ends[index + run.length - 1])
    }
  }
  return without(text, marks)
}
