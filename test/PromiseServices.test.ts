/**
 * The names of the promise client's services, with their docs. TypeScript drops a doc comment when a mapped type renames
 * a key, so `src/PromiseServices.ts` repeats the docs. `TXC_TEST_RECORD=1` writes that file.
 */
import { assert, describe, it } from "@effect/vitest"
import ts from "@tsd/typescript"
import { readFileSync, writeFileSync } from "node:fs"
import * as Channels from "../src/channels/all.ts"
import * as Contract from "../src/endpoints/all.ts"

const at = (path: string) => new URL(`../src/${path}`, import.meta.url).pathname

/** Returns the first sentences of a service's doc comment: the text before its tags. */
const docOf = (folder: string, name: string): string => {
  const text = readFileSync(at(`${folder}/${name}.ts`), "utf8")
  const before = text.slice(0, text.indexOf(`export class ${name} extends Context.Service`))
  const comment = before.slice(before.lastIndexOf("/**") + 3, before.lastIndexOf("*/"))
  const [described = ""] = comment.split("@")
  return described.replaceAll(/\s*\n\s*\*\s?/gu, " ").replace(/[\s*]+$/u, "").trim()
}

const nameOf = (name: string) => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`.replace(/Channel$/u, "")

const interfaceOf = (title: string, about: string, folder: string, names: ReadonlyArray<string>): string => {
  const members = names.map((name) => `  /** ${docOf(folder, name)} */\n  readonly ${nameOf(name)}: "${name}"\n`)
  return `/**\n * ${about}\n *\n * @category models\n */\nexport interface ${title} {\n${members.join("")}}\n`
}

const generated =
  `/** The names of the client's services. Generated: \`TXC_TEST_RECORD=1 npx vitest run test/PromiseServices.test.ts\`. */

${
    interfaceOf(
      "EndpointNames",
      "The endpoints: each property of the client, and its module's name.",
      "endpoints",
      Contract.entries.map(({ name }) => name)
    )
  }
${
    interfaceOf(
      "ChannelNames",
      "The channels: each property of the client's `channels`, and its module's name.",
      "channels",
      Channels.entries.map(({ name }) => name)
    )
  }`

/** Returns the type checker, and a function that finds a module's exported types by name. */
const exported = (path: string) => {
  const program = ts.createProgram([path], {
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    target: ts.ScriptTarget.ESNext
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(path)
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  assert.isDefined(symbol)
  const typeOf = (name: string) => {
    const found = checker.getExportsOfModule(symbol).find((one) => one.name === name)
    assert.isDefined(found)
    return checker.getDeclaredTypeOfSymbol(found)
  }
  return { checker, typeOf }
}

describe("the names of the promise client's services", () => {
  it("each service of the promise client has the same name as in the contract, and has its own doc", () => {
    const path = at("PromiseServices.ts")
    if (process.env["TXC_TEST_RECORD"] !== undefined) writeFileSync(path, generated)
    assert.strictEqual(readFileSync(path, "utf8"), generated)
  })

  it("the promise client's services and all their methods show their docs in an editor", () => {
    const { checker, typeOf } = exported(at("PromiseTypes.ts"))
    const client = typeOf("Client")
    const undocumented: Array<string> = []
    let count = 0
    const look = (type: ts.Type, path: string, depth: number) => {
      for (const property of checker.getPropertiesOfType(type)) {
        // Symbols such as `Symbol.asyncIterator` belong to the runtime, which documents them.
        if (property.name.startsWith("__@")) continue
        const name = `${path}.${property.name}`
        count++
        if (property.getDocumentationComment(checker).length === 0) undocumented.push(name)
        const of = checker.getTypeOfSymbol(property)
        if (depth > 0 && of.getCallSignatures().length === 0) look(of, name, depth - 1)
      }
    }
    look(client, "client", 2)
    assert.deepStrictEqual(undocumented, [])
    assert.isAbove(count, 2 * (Contract.entries.length + Channels.entries.length))
  })
})
