/**
 * Formats the project's code in Effect's own style. `--check` only lists the files that are not formatted, and fails if
 * there are any.
 */
import { createFromBuffer } from "@dprint/formatter"
import { getPath } from "@dprint/typescript"
import { globSync, readFileSync, writeFileSync } from "node:fs"

const isCheck = process.argv.includes("--check")
const files = globSync(["{src,test}/**/*.{ts,tsx,cjs}", "benchmarks/**/*.ts", "vitest.config.ts", ".ci/*.js"], {
  exclude: ["**/node_modules/**", "test/openapi/generated/**"]
})

const formatter = createFromBuffer(readFileSync(getPath()))
formatter.setConfig({ indentWidth: 2, lineWidth: 120, newLineKind: "lf" }, {
  semiColons: "asi",
  quoteStyle: "alwaysDouble",
  trailingCommas: "never",
  operatorPosition: "maintain",
  useBraces: "maintain",
  "arrowFunction.useParentheses": "force",
  // The order of the exports is the order of the document.
  "module.sortExportDeclarations": "maintain"
})

/** A second pass can still make small changes to the output of the first one. */
const format = (filePath, fileText, passes = 5) => {
  const formatted = formatter.formatText({ filePath, fileText })
  return formatted === fileText || passes === 1 ? formatted : format(filePath, formatted, passes - 1)
}

const changed = files.filter((file) => {
  const text = readFileSync(file, "utf8")
  const formatted = format(file, text)
  if (formatted !== text && !isCheck) writeFileSync(file, formatted)
  return formatted !== text
})

if (isCheck && changed.length > 0) {
  console.error(`Not formatted (\`npm run format\` does it):\n  ${changed.join("\n  ")}`)
  process.exit(1)
}
console.log(`${files.length} files, ${isCheck ? "all formatted" : `${changed.length} formatted`}`)
