/** Arbitraries for text that consists of given characters. */
import * as fc from "fast-check"

// -----------------------------------------------------------------------------

export const digits = "0123456789"

export const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

export const alphanumeric = digits + letters

export const oneOf = (characters: string): fc.Arbitrary<string> => fc.constantFrom(...characters)

export const textOf = (characters: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: oneOf(characters), minLength, maxLength })
