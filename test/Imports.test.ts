import { assert, describe, it } from "@effect/vitest"
import ts from "@tsd/typescript"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const source = new URL("../src/", import.meta.url).pathname

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/u.test(file))

/** Matches static imports and re-exports, including type-only ones. */
const importForm = /(?:^|\n)(?:import|export)\s[^"]*?from "(\.[^"]+)"/gu

/** Matches dynamic imports. */
const lazyForm = /\bimport\("(\.[^"]+)"\)/gu

const foundIn = (file: string, form: RegExp): ReadonlyArray<string> =>
  [...readFileSync(join(source, file), "utf8").matchAll(form)].map(([, path = ""]) => join(dirname(file), path))

/** Maps each file to the files that it imports statically. */
const graph = new Map(files.map((file) => [file, foundIn(file, importForm)]))

/** Maps each file to the files that it imports statically or dynamically. */
const whole = new Map([...graph].map(([file, imports]) => [file, [...imports, ...foundIn(file, lazyForm)]]))

/** Finds the import cycles and lists each one once, as a list of its files. */
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

/** Finds the files that a file imports, directly or indirectly. */
const reached = (file: string, seen: Set<string>): ReadonlySet<string> => {
  for (const next of graph.get(file) ?? []) {
    if (seen.has(next)) continue
    seen.add(next)
    reached(next, seen)
  }
  return seen
}

describe("imports of the source files", () => {
  it("the import search used by these tests finds imports and cycles", () => {
    assert.includeMembers([...graph.get("oracle/Rules.ts") ?? []], ["oracle/Rule.ts", "oracle/rules/Nonces.ts"])
    assert.includeMembers([...graph.get("oracle/Rule.ts") ?? []], ["oracle/world/World.ts", "oracle/Verdict.ts"])
    assert.deepStrictEqual(circles(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), [["b", "c", "b"]])
    for (const imported of [...whole.values()].flat()) assert.isTrue(graph.has(imported), imported)
    assert.include(
      whole.get("client/transport/DefaultTransport.ts") ?? [],
      "client/transport/HttpClientTransport.ts"
    )
  })

  it("there is no import cycle, even when dynamic imports are included", () => {
    assert.deepStrictEqual(circles(whole).map((circle) => circle.join(" -> ")), [])
  })

  it("only the Node entry point imports undici, directly or indirectly", () => {
    const needsUndici = (file: string) =>
      [file, ...reached(file, new Set())].some((file) => /from "undici/u.test(readFileSync(join(source, file), "utf8")))
    const entries = ["index.ts", "redis.ts", "sandbox/index.ts", "oracle/index.ts", "oracle/Vitest.ts"]
    assert.deepStrictEqual(entries.filter(needsUndici), [])
    assert.isTrue(needsUndici("node.ts"))
  })

  it("only the cluster entry point imports the cluster packages, directly or indirectly", () => {
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

  /** Finds the Effect modules that a file imports, directly or indirectly. */
  const effectIn = (file: string): ReadonlySet<string> =>
    new Set(
      [file, ...reached(file, new Set())].flatMap((each) =>
        [...readFileSync(join(source, each), "utf8").matchAll(/^import \* as \w+ from "(effect\/[^"]+)"/gmu)].map(
          ([, name = ""]) => name
        )
      )
    )

  it("the main and Node entry points do not load Effect's HTTP client on startup", () => {
    for (const entry of ["index.ts", "node.ts"]) {
      assert.deepStrictEqual([...effectIn(entry)].filter((name) => name.startsWith("effect/http/")), [], entry)
    }
    assert.include([...effectIn("client/transport/HttpClientTransport.ts")], "effect/http/HttpClient")
  })

  it("importing an account and one endpoint loads no streams, configuration or other endpoints", () => {
    const entries = ["client/Account.ts", "client/transport/UndiciTransport.ts", "endpoints/CancelOrder.ts"]
    const loaded = new Set(entries.flatMap((entry) => [...reached(entry, new Set())]))
    assert.deepStrictEqual([...loaded].filter((file) => file.startsWith("endpoints/")), [])
    const effect = new Set(entries.flatMap((entry) => [...effectIn(entry)]))
    const costly = ["effect/Stream", "effect/Config", "effect/ConfigProvider", "effect/FileSystem"]
    assert.deepStrictEqual(costly.filter((name) => effect.has(name)), [])
    assert.includeMembers([...effectIn("index.ts")], costly)
  })

  it("an endpoint never imports the list of all endpoints", () => {
    const registry = ["endpoints/contract.ts", "endpoints/all.ts"]
    assert.isTrue(reached("Exchange.ts", new Set()).has("endpoints/contract.ts"))
    for (const endpoint of graph.get("endpoints/contract.ts") ?? []) {
      const found = reached(endpoint, new Set())
      assert.deepStrictEqual(registry.filter((file) => found.has(file)), [], endpoint)
    }
  })

  /** Checks whether a module uses top-level `await`, which would break `require` for every module that imports it. */
  const awaits = (text: string): boolean => {
    const isAwait = (node: ts.Node): boolean => {
      if (ts.isFunctionLike(node)) return false
      if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) return true
      return ts.forEachChild(node, (child) => isAwait(child) || undefined) ?? false
    }
    return /\bawait\b/u.test(text) && isAwait(ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest))
  }

  it("no module in the package uses top-level await", () => {
    assert.isTrue(awaits(`export const markets = [await load()]`))
    assert.isTrue(awaits(`for await (const item of items) use(item)`))
    assert.isFalse(awaits(`export const load = async () => await fetch("/")`))
    const modules = files.filter((file) => !file.startsWith("cli/") && !file.startsWith("sandbox/page/app/"))
    assert.deepStrictEqual(modules.filter((file) => awaits(readFileSync(join(source, file), "utf8"))), [])
  })

  it("a rule file never imports another rule file", () => {
    const isRules = (file: string) => dirname(file) === "oracle/rules"
    const siblings = [...graph].flatMap(([file, imports]) =>
      isRules(file) ? imports.filter(isRules).map((sibling) => `${file} -> ${sibling}`) : []
    )
    assert.deepStrictEqual(siblings, [])
  })
})
