/** Whether the long form is requested, as by `npm run test:long`: more seeds and more values. */
export const isLong = process.env["TXC_TEST_COMPLETE"] !== undefined
