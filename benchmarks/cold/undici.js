/** Makes one signed call with as little code as possible. */
import { createHmac } from "node:crypto"
import { Pool } from "undici"

const [baseUrl, apiKey, apiSecret] = process.argv.slice(2)
const path = "/api/v4/trade-account/balance"
const payload = Buffer.from(JSON.stringify({ request: path, nonce: `${Date.now() * 1000}` }))
const encoded = payload.toString("base64")
const answer = await new Pool(baseUrl).request({
  method: "POST",
  path,
  body: payload,
  headers: {
    "content-type": "application/json",
    "x-txc-apikey": apiKey,
    "x-txc-payload": encoded,
    "x-txc-signature": createHmac("sha512", apiSecret).update(encoded).digest("hex")
  }
})
if (JSON.parse(await answer.body.text()).T000 === undefined) throw new Error("unexpected response")
console.log(JSON.stringify(process.cpuUsage()))
process.exit()
