/**
 * Bytes as texts. A program would load Effect's encodings only for this, and carry more of them in a bundle than it uses.
 */

const digits = "0123456789abcdef"

/** Bytes as hexadecimal digits in lower case, two for each. */
export const toHex = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += digits.charAt(byte >> 4) + digits.charAt(byte & 15)
  return text
}

/** The bytes of hexadecimal digits, in either case. Only for texts of whole bytes that have nothing else. */
export const fromHex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16))

/** Bytes as the text that they are when they are read one by one. */
export const oneByOne = (bytes: Uint8Array): string => {
  let read = ""
  for (const byte of bytes) read += String.fromCharCode(byte)
  return read
}

/** The Base64 of bytes. Where there is a `Buffer`, that is faster. */
export const toBase64 = (bytes: Uint8Array): string => btoa(oneByOne(bytes))
