/** Whether this is a long test run, with more seeds and values, as in `npm run test:long` and, in part, in CI. */
export const isLong = Boolean(process.env["TXC_TEST_COMPLETE"])

/** Whether a long test run checks only a sample where a check of everything would take too long, as in CI. */
export const isSample = process.env["TXC_TEST_COMPLETE"] === "sample"

/** Every item, or every third item if a sample is enough. */
export const sampleOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  isSample ? all.filter((_, index) => index % 3 === 0) : all

/** Whether the explorations run all of their histories, as in `npm run test:histories`. */
const isEveryHistory = Boolean(process.env["TXC_TEST_HISTORIES"])

/**
 * The number of histories in an exploration: `all` if every history is run, a tenth of them in any other long test run,
 * and otherwise `few`.
 */
export const historiesOf = (all: number, few: number): number => {
  if (isEveryHistory) return all
  return isLong ? Math.ceil(all / 10) : few
}
