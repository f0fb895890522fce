/** Makes one call through `Account.layer`, which does not load the contract. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Account from "../dist/client/Account.js"
import * as UndiciTransport from "../dist/client/transport/UndiciTransport.js"
import { TradeBalance } from "../dist/endpoints/TradeBalance.js"
import * as Dialect from "../dist/protocol/Dialect.js"

const [baseUrl, apiKey, apiSecret] = process.argv.slice(2)
const credentials = { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) }
const account = Account.layer({ baseUrl, dialect: Dialect.document, credentials, transport: UndiciTransport.layer })
const balances = TradeBalance.use(({ all }) => all).pipe(Effect.provide(Layer.provide(TradeBalance.layer, account)))
const { size } = await Effect.runPromise(balances)
if (size !== 500) throw new Error("unexpected response")
console.log(JSON.stringify(process.cpuUsage()))
process.exit()
