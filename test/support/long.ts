/** Whether this is a long test run, with more seeds and values, as in `npm run test:long`. */
export const isLong = process.env["TXC_TEST_COMPLETE"] !== undefined
