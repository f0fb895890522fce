/** Whether the long form is asked for, as `npm run test:long` does: more seeds and more values than at every change. */
export const isLong = process.env["TXC_TEST_COMPLETE"] !== undefined
