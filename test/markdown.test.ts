import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { run } from "./support/command.ts"

const root = fileURLToPath(new URL("../", import.meta.url))

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** All of the project's pages. */
const pages = globSync(["*.md", ".github/*.md", "{src,test,benchmarks}/**/*.md"], {
  cwd: root,
  exclude: ["**/node_modules/**"]
}).toSorted()

/** Removes a page's code blocks. */
const prose = (path: string): string => read(path).replaceAll(/^ *```.*?^ *```$/gmsu, "")

/** Returns the anchor that GitHub generates for a heading. */
const anchor = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}\p{Mark}_ -]/gu, "").replaceAll(" ", "-")

const headings = (path: string, levels = "#+"): ReadonlyArray<string> =>
  [...prose(path).matchAll(new RegExp(`^${levels} (.+)$`, "gmu"))].map(([, heading = ""]) => anchor(heading))

/** The servers to which pages may link. Read the linked page before you add its server. */
const servers = new Set(["effect.website", "whitebit.com", "docs.whitebit.com"])

const isReached = (from: string, to: string): boolean => {
  if (URL.canParse(to)) return new URL(to).protocol === "https:" && servers.has(new URL(to).host)
  const [path = "", heading] = to.split("#")
  const file = path === "" ? from : join(dirname(from), path)
  return existsSync(join(root, file)) && (heading === undefined || headings(file).includes(heading))
}

/** Collects the commands that pages show: the lines of their shell blocks, and the commands in their text. */
const commands = pages.flatMap((page) => {
  const blocks = [...read(page).matchAll(/^ *```sh\n(.*?)^ *```$/gmsu)].map(([, code = ""]) => code)
  const inText = [...prose(page).matchAll(/`((?:npm|npx|node|effect-txc)\s[^`]+)`/gu)].map(([, code = ""]) => code)
  return [...blocks.flatMap((block) => block.split("\n")), ...inText.map((code) => code.replaceAll(/\s+/gu, " "))]
    .flatMap((line) => line.replace(/ +#.*$/u, "").split("&&"))
    .map((line) => line.trim().replace(/^(?:[A-Z_]+=\S* +)+/u, ""))
    .filter((line) => /^(?:npm|npx|node|effect-txc) /u.test(line))
    .map((line) => ({ page, line }))
})

const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> }

/** Extracts the subcommand names from a command line. */
const subcommand = (line: string): ReadonlyArray<string> => {
  const [first = "", second = ""] = line.replace(/^(?:npx )?effect-txc /u, "").split(" ")
  return ["control", "host", "oracle", "watch"].includes(first) && /^[a-z]/u.test(second) ? [first, second] : [first]
}

describe("links, examples and commands on the pages", () => {
  it("every link on a page leads to an existing file, heading or known server", () => {
    const links = pages.flatMap((page) =>
      [...prose(page).matchAll(/\]\(([^)\s]+)\)/gu)].map(([, to = ""]) => ({ page, to }))
    )
    assert.isAbove(links.length, 100)
    assert.deepStrictEqual(links.filter(({ page, to }) => !isReached(page, to)), [])
  })

  it("the pages show every compiled TypeScript example once, and no other TypeScript", () => {
    const shown = pages.flatMap((page) =>
      [...read(page).matchAll(/(<!-- test\/readme\/(\S+) -->\n)?```ts\n/gu)].map(([, , name]) => name ?? page)
    )
    // The code blocks on these pages name their files, and have separate tests.
    const own = ["src/sandbox/docs/from-other-tools.md", "src/sandbox/docs/host.md"]
    assert.sameMembers(shown.filter((name) => !own.includes(name)), readdirSync(join(root, "test/readme")))
  })

  it("the README has at most 150 lines", () => {
    assert.isAtMost(read("README.md").split("\n").length, 151)
  })

  it("a page has at most 1,200 words, without code and generated tables", () => {
    // The changelog grows with every release, and the benchmark results consist mostly of numbers.
    const others = ["CHANGELOG.md", "benchmarks/RESULTS.md"]
    const words = (page: string) =>
      prose(page).replaceAll(/<!-- endpoints.*?<!-- end -->/gsu, "").match(/\S*\w\S*/gu) ?? []
    assert.deepStrictEqual(pages.filter((page) => !others.includes(page) && words(page).length > 1200), [])
  })

  it.each(["client", "sandbox", "oracle"])("the %s handbook lists all its pages", (face) => {
    const listed = [...prose(`src/${face}/README.md`).matchAll(/\]\(docs\/([a-z-]+\.md)\)/gu)].map(([, name]) => name)
    assert.sameMembers([...new Set(listed)], readdirSync(join(root, "src", face, "docs")))
  })

  it("a page's table of contents lists all its headings, in order", () => {
    for (const page of pages) {
      const contents = [...prose(page).matchAll(/^- \[[^\]]+\]\(#(.+)\)$/gmu)].map(([, to]) => to)
      if (contents.length > 0) assert.deepStrictEqual(contents, [...headings(page, "##")], page)
    }
  })

  it("commands on the pages name existing scripts and test files", () => {
    const broken = commands.filter(({ line, page }) => {
      const [program, verb = "", ...rest] = line.split(" ")
      const isScript = program === "npm" && (verb === "run" || verb === "start" || verb === "test")
      if (isScript) return !((verb === "run" ? rest[0] ?? "" : verb) in scripts)
      if (!(program === "npx" && verb === "vitest")) return false
      return rest.some((word) => word.startsWith("test/") && !existsSync(join(root, word))) || page === ""
    })
    assert.deepStrictEqual(broken, [])
  })

  it.effect("commands on the pages name existing subcommands, flags and calls", () =>
    Effect.gen(function*() {
      const own = commands.filter(({ line }) => /^(?:npx )?effect-txc /u.test(line))
      assert.isAbove(own.length, 10)
      for (const { line, page } of own) {
        const names = subcommand(line)
        const { out } = yield* run([...names, "--help"])
        const named = line.match(/--[a-z-]+|\b[A-Z]\w+\.[a-z]\w+/gu) ?? []
        for (const word of [`effect-txc ${names.join(" ")}`, ...named]) assert.include(out, word, `${page}: ${line}`)
      }
    }))
})
