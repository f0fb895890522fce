/** Refuses to release a version that is not ready: `node .ci/release.js v0.1.0`. Needs no installed packages. */
import { readFileSync } from "node:fs"

process.chdir(new URL("../", import.meta.url).pathname)

const read = (path) => readFileSync(path, "utf8")
const { repository, version } = JSON.parse(read("package.json"))
const [tag] = process.argv.slice(2)

const wrong = [
  [tag !== `v${version}`, `The tag is ${tag}, but package.json has the version ${version}`],
  [!read("src/cli/version.ts").includes(`"${version}"`), `src/cli/version.ts does not name the version ${version}`],
  [
    !new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, "mu").test(read("CHANGELOG.md")),
    `CHANGELOG.md has no heading "## ${version} (YYYY-MM-DD)"`
  ],
  ...["README.md", "src/client/docs/getting-started.md"].map((page) => [
    read(page).includes("not on npm yet"),
    `${page} says that the package is not on npm yet; show npm install effect-txc instead`
  ]),
  [repository.url.includes("/OWNER/"), "The repository is not named; run: npm run repository -- OWNER/NAME"]
].filter(([isWrong]) => isWrong)

for (const [, message] of wrong) console.error(message)
if (wrong.length > 0) process.exitCode = 1
