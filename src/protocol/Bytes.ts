/**
 * Converts bytes to Base64. Effect's own encoder would add 0.4 KB (gzip) to a bundle with one endpoint, and is five
 * times slower on platforms with `Buffer`.
 */

/** Converts bytes to a string with one character per byte: the character with the byte's value as its code. */
export const oneByOne = (bytes: Uint8Array): string => {
  let read = ""
  for (const byte of bytes) read += String.fromCharCode(byte)
  return read
}

/** Encodes bytes as Base64, in runtimes without `Buffer`. */
export const toBase64 = (bytes: Uint8Array): string => btoa(oneByOne(bytes))
