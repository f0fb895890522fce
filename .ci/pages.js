/**
 * Generates parts of the pages: the tables of endpoints and channels, from the contracts, and the examples, from files in
 * `test/readme`. `--write` writes them; without it the script fails if they are out of date.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import * as Channels from "../src/channels/all.ts"
import * as Contract from "../src/endpoints/all.ts"
import * as contract from "../src/endpoints/contract.ts"
import * as Exchange from "../src/Exchange.ts"
import * as Paths from "../src/oracle/world/Paths.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import * as Unserved from "../src/sandbox/gateway/Unserved.ts"

const credentials = { apiKey: Redacted.make("key-of-no-account"), apiSecret: Redacted.make("secret-of-no-account") }
const layer = Exchange.layer({ baseUrl: "http://127.0.0.1", dialect: Dialect.document, credentials })
const services = await Effect.runPromise(
  Effect.scoped(Layer.build(Layer.provide(layer, FetchHttpClient.layer)))
)

const methodsOf = (name) => Object.keys(Context.get(services, contract[name][name])).map((method) => `\`${method}\``)

const table = (rows) => rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** The source text of the oracle files that may contain a path. */
const sources = globSync(["src/oracle/rules/*.ts", "src/oracle/world/*.ts"])
  .toSorted().map((file) => ({ file, text: readFileSync(file, "utf8") }))

/** The rule files that call an endpoint themselves. */
const rulesOf = ({ path }) => {
  const names = Object.entries(Paths).filter(([, known]) => path === known || path.startsWith(`${known}/{`))
  const naming = sources.filter(({ text }) => names.some(([name]) => new RegExp(`Paths\\.${name}\\b`, "u").test(text)))
  const rules = naming.flatMap(({ file }) => /rules\/(\w+)\.ts$/u.exec(file)?.[1] ?? [])
  return rules.length > 0 ? rules.join(", ") : naming.length > 0 ? "only through helpers" : "none"
}

const served = ({ endpoint, name }) => [
  `\`${name}\``,
  methodsOf(name).join(", "),
  `\`${endpoint.method} ${endpoint.path}\``,
  endpoint.clause.includes("§") ? endpoint.clause.replace("Endpoints ", "") : "",
  rulesOf(endpoint)
]

const refused = ({ name, paths }) => [name, paths.map((path) => `\`${path}\``).join("<br>")]

const continuities = {
  value: "the next value replaces all missed ones",
  whole: "the next list replaces all missed ones",
  chained: "each change names the one before it; a new subscription begins with a snapshot",
  identified: "records have ids, and a query reads the latest",
  changed: "a query reads the state",
  signal: "no query returns past events"
}

const cadence = ({ everyMillis, when }) =>
  everyMillis === 0
    ? "immediately"
    : `${when === "always" ? "every" : "after a change, at most every"} ${everyMillis / 1000} s`

const pushed = ({ channel: { access, continuity, pushes, queries, subscribe }, name }) => [
  `\`${name}\``,
  ["stream", ...Object.keys(queries)].map((method) => `\`${method}\``).join(", "),
  access,
  [subscribe, ...Object.values(queries).map(({ method }) => method)].map((method) => `\`${method}\``).join("<br>"),
  cadence(pushes),
  continuities[continuity]
]

const made = {
  "channels: served": table([
    ["Service", "Methods", "Access", "Calls", "Pushed", "After a gap"],
    ["---", "---", "---", "---", "---", "---"],
    ...Channels.entries.map(pushed)
  ]),
  "endpoints: served": table([
    ["Service", "Methods", "Call", "Document", "Oracle rules"],
    ["---", "---", "---", "---", "---"],
    ...Contract.entries.map(served)
  ]),
  "endpoints: not served": table([
    ["Subject", "Calls"],
    ["---", "---"],
    ...Unserved.subjects.map(refused)
  ])
}

/** The generated part between two comments; the first names its content. */
const marked = /<!-- ((?:endpoints|channels): [a-z ]+|test\/(?:readme|ccxt)\/\S+) -->\n.*?<!-- end -->/gsu

const fill = (name) =>
  made[name] ??
    `\`\`\`${name.endsWith(".js") ? "js" : "ts"}\n${readFileSync(new URL(`../${name}`, import.meta.url), "utf8")}\`\`\``

const stale = globSync(["README.md", "src/**/*.md"]).filter((file) => {
  const before = readFileSync(file, "utf8")
  const after = before.replaceAll(marked, (_, name) => `<!-- ${name} -->\n${fill(name)}\n<!-- end -->`)
  if (after !== before && process.argv.includes("--write")) writeFileSync(file, after)
  return after !== before
})

if (stale.length > 0 && !process.argv.includes("--write")) {
  console.error(`Tables or examples are out of date (\`npm run pages\` writes them):\n  ${stale.join("\n  ")}`)
  process.exit(1)
}
