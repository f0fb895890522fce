import { type Client, ExchangeUnreachable, OutcomeUnknown, RateLimited } from "effect-txc/promise"
import { setTimeout } from "node:timers/promises"

/**
 * Repeatedly buys for the same amount of money until the signal aborts:
 * `buyEvery(client, "BTC_USDT", "50", 86_400_000)`.
 */
export const buyEvery = async (client: Client, market: string, money: string, millis: number, signal: AbortSignal) => {
  while (!signal.aborted) {
    try {
      const order = await client.marketOrders.create({ market, side: "buy", amount: money })
      console.log("bought", order.dealStock, "for", order.dealMoney)
    } catch (error) {
      if (error instanceof OutcomeUnknown) {
        // Never buys twice: if a response is lost, the order is treated as a purchase until a person has checked it.
        console.error("look at", error.clientOrderId, (await client.reconciliation.reconcile(error))._tag)
      } else if (error instanceof ExchangeUnreachable || error instanceof RateLimited) {
        console.error("not bought, next time again:", error.message)
      } else throw error
    }
    await setTimeout(millis, undefined, { signal }).catch(() => {})
  }
}
