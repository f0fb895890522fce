/**
 * Bytes as hexadecimal digits, two for each byte. A program would load Effect's own module only for this, and carry its random
 * digits and its errors in every bundle.
 *
 * @since 0.1.0
 */

const digits = "0123456789abcdef"

/**
 * Writes bytes in lower case.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += digits.charAt(byte >> 4) + digits.charAt(byte & 15)
  return text
}

/**
 * Reads digits, in either case. Only for texts of whole bytes that have nothing else.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16))
