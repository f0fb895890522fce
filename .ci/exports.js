/**
 * Lists the package's exports in a committed file, `test/package/exports.txt`. Fails when the source exports anything
 * else; `--write` writes the list. So no name is exported, or removed from the exports, unnoticed.
 */
import ts from "@tsd/typescript"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

process.chdir(new URL("../", import.meta.url).pathname)

const read = (path) => readFileSync(path, "utf8")
const list = "test/package/exports.txt"
const { exports: exported, name } = JSON.parse(read("package.json"))

const sourceOf = (target) => target.replace("./dist/", "src/").replace(/\.js$/u, ".ts")

/** Every path that can be imported, and its source file. */
const entries = Object.entries(exported).flatMap(([entry, target]) => {
  if (target === null || typeof target === "string") return []
  const source = sourceOf(target.default)
  const [before, after] = source.split("*")
  return globSync(source).map((path) => [
    join(name, entry.replace("*", path.slice(before.length, -after?.length))),
    path
  ])
}).filter(([entry]) => exported[entry.replace(name, ".")] !== null)

const isExported = (statement) => statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

const isType = (statement) => ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)

const declaredNames = (statement) =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map((declaration) => declaration.name.text)
    : [statement.name.text]

const modules = new Map()

/** The names that a module exports: types in brackets, and each namespace with its module. */
const namesOf = (path) => {
  if (modules.has(path)) return modules.get(path)
  const names = []
  modules.set(path, names)
  for (const statement of ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true).statements) {
    if (ts.isExportDeclaration(statement)) {
      const target = join(dirname(path), statement.moduleSpecifier.text)
      const clause = statement.exportClause
      if (clause === undefined) names.push(...namesOf(target))
      else if (ts.isNamespaceExport(clause)) {
        names.push(`${clause.name.text} = ${target.replace(/^src\//u, "")}`)
        namesOf(target)
      } else {
        names.push(...clause.elements.map((each) => statement.isTypeOnly ? `(${each.name.text})` : each.name.text))
      }
    } else if (isExported(statement)) {
      names.push(...declaredNames(statement).map((each) => isType(statement) ? `(${each})` : each))
    }
  }
  return names
}

const paths = entries.toSorted(([one], [other]) => one < other ? -1 : 1).map(([entry, path]) => {
  namesOf(path)
  return `${entry} = ${path.replace(/^src\//u, "")}`
})
const contents = [...modules].toSorted(([one], [other]) => one < other ? -1 : 1).map(([path, names]) =>
  `${path.replace(/^src\//u, "")}: ${[...new Set(names)].toSorted().join(", ")}`.trimEnd()
)
const text = [...paths, "", ...contents, ""].join("\n")

/** Prefixes each name with its module, so that a difference shows both. */
const namesIn = (text) =>
  new Set(
    text.split("\n").flatMap((line) => {
      const [module, names] = line.split(": ")
      return names === undefined ? [line] : names.split(", ").map((each) => `${module}: ${each}`)
    })
  )

if (process.argv.includes("--write")) writeFileSync(list, text)
else if (read(list) !== text) {
  const [had, has] = [read(list), text].map(namesIn)
  for (const each of has.difference(had)) console.error(`exported, and not in ${list}: ${each}`)
  for (const each of had.difference(has)) console.error(`in ${list}, and not exported: ${each}`)
  console.error("Run `npm run exports` if that is intended")
  process.exitCode = 1
}
