import { type Client, decimal } from "effect-txc/promise"

/**
 * Places up to 20 limit orders in one call, each one step below the previous order. Returns the ids of the orders that
 * were placed.
 */
export const ladder = async (
  client: Client,
  market: string,
  amount: string,
  first: string,
  step: string,
  count = 5
) => {
  const prices = Array.from({ length: count }, (_, at) => decimal.subtract(first, decimal.multiply(step, String(at))))
  const outcomes = await client.bulkLimitOrders.create({
    orders: prices.map((price) => ({ market, side: "buy", amount, price }))
  })
  return outcomes.flatMap((outcome, at) => {
    if (outcome.status === "fulfilled") return [outcome.value.orderId]
    console.error("no order at", prices[at], outcome.reason.message)
    return []
  })
}
