import { createClient, OutcomeUnknown, ValidationFailed } from "effect-txc/promise"

// Reads the key and the exchange from the environment. Create a single client for the complete program.
await using client = createClient()

const balances = await client.mainBalance.all()
console.log("BTC", balances.get("BTC"))

try {
  const order = await client.limitOrders.create({
    market: "BTC_USDT",
    side: "buy",
    amount: "0.001",
    price: "30000"
  })
  console.log("placed", order.orderId)
} catch (error) {
  if (error instanceof OutcomeUnknown) {
    // The response was lost, so the order may exist. Find out before you place it again.
    console.log((await client.reconciliation.reconcile(error))._tag)
  } else if (error instanceof ValidationFailed) console.log("invalid fields", error.fields)
  else throw error
}

// Reads all open orders, page by page.
for await (const order of client.activeOrders.stream({ market: "BTC_USDT" })) {
  console.log("open", order.side, order.amount, "at", order.price)
}
