/**
 * A reference model of decimals that shares no code with the library. A value is a fraction. The model reads values
 * digit by digit, compares them by cross-multiplication, and writes them by long division.
 */
export interface Fraction {
  readonly n: bigint
  readonly d: bigint
}

export const read = (text: string): Fraction => {
  let n = 0n
  let d = 1n
  let inFraction = false
  for (const character of text.replace("-", "")) {
    if (character === ".") inFraction = true
    else {
      n = n * 10n + BigInt(character)
      if (inFraction) d *= 10n
    }
  }
  return { n: text.startsWith("-") ? -n : n, d }
}

/** Writes the value as the shortest decimal. */
export const write = ({ d, n }: Fraction): string => {
  const magnitude = n < 0n ? -n : n
  let text = `${n < 0n ? "-" : ""}${magnitude / d}`
  let rest = magnitude % d
  if (rest !== 0n) text += "."
  while (rest !== 0n) {
    text += (rest * 10n) / d
    rest = (rest * 10n) % d
  }
  return text
}

export const compare = (a: Fraction, b: Fraction): -1 | 0 | 1 => {
  const difference = a.n * b.d - b.n * a.d
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export const add = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d })

export const negate = ({ d, n }: Fraction): Fraction => ({ n: -n, d })

export const multiply = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d })

/** Checks whether the value is an integer multiple of `step`. */
export const isWholeNumberOf = (a: Fraction, step: Fraction): boolean => (a.n * step.d) % (a.d * step.n) === 0n
