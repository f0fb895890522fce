/** Makes one call with the library's defaults, as in the README's first example. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Dialect, Exchange, TradeBalance } from "../dist/index.js"
import { UndiciTransport } from "../dist/node.js"

const [baseUrl, apiKey, apiSecret] = process.argv.slice(2)
const credentials = { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) }
const exchange = Exchange.layer({ baseUrl, dialect: Dialect.document, credentials, transport: UndiciTransport.layer })
const balances = Effect.flatMap(TradeBalance.TradeBalance, ({ all }) => all).pipe(
  Effect.provide(exchange)
)
const { size } = await Effect.runPromise(balances)
if (size !== 500) throw new Error("unexpected response")
console.log(JSON.stringify(process.cpuUsage()))
process.exit()
