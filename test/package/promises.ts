/** A user's program without Effect. `.ci/projects.js` compiles it as an ES module and as CommonJS. */
import { type Client, createClient, decimal, InvalidBaseUrl, OutcomeUnknown } from "effect-txc/promise"

export const buy = async (client: Client): Promise<string | undefined> => {
  try {
    const order = await client.limitOrders.create({ market: "BTC_USDT", side: "buy", amount: "0.1", price: "30000" })
    for await (const { amount, price } of client.fills.stream({ market: order.market })) console.log(amount, price)
    return (await client.markets.get("BTC_USDT"))?.name
  } catch (error) {
    if (error instanceof OutcomeUnknown) return (await client.reconciliation.reconcile(error))._tag
    throw error
  }
}

const client = createClient({ baseUrl: "http://127.0.0.1:9", dialect: "document", apiKey: "key", apiSecret: "secret" })

const refused = (): boolean => {
  try {
    createClient({ baseUrl: "nowhere", dialect: "live" })
    return false
  } catch (error) {
    return error instanceof InvalidBaseUrl
  }
}

void client.close().then(() => {
  if (refused()) console.log(decimal.add("1", "0.5"))
})
