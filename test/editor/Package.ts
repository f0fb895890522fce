/** Reads the package as users see it: its exports, and the examples in its modules. */
import ts from "@tsd/typescript"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The project folder's path, with a trailing slash. */
export const root = fileURLToPath(new URL("../../", import.meta.url))

interface EntryPoint {
  readonly specifier: string
  readonly file: string
}

type Target = string | { readonly types: string } | null

const exported: Readonly<Record<string, Target>> = JSON.parse(readFileSync(`${root}package.json`, "utf8")).exports

const index = ["src/index.ts", "src/endpoints/contract.ts", "src/channels/contract.ts"]
  .map((file) => readFileSync(root + file, "utf8")).join("")

/** Checks whether an index also exports the module as a namespace. */
const isNamespace = (file: string): boolean => index.includes(`/${file.split("/").at(-1)}"`)

/**
 * The entry points in package.json: the names that users import, and their source files. A pattern is expanded to all
 * matching files. Modules that an index also exports are left out, because they are reached through the index.
 */
export const entryPoints: ReadonlyArray<EntryPoint> = Object.entries(exported).flatMap(([subpath, target]) => {
  if (target === null || typeof target === "string") return []
  const [folder = "", rest] = target.types.replace("./dist/", `${root}src/`).replace(".d.ts", ".ts").split("*")
  const names = rest === undefined ? [""] : readdirSync(folder).map((file) => file.replace(rest, ""))
  return names.map((name) => ({ subpath: subpath.replace("*", name), file: folder + name + (rest ?? "") }))
}).filter(({ file, subpath }) =>
  exported[subpath] !== null &&
  !(/^\.\/(?:channels|client|domain|endpoints|protocol)\//u.test(subpath) && isNamespace(file))
)
  .map(({ file, subpath }) => ({ file, specifier: `effect-txc${subpath.slice(1)}` }))

/** The package's types and exports. */
export interface Package {
  readonly checker: ts.TypeChecker
  /** Lists a module's exports with their names. */
  readonly exportsOf: (module: ts.Symbol) => ReadonlyArray<readonly [name: string, symbol: ts.Symbol]>
  /** The entry points, in the order of {@link entryPoints}. */
  readonly modules: ReadonlyArray<ts.Symbol>
}

/** Reads the package's sources. */
export const load = (): Package => {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram({ rootNames: entryPoints.map(({ file }) => file), options })
  const checker = program.getTypeChecker()
  const exportsOf: Package["exportsOf"] = (module) =>
    checker.getExportsOfModule(module).map((symbol) => [
      symbol.name,
      (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
    ])
  const modules = entryPoints.map(({ file }) => {
    const source = program.getSourceFile(file)
    const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    if (symbol === undefined) throw new Error(`${file} is not a module`)
    return symbol
  })
  return { checker, exportsOf, modules }
}

/** Checks whether an exported name is a whole module, as in `export * as X`. */
export const isModule = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.ValueModule) !== 0

/** A file of `src` that users import as a namespace. */
export interface PublicModule {
  readonly name: string
  readonly file: string
  readonly text: string
}

/** Every module that an entry point exports, with its exported name. */
export const publicModules = ({ exportsOf, modules }: Package): ReadonlyArray<PublicModule> =>
  modules.flatMap((module) => exportsOf(module)).flatMap(([name, symbol]) => {
    const source = symbol.declarations?.[0]
    return isModule(symbol) && source !== undefined && ts.isSourceFile(source)
      ? [{ name, file: source.fileName, text: source.text }]
      : []
  })

/**
 * Finds the first TypeScript block after `@example` in a file's first comment, and the number of the line before the
 * block, counted from one.
 */
export const exampleOf = (text: string): { readonly line: number; readonly text: string } | undefined => {
  const comment = /^\/\*\*.*?\*\//su.exec(text)?.[0] ?? ""
  const found = /^ \* @example.*?^ \* ```ts\n(.*?)^ \* ```$/msu.exec(comment)
  if (found?.[1] === undefined) return undefined
  const before = comment.slice(0, found.index + found[0].indexOf(found[1]))
  return { line: before.split("\n").length, text: found[1].replaceAll(/^ \* ?/gmu, "") }
}
