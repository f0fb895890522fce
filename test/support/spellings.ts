/** The ways in which a server can encode text that it echoes, and a reader that decodes all of them. */
import * as fc from "fast-check"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** Encodings of the entire text. */
const encodings = {
  none: (text: string) => text,
  base64,
  "base64 without padding": (text: string) => base64(text).replace(/=+$/u, ""),
  "base64 for URLs": (text: string) => Buffer.from(text).toString("base64url"),
  hex: (text: string) => Buffer.from(text).toString("hex")
}

/** Encodings of a single character. */
const escapes = {
  none: (character: string) => character,
  "of URLs": (character: string) => Buffer.from(character).toString("hex").replace(/../gu, "%$&"),
  "of URLs, twice": (character: string) => Buffer.from(character).toString("hex").replace(/../gu, "%25$&"),
  "of HTML": (character: string) => `&#${character.charCodeAt(0)};`,
  "of HTML in hex": (character: string) => `&#x${character.charCodeAt(0).toString(16)};`,
  "of JSON": (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}

const cases = {
  kept: (text: string) => text,
  upper: (text: string) => text.toUpperCase(),
  lower: (text: string) => text.toLowerCase()
}

const breaks = { none: "", "a line": "\n", "a line of Windows": "\r\n", "a space": " ", "an escaped line": "\\n" }

const keysOf = <T extends object>(of: T) => fc.constantFrom(...Object.keys(of) as Array<keyof T & string>)

export interface Spelling {
  readonly encoding: keyof typeof encodings
  readonly escape: keyof typeof escapes
  readonly letters: keyof typeof cases
  readonly lineBreak: keyof typeof breaks
  readonly width: number
  /** Text before the secret that is encoded together with the secret. */
  readonly before: string
  /** The start of the part that the server writes, as a fraction of the encoded text's length. */
  readonly from: number
  readonly to: number
}

export const spellings: fc.Arbitrary<Spelling> = fc.record({
  encoding: keysOf(encodings),
  escape: keysOf(escapes),
  letters: keysOf(cases),
  lineBreak: keysOf(breaks),
  width: fc.integer({ min: 3, max: 80 }),
  before: fc.constantFrom("", "", "k", "k="),
  from: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.6, noNaN: true })),
  to: fc.oneof(fc.constant(1), fc.double({ min: 0.5, max: 1, noNaN: true }))
})

/** Encodes the entire text and changes its letter case. */
const encoded = (text: string, { before, encoding, letters }: Spelling): string =>
  cases[letters](encodings[encoding](encoding === "none" ? text : before + text))

/** Returns the text as the server writes it. */
export const respelled = (text: string, spelling: Spelling): string => {
  const whole = encoded(text, spelling)
  const cut = whole.slice(Math.floor(whole.length * spelling.from), Math.ceil(whole.length * spelling.to))
  const lines = cut.match(new RegExp(`[^]{1,${spelling.width}}`, "gu")) ?? []
  return lines
    .map((line) => [...line].map(escapes[spelling.escape]).join(""))
    .join(breaks[spelling.lineBreak])
}

/** Decodes all escapes in the text, removes line breaks, and converts the result to lower case. */
export const readAnyHow = (text: string): string => {
  let read = text
  for (let before = ""; before !== read;) {
    before = read
    read = read
      .replaceAll("\\\\", "\\")
      .replace(/\\u([0-9a-f]{4})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/&#x([0-9a-f]+);/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/&#([0-9]+);/gu, (_, number: string) => String.fromCharCode(Number(number)))
      .replace(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/\\[nr]/gu, "")
  }
  return read.replace(/\s/gu, "").toLowerCase()
}

/**
 * Returns the parts of a secret that {@link readAnyHow} must not find: all sequences of eight consecutive characters.
 */
export const recoverable = (secret: string, spelling: Spelling): ReadonlyArray<string> => {
  const skipped = spelling.encoding === "none"
    ? 0
    : Math.ceil(encodings[spelling.encoding](spelling.before).replace(/=+$/u, "").length)
  const whole = readAnyHow(encoded(secret, spelling).slice(skipped))
  return Array.from({ length: Math.max(0, whole.length - 7) }, (_, at) => whole.slice(at, at + 8))
}
