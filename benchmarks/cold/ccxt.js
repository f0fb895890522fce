/** Makes one call with ccxt, as in the first example of its manual. */
import ccxt from "ccxt"

const [baseUrl, apiKey, apiSecret] = process.argv.slice(2)
const exchange = new ccxt.whitebit({ apiKey, secret: apiSecret })
exchange.urls.api = { v4: { public: `${baseUrl}/api/v4/public`, private: `${baseUrl}/api/v4` } }
const balances = await exchange.v4PrivatePostTradeAccountBalance()
if (balances.T000 === undefined) throw new Error("unexpected response")
console.log(JSON.stringify(process.cpuUsage()))
process.exit()
