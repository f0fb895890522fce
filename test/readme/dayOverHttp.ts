import { type Client, createClient } from "effect-txc/promise"

/** The JSON in the first line of the sandbox's output. */
export interface Sandbox {
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly controlUrl: string
  readonly controlToken: string
}

const control = async ({ controlToken, controlUrl }: Sandbox, operation: string, fields: object): Promise<void> => {
  const headers = { authorization: `Bearer ${controlToken}`, "content-type": "application/json" }
  const response = await fetch(controlUrl + operation, { method: "POST", headers, body: JSON.stringify(fields) })
  if (!response.ok) throw new Error(`${operation}: ${await response.text()}`)
}

/** One hour of the bot under test: it buys 0.01 BTC below 39,500. */
const hour = async (client: Client): Promise<void> => {
  const price = (await client.tickers.get("BTC_USDT"))?.lastPrice ?? "0"
  if (Number(price) < 39_500) {
    await client.limitOrders.create({ market: "BTC_USDT", side: "buy", amount: "0.01", price: "39500" })
  }
}

/** Runs the bot for one day on the sandbox's clock, and returns the time of each fill. */
export const day = async (sandbox: Sandbox): Promise<ReadonlyArray<number>> => {
  const { apiKey, apiSecret, url } = sandbox
  await using client = createClient({ baseUrl: url, dialect: "document", apiKey, apiSecret })
  await control(sandbox, "FreezeClock", {})
  await control(sandbox, "SetCounterparty", { market: "BTC_USDT" })
  for (let at = 0; at < 24; at++) {
    await control(sandbox, "MovePrice", { market: "BTC_USDT", price: String(40_000 - 100 * (at % 8)) })
    await hour(client)
    await control(sandbox, "AdvanceClock", { millis: 3_600_000 })
  }
  const fills = await Array.fromAsync(client.fills.stream({ market: "BTC_USDT" }))
  return fills.map(({ timestamp }) => timestamp)
}
