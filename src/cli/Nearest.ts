/** What somebody probably meant who wrote something that does not exist. */

/** How many letters must be put in, left out or changed to make one text of the other. */
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

/** Letters and digits alone: nobody means another thing by `btcusdt` or `--max_rate`. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/gu, "")

/**
 * The candidate that is nearest to a text: at most every third letter differs, or it begins with all of the text, or with its
 * first word. `undefined` when none is near.
 */
export const find = (text: string, candidates: ReadonlyArray<string>): string | undefined => {
  const wanted = plain(text)
  if (wanted === "") return undefined
  const [nearest] = candidates
    .map((candidate) => ({ candidate, away: distance(wanted, plain(candidate)) }))
    .toSorted((one, other) => one.away - other.away)
  if (nearest !== undefined && nearest.away <= Math.ceil(wanted.length / 3)) return nearest.candidate
  const [first = ""] = text.split(/[._-]/u).map(plain).filter((word) => word !== "")
  const begins = (start: string) =>
    candidates.find((candidate) => start.length > 2 && plain(candidate).startsWith(start))
  return begins(wanted) ?? begins(first)
}

/** `; did you mean LimitOrders.create?`, or nothing when no candidate is near. */
export const question = (text: string, candidates: ReadonlyArray<string>): string => {
  const found = find(text, candidates)
  return found === undefined ? "" : `; did you mean ${found}?`
}
