/**
 * Bytes as texts, for Base64. That of Effect would add 0.4 KB to the bundle of one endpoint (gzip), and where there is a `Buffer`
 * it takes five times as long.
 */

/** Bytes as the text that they are when they are read one by one. */
export const oneByOne = (bytes: Uint8Array): string => {
  let read = ""
  for (const byte of bytes) read += String.fromCharCode(byte)
  return read
}

/** The Base64 of bytes, where there is no `Buffer`. */
export const toBase64 = (bytes: Uint8Array): string => btoa(oneByOne(bytes))
