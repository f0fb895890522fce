/**
 * A user's program, the same for every runtime. It uses each feature of the client once against a sandbox, and reports
 * which features work. A browser has no `require` and no undici.
 */
import { createClient, ExchangeUnreachable, ValidationFailed } from "effect-txc/promise"

const market = "BTC_USDT"
const order = { market, side: "buy", amount: "0.01", price: "5000" }

const equal = (one, other) => {
  if (one !== other) throw new Error(`${one} is not ${other}`)
}

const features = {
  "market data": async (client) => equal((await client.markets.get(market))?.name, market),
  "signed calls": async (client) => equal((await client.mainBalance.all()).get("BTC"), "0.5"),
  "checks before sending, errors as classes": async (client) => {
    const error = await client.limitOrders.create({ ...order, amount: "much" }).catch((error) => error)
    equal(error instanceof ValidationFailed, true)
  },
  "orders": async (client) => equal((await client.limitOrders.create(order)).clientOrderIdEcho, "echoed"),
  "lists as loops": async (client) => {
    for await (const { tradeId } of client.fills.stream()) throw new Error(`a fill: ${tradeId}`)
  },
  "streams and live views": async (client) => {
    for await (const item of client.channels.depth.stream({ market, limit: 5, priceStep: "0" })) {
      equal(item._tag, "Snapshot")
      break
    }
    equal((await client.live.spotBalances().whole()).has("USDT"), true)
  },
  "abort signals": async (client) => {
    const error = await client.mainBalance.all({ signal: AbortSignal.abort("enough") }).catch((error) => error)
    equal(error, "enough")
  }
}

/** Uses every feature, and returns the result of each. `others` are the features that only some runtimes have. */
export const report = async (options, others = {}) => {
  const results = {}
  for (const [name, use] of Object.entries({ ...features, ...others })) {
    const client = createClient(options)
    results[name] = await use(client).then(
      () => "yes",
      // On this runtime, the client refuses to send the order, because the runtime could deliver it twice.
      (error) => error instanceof ExchangeUnreachable && error.why === "other" ? "refused" : `failed: ${error}`
    )
    await client.close()
  }
  return results
}
