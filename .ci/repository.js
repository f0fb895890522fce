/**
 * Writes the repository's place on GitHub wherever it is named: `npm run repository -- OWNER/NAME`. Until then, these
 * places name the owner `OWNER`.
 */
import { readFileSync, writeFileSync } from "node:fs"

process.chdir(new URL("../", import.meta.url).pathname)

const files = ["package.json", ".github/ISSUE_TEMPLATE/config.yml"]
const [place = ""] = process.argv.slice(2)

if (!/^[\w.-]+\/[\w.-]+$/u.test(place)) {
  console.error("Give the repository as OWNER/NAME: npm run repository -- example/effect-txc")
  process.exit(2)
}
const { repository } = JSON.parse(readFileSync("package.json", "utf8"))
const [, current] = repository.url.match(/github\.com\/(.+)\.git$/u)
for (const file of files) {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(`github.com/${current}`, `github.com/${place}`))
}
