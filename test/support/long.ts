/** Whether this is a long test run, with more seeds and values, as in `npm run test:long` and, in part, in CI. */
export const isLong = Boolean(process.env["TXC_TEST_COMPLETE"])

/** Whether a long test run checks only a sample where a check of everything would take too long, as in CI. */
export const isSample = process.env["TXC_TEST_COMPLETE"] === "sample"

/** Every item, or every third item if a sample is enough. */
export const sampleOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  isSample ? all.filter((_, index) => index % 3 === 0) : all
