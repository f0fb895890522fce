/**
 * Converts bytes to text for Base64. Effect's version would add 0.4 KB (gzip) to the bundle of one endpoint, and is
 * five times slower where `Buffer` exists.
 */

/** Reads each byte as one character. */
export const oneByOne = (bytes: Uint8Array): string => {
  let read = ""
  for (const byte of bytes) read += String.fromCharCode(byte)
  return read
}

/** Base64 of bytes, for runtimes without `Buffer`. */
export const toBase64 = (bytes: Uint8Array): string => btoa(oneByOne(bytes))
