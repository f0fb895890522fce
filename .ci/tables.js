/**
 * The tables of endpoints in the README, made from the contract. `--write` puts them there; otherwise it says whether
 * they are up to date, and fails if they are not.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readFileSync, writeFileSync } from "node:fs"
import * as Contract from "../src/endpoints/all.ts"
import * as contract from "../src/endpoints/contract.ts"
import * as Exchange from "../src/Exchange.ts"
import * as Dialect from "../src/protocol/Dialect.ts"

const credentials = { apiKey: Redacted.make("key-of-no-account"), apiSecret: Redacted.make("secret-of-no-account") }
const layer = Exchange.layer({ baseUrl: "http://127.0.0.1", dialect: Dialect.document, credentials })
const services = await Effect.runPromise(
  Effect.scoped(Layer.build(Layer.provide(layer, FetchHttpClient.layer)))
)

const methodsOf = (name) => Object.keys(Context.get(services, contract[name][name])).map((method) => `\`${method}\``)

const row = (
  { endpoint: { clause, method, path }, name }
) => [`\`${name}\``, methodsOf(name).join(", "), `\`${method} ${path}\``, clause]

const table = (rows) => rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const isDocumented = ({ endpoint }) => endpoint.clause.includes("§")

const tables = {
  documented: table([
    ["Service", "Calls", "Path", "Document"],
    ["---", "---", "---", "---"],
    ...Contract.entries.filter(isDocumented).map(row)
  ]),
  "not documented": table([
    ["Service", "Calls", "Path"],
    ["---", "---", "---"],
    ...Contract.entries.filter((entry) => !isDocumented(entry)).map((entry) => row(entry).slice(0, 3))
  ])
}

const file = new URL("../README.md", import.meta.url)
const before = readFileSync(file, "utf8")
let after = before
for (const [name, rows] of Object.entries(tables)) {
  const [start, end] = [`<!-- endpoints: ${name} -->`, `<!-- end -->`]
  const from = after.indexOf(start)
  if (from < 0) throw new Error(`README.md has no ${start}`)
  const to = after.indexOf(end, from)
  after = `${after.slice(0, from + start.length)}\n${rows}\n${after.slice(to)}`
}

if (process.argv.includes("--write")) writeFileSync(file, after)
else if (after !== before) {
  console.error("The tables of endpoints in the README are not those of the contract: `npm run tables` writes them")
  process.exit(1)
}
