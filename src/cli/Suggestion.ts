/** Suggests the correct name when a user has mistyped a name. */

/** Returns the edit distance between two strings, in single-letter insertions, deletions and substitutions. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of one.split("").entries()) {
    const next = [index + 1]
    for (const [column, found] of other.split("").entries()) {
      const changed = (row[column] ?? 0) + (letter === found ? 0 : 1)
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** Keeps only letters and digits, in lower case, so that `btcusdt` matches `BTC_USDT`. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/gu, "")

/**
 * Returns the candidate that is most similar to a string. If more than a third of the letters differ, returns a
 * candidate that begins with the string or its first word. Returns `undefined` if there is no such candidate.
 */
export const find = (text: string, candidates: ReadonlyArray<string>): string | undefined => {
  const wanted = plain(text)
  // Numbers that differ in one digit are different values, not misspellings.
  if (/^[0-9]*$/u.test(wanted)) return undefined
  const [nearest] = candidates
    .map((candidate) => ({ candidate, away: distance(wanted, plain(candidate)) }))
    .toSorted((one, other) => one.away - other.away)
  if (nearest !== undefined && nearest.away <= Math.ceil(wanted.length / 3)) return nearest.candidate
  const [first = ""] = text.split(/[._-]/u).map(plain).filter((word) => word !== "")
  const begins = (start: string) =>
    candidates.find((candidate) => start.length > 2 && plain(candidate).startsWith(start))
  return begins(wanted) ?? begins(first)
}

/** Returns `; did you mean LimitOrders.create?`, or an empty string if no candidate is similar. */
export const question = (text: string, candidates: ReadonlyArray<string>): string => {
  const found = find(text, candidates)
  return found === undefined ? "" : `; did you mean ${found}?`
}
