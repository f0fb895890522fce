/**
 * The client for `async` and `await`, without Effect: `createClient()`.
 *
 * @example
 * ```ts
 * import { createClient, OutcomeUnknown } from "effect-txc/promise"
 *
 * export const buy = async (apiKey: string, apiSecret: string) => {
 *   await using client = createClient({ region: "eu", apiKey, apiSecret })
 *   try {
 *     return await client.limitOrders.create({ market: "BTC_USDT", side: "buy", amount: "0.001", price: "30000" })
 *   } catch (error) {
 *     if (error instanceof OutcomeUnknown) return client.reconciliation.reconcile(error)
 *     throw error
 *   }
 * }
 * ```
 */
export * from "./PromiseClient.ts"
export type * from "./PromiseServices.ts"
export type * from "./PromiseTypes.ts"

// The errors, as classes for `instanceof`
export { InvalidCredentials } from "./client/Credentials.ts"
export { InvalidBaseUrl } from "./client/Region.ts"
export * from "./client/session/StreamErrors.ts"
export { SigningFailed } from "./client/Signer.ts"
export * from "./protocol/Errors.ts"

// Exact arithmetic with amounts and prices
export { decimal } from "./PromiseDecimal.ts"
