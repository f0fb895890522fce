/**
 * Writes the OpenAPI documents with the project's command, and generates the types of a client for each document, such
 * as `generated/live.d.ts`.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import openapiTypeScript, { astToString } from "openapi-typescript"

const path = (name) => new URL(name, import.meta.url).pathname

mkdirSync(path("generated"), { recursive: true })
for (const dialect of ["document", "live"]) {
  const file = path(`generated/${dialect}.json`)
  execFileSync(process.execPath, [path("../../src/cli/main.ts"), "openapi", "--dialect", dialect, "--file", file])
  writeFileSync(path(`generated/${dialect}.d.ts`), astToString(await openapiTypeScript(new URL(`file://${file}`))))
}
