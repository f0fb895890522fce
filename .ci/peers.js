/**
 * Runs an exploration as a test, with the packed package and the least version in each range of its peers fast-check and
 * Vitest: `node .ci/peers.js TARBALL`, in an empty folder.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"

const at = (path) => new URL(`../${path}`, import.meta.url)
const { devDependencies, peerDependencies } = JSON.parse(readFileSync(at("package.json"), "utf8"))

/** The least versions in ranges such as `^4.1.0 || ^5.1.1`. */
const least = (name) => peerDependencies[name].split("||").map((range) => range.trim().replace(/^[\^~]/u, ""))

const run = (folder, program, ...args) => execFileSync(program, args, { cwd: folder, stdio: "inherit" })

for (const fastCheck of least("fast-check")) {
  for (const vitest of least("vitest")) {
    const folder = `fast-check-${fastCheck}-vitest-${vitest}`
    mkdirSync(folder)
    writeFileSync(`${folder}/package.json`, `{ "private": true, "type": "module" }`)
    for (const file of ["explore.test.ts", "bot.ts"]) cpSync(at(`test/readme/${file}`), `${folder}/${file}`)
    const peers = { effect: devDependencies.effect, "fast-check": fastCheck, vitest }
    const named = Object.entries(peers).map(([name, version]) => `${name}@${version}`)
    run(folder, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", process.argv[2], ...named)
    for (const [name, version] of Object.entries(peers)) {
      const installed = JSON.parse(readFileSync(`${folder}/node_modules/${name}/package.json`, "utf8")).version
      if (installed !== version) throw new Error(`${folder} has ${name} ${installed}`)
    }
    run(folder, "node", "node_modules/vitest/vitest.mjs", "run")
  }
}
