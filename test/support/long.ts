/** Whether the tests run in the long form, with more seeds and values, as in `npm run test:long`. */
export const isLong = process.env["TXC_TEST_COMPLETE"] !== undefined
