import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { scratchFile } from "../support/files.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Copies the files that a release checks to an empty folder. */
const copy = Effect.gen(function*() {
  const folder = join(dirname(yield* scratchFile), "clone")
  const checked = [
    "package.json",
    "CHANGELOG.md",
    "src/cli/version.ts",
    "README.md",
    "src/client/docs/getting-started.md"
  ]
  for (const path of [...checked, ".github/ISSUE_TEMPLATE/config.yml"]) cpSync(join(root, path), join(folder, path))
  mkdirSync(join(folder, ".ci"))
  for (const name of ["release.js", "repository.js"]) cpSync(join(root, ".ci", name), join(folder, ".ci", name))
  const run = (script: string, ...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [join(folder, ".ci", script), ...args], { encoding: "utf8" })
  return { run, at: (path: string) => join(folder, path) }
})

describe("releasing the package", () => {
  it.effect("release.js lists everything that a release lacks, and repository.js writes the repository's address into package.json", () =>
    Effect.gen(function*() {
      const { at, run } = yield* copy
      const read = (path: string) => readFileSync(at(path), "utf8")
      const { version } = JSON.parse(read("package.json")) as { readonly version: string }

      const early = run("release.js", "v9.9.9")
      assert.strictEqual(early.status, 1)
      assert.include(early.stderr, `The tag is v9.9.9, but package.json has the version ${version}`)
      writeFileSync(at("CHANGELOG.md"), `# Changelog\n\n## ${version} (unreleased)\n`)
      assert.include(run("release.js", `v${version}`).stderr, `no heading "## ${version} (YYYY-MM-DD)"`)
      writeFileSync(at("CHANGELOG.md"), `# Changelog\n\n## ${version} (2026-12-01)\n`)
      for (const page of ["README.md", "src/client/docs/getting-started.md"]) {
        writeFileSync(at(page), "The package is not on npm yet.")
        assert.include(run("release.js", `v${version}`).stderr, `${page} says that the package is not on npm yet`)
        writeFileSync(at(page), "npm install effect-txc")
      }

      assert.strictEqual(run("repository.js", "no slash").status, 2)
      for (const place of ["ada/effect-txc", "ada/other"]) {
        assert.strictEqual(run("repository.js", place).status, 0)
        const { bugs, homepage, repository } = JSON.parse(read("package.json")) as {
          readonly bugs: string
          readonly homepage: string
          readonly repository: { readonly url: string }
        }
        assert.deepStrictEqual([bugs, homepage, repository.url], [
          `https://github.com/${place}/issues`,
          `https://github.com/${place}#readme`,
          `git+https://github.com/${place}.git`
        ])
        assert.include(read(".github/ISSUE_TEMPLATE/config.yml"), `https://github.com/${place}/security`)
      }
      const ready = run("release.js", `v${version}`)
      assert.deepStrictEqual([ready.status, ready.stderr], [0, ""])
    }))
})
