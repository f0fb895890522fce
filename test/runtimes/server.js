/** Runs the program on a command-line runtime: `RUNTIME server.js OPTIONS`. Prints its report as JSON. */
import { createRequire } from "node:module"
import process from "node:process"
import { report } from "./program.js"

const options = JSON.parse(process.argv.at(-1))

const others = {
  "`require`": async () => {
    const { createClient } = createRequire(import.meta.url)("effect-txc/promise")
    const client = createClient(options)
    await client.serverStatus.ping()
    await client.close()
  },
  "`UndiciTransport` of `effect-txc/node`": async () => {
    const { UndiciTransport } = await import("effect-txc/node")
    const { createClient } = await import("effect-txc/promise")
    const client = createClient({ ...options, transport: UndiciTransport.layer })
    await client.limitOrders.create({ market: "BTC_USDT", side: "buy", amount: "0.01", price: "5000" })
    await client.close()
  }
}

console.log(JSON.stringify(await report(options, others)))
