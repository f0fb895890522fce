/** ccxt's implicit calls: one method per endpoint, which signs, sends, and returns the parsed response unchanged. */
import * as Ccxt from "ccxt"
import type { Operations } from "../harness/operation.ts"
import { account, wireOrder } from "./account.ts"

let lastNonce = 0

type Call = (fields: object) => Promise<unknown>

export const operations = (baseUrl: string): Operations => {
  const exchange = new Ccxt.whitebit({ apiKey: account.apiKey, secret: account.apiSecret, enableRateLimit: false })
  exchange.nonce = () => lastNonce = Math.max(Date.now(), lastNonce + 1)
  exchange.urls["api"] = {
    v4: { public: `${baseUrl}/api/v4/public`, private: `${baseUrl}/api/v4` }
  }
  // ccxt's constructor creates these methods, so its types lack them.
  const calls = exchange as unknown as Readonly<Record<string, Call | undefined>>
  const call = (name: string, fields: object) => {
    const method = calls[name]
    if (method === undefined) throw new Error(`ccxt has no method ${name}`)
    return { later: () => method.call(exchange, { ...fields }) }
  }
  const order = call("v4PrivatePostOrderStopLimit", wireOrder)
  return {
    order,
    order64: { ...order, inFlight: 64 },
    balances: call("v4PrivatePostMainAccountBalance", {}),
    fees: call("v4PrivatePostMainAccountFee", {})
  }
}
