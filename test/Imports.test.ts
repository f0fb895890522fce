import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const source = new URL("../src/", import.meta.url).pathname

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/u.test(file))

/** Imports and re-exports, of types too. */
const importForm = /(?:^|\n)(?:import|export)\s[^"]*?from "(\.[^"]+)"/gu

const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(join(source, file), "utf8").matchAll(importForm)].map(([, path = ""]) => join(dirname(file), path))

const graph = new Map(files.map((file) => [file, importsOf(file)]))

/** Each circle once, as the files along it. */
const circles = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const done = new Set<string>()
  const visit = (file: string, trail: ReadonlyArray<string>): void => {
    const at = trail.indexOf(file)
    if (at >= 0) found.push([...trail.slice(at), file])
    if (at >= 0 || done.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}

/** All that a file imports, and what that imports. */
const reached = (file: string, seen: Set<string>): ReadonlySet<string> => {
  for (const next of graph.get(file) ?? []) {
    if (seen.has(next)) continue
    seen.add(next)
    reached(next, seen)
  }
  return seen
}

describe("imports", () => {
  it("are found", () => {
    assert.includeMembers([...graph.get("oracle/Rules.ts") ?? []], ["oracle/Rule.ts", "oracle/rules/Nonces.ts"])
    assert.includeMembers([...graph.get("oracle/Rule.ts") ?? []], ["oracle/world/World.ts", "oracle/Verdict.ts"])
    assert.deepStrictEqual(circles(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), [["b", "c", "b"]])
    for (const imported of [...graph.values()].flat()) assert.isTrue(graph.has(imported), imported)
  })

  it("go in no circle", () => {
    assert.deepStrictEqual(circles(graph).map((circle) => circle.join(" -> ")), [])
  })

  it("reach undici from its own entry point alone", () => {
    const needsUndici = (file: string) =>
      [file, ...reached(file, new Set())].some((file) => /from "undici/u.test(readFileSync(join(source, file), "utf8")))
    const entries = ["index.ts", "redis.ts", "sandbox/index.ts", "oracle/index.ts", "oracle/Vitest.ts"]
    assert.deepStrictEqual(entries.filter(needsUndici), [])
    assert.isTrue(needsUndici("node.ts"))
  })

  it("reach what a cluster needs from its own entry point alone", () => {
    const needing = (pattern: RegExp, files: Iterable<string>) =>
      [...files].filter((file) => pattern.test(readFileSync(join(source, file), "utf8")))
    const entries = ["index.ts", "node.ts", "redis.ts", "sandbox/index.ts", "oracle/index.ts"]
    for (const entry of entries) {
      assert.deepStrictEqual(needing(/^import .*from "@effect\//mu, [entry, ...reached(entry, new Set())]), [], entry)
    }
    assert.include(
      needing(/from "@effect\/sql-pg/u, reached("cluster.ts", new Set())),
      "sandbox/cluster/PostgresJournal.ts"
    )
    assert.deepStrictEqual(needing(/from "effect\/cluster/u, graph.keys()), ["sandbox/cluster/Membership.ts"])
  })

  it("of a start load neither Effect's HTTP client nor its configuration", () => {
    const start = [...reached("index.ts", new Set()), ...reached("node.ts", new Set())]
    const costly = /^import \* as \w+ from "effect\/(?:http\/|Config|FileSystem)/mu
    const text = (file: string) => readFileSync(join(source, file), "utf8")
    assert.deepStrictEqual(start.filter((file) => costly.test(text(file))), [])
    for (const later of ["client/transport/HttpClientTransport.ts", "client/Settings.ts"]) {
      assert.isTrue(costly.test(text(later)), later)
    }
  })

  it("of one endpoint never reach the list of all endpoints", () => {
    const registry = ["endpoints/contract.ts", "endpoints/all.ts"]
    assert.isTrue(reached("Exchange.ts", new Set()).has("endpoints/contract.ts"))
    for (const endpoint of graph.get("endpoints/contract.ts") ?? []) {
      const found = reached(endpoint, new Set())
      assert.deepStrictEqual(registry.filter((file) => found.has(file)), [], endpoint)
    }
  })

  it("of a rule file are never another rule file", () => {
    const isRules = (file: string) => dirname(file) === "oracle/rules"
    const siblings = [...graph].flatMap(([file, imports]) =>
      isRules(file) ? imports.filter(isRules).map((sibling) => `${file} -> ${sibling}`) : []
    )
    assert.deepStrictEqual(siblings, [])
  })
})
