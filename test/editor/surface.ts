/**
 * Finds everything in the package over which a user can hover: its exports, and every field and method that can be
 * reached from them. A generated program uses each of these names once, because a doc may be lost between declaration
 * and use. For example, a mapped type keeps field names but drops their docs.
 */
import ts from "@tsd/typescript"
import { readFileSync } from "node:fs"
import type { Position } from "./LanguageServer.ts"
import { entryPoints, isModule, type Package, root } from "./Package.ts"

/** An export, field or method over which a user can hover. */
export interface Thing {
  /** The name as users write it, such as `Errors.RateLimited.status`. */
  readonly name: string
  /** The place of the declaration: a file in the project, and a line counted from one. */
  readonly file: string
  readonly line: number
  /** Whether the declaration has a doc. The doc may get lost between the declaration and its use. */
  readonly isDocumented: boolean
  /** Whether TypeScript 5 shows the doc where the name is used. It keeps the docs of mapped types that keep their keys. */
  readonly isShownByTypeScript: boolean
  /** The place to hover over: in the generated program, or at the declaration if no program can refer to the name. */
  readonly path: string
  readonly position: Position
}

/** All names to hover over, and the files to open for these hovers. */
export interface Surface {
  readonly things: ReadonlyArray<Thing>
  readonly files: ReadonlyArray<{ readonly path: string; readonly text: string }>
}

/** How a program extracts the type arguments of foreign generic types, keyed by the types' names. */
const argumentOf: Readonly<Record<string, ReadonlyArray<(path: string) => string>>> = {
  ReadonlySet: [(path) => `(${path} extends ReadonlySet<infer A> ? A : never)`],
  ReadonlyMap: [
    (path) => `(${path} extends ReadonlyMap<infer K, infer _V> ? K : never)`,
    (path) => `(${path} extends ReadonlyMap<infer _K, infer V> ? V : never)`
  ],
  Effect: [(path) => `Effect.Success<${path}>`, (path) => `Effect.Error<${path}>`],
  Stream: [(path) => `Stream.Success<${path}>`, (path) => `Stream.Error<${path}>`],
  Result: [(path) => `Result.Result.Success<${path}>`, (path) => `Result.Result.Failure<${path}>`],
  Option: [(path) => `Option.Option.Value<${path}>`],
  Some: [(path) => `Option.Option.Value<${path}>`]
}

/**
 * A type to visit. Includes the program's expression for the type (if there is one), the owner's name, and the export
 * that leads to the type.
 */
interface Step {
  readonly type: ts.Type
  readonly path: string | undefined
  readonly owner: string
  readonly origin: ts.Node
}

const isReference = (type: ts.Type): type is ts.TypeReference =>
  ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0

/** Checks whether a type is a class or an interface, or an instance of a generic class or interface. */
const isNamed = (type: ts.Type) => type.isClassOrInterface() || (isReference(type) && type.target.isClassOrInterface())

/**
 * Checks whether a type has members to visit. A branded string has none, although it is an intersection with an object.
 */
const hasMembers = (type: ts.Type): boolean =>
  type.isIntersection() ? type.types.every(hasMembers) : (type.flags & ts.TypeFlags.Object) !== 0

type TypeDeclaration = ts.TypeAliasDeclaration | ts.InterfaceDeclaration | ts.ClassDeclaration

const isTypeDeclaration = (node: ts.Node): node is TypeDeclaration =>
  ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)

const unknowns = (count: number) => count === 0 ? "" : `<${Array.from({ length: count }, () => "unknown").join(", ")}>`

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

/** Finds everything over which a user can hover. */
export const surface = ({ checker, exportsOf, modules }: Package): Surface => {
  const path = `${root}test/editor/everything.ts`
  const lines = [
    ...entryPoints.map(({ specifier }, index) => `import * as E${index} from "${specifier}"`),
    ...["Effect", "Option", "Result", "Stream"].map((name) => `import type * as ${name} from "effect/${name}"`)
  ]
  const found: Array<readonly [symbol: ts.Symbol, thing: Thing]> = []
  // Each type is visited only once. Types that a program can refer to therefore come first, beginning with the types
  // closest to an export.
  const named: Array<Step> = []
  const nameless: Array<Step> = []
  const seen = new Set<ts.Type>()
  const discriminants = new Set<ts.Symbol>()

  const isOurs = (node: ts.Node) => node.getSourceFile().fileName.startsWith(`${root}src/`)
  const declarationOf = (symbol: ts.Symbol | undefined) => symbol?.declarations?.find(isOurs)
  const isForeign = (symbol: ts.Symbol | undefined) =>
    symbol?.declarations !== undefined && symbol.declarations.length > 0 && !symbol.declarations.some(isOurs)

  /** Records a name to hover over. `before` is the program's line up to the name, if a program can refer to it. */
  const point = (symbol: ts.Symbol, name: string, declaration: ts.Node, before: string | undefined, last: string) => {
    const source = declaration.getSourceFile()
    const node = ts.getNameOfDeclaration(declaration as ts.Declaration) ?? declaration
    const declared = source.getLineAndCharacterOfPosition(node.getStart(source))
    const at = {
      name,
      file: source.fileName.slice(root.length),
      line: declared.line + 1,
      isShownByTypeScript: symbol.getDocumentationComment(checker).length > 0,
      isDocumented: ts.getJSDocCommentsAndTags(declaration).some((node) =>
        ts.isJSDoc(node) && node.comment !== undefined
      )
    }
    if (before === undefined) found.push([symbol, { ...at, path: source.fileName, position: declared }])
    else {
      found.push([symbol, { ...at, path, position: { line: lines.length, character: before.length } }])
      lines.push(`${before}${last}`)
    }
  }

  const follow = (type: ts.Type, path: string | undefined, owner: string, origin: ts.Node) => {
    const queue = path === undefined ? nameless : named
    queue.push({ type, path, owner, origin })
  }

  /** Visits an exported name. The name may be a value, a type or both, and each of them has a separate doc. */
  const exported = (module: string, name: string, owner: string, symbol: ts.Symbol) => {
    const declarations = symbol.declarations?.filter(isOurs) ?? []
    const types = declarations.filter(isTypeDeclaration)
    const value = declarations.find((node) => !types.includes(node as TypeDeclaration)) ?? types[0]
    if ((symbol.flags & ts.SymbolFlags.Value) !== 0 && value !== undefined) {
      point(symbol, owner, value, `void ${module}.`, name)
      follow(checker.getTypeOfSymbol(symbol), `(typeof ${module}.${name})`, owner, value)
    }
    if ((symbol.flags & ts.SymbolFlags.Type) !== 0 && types[0] !== undefined) {
      const last = `${name}${unknowns(types[0].typeParameters?.length ?? 0)}`
      point(symbol, owner, types[0], `export type _${lines.length} = ${module}.`, last)
      follow(checker.getDeclaredTypeOfSymbol(symbol), `${module}.${last}`, owner, types[0])
    }
  }

  const isPrivate = ({ declarations = [], name }: ts.Symbol) =>
    /^(?:~|__|prototype$)/u.test(name)
    || declarations.some((node) =>
      (ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.NonPublicAccessibilityModifier) !== 0
    )

  /**
   * Checks whether a member overrides a member of JavaScript's `Error`, such as `message`. Such a member needs no doc,
   * because it means the same as in `Error`.
   */
  const isOverride = (type: ts.Type, member: ts.Symbol) =>
    type.isClass() &&
    checker.getBaseTypes(type).some((base) =>
      isForeign(checker.getPropertyOfType(base, member.name)) && member.name in Error.prototype
    )

  /** Checks whether a member is a record's key. The key comes from another type and can't be documented. */
  const isKey = (type: ts.Type, member: ts.Symbol) =>
    (member.declarations ?? []).length === 0
    && type.symbol?.declarations?.some((node) => ts.isMappedTypeNode(node) && node.nameType === undefined) === true

  /** Visits a type's fields and methods, and the types of these members. */
  const members = ({ origin, owner, path, type }: Step) => {
    // Another instance of a generic type has the same members, but with other types.
    const isKnown = isReference(type) && type.target !== type && seen.has(type.target)
    if (isReference(type)) seen.add(type.target)
    let variable: string | undefined
    for (const member of checker.getPropertiesOfType(type)) {
      const { name } = member
      // A service class has a member `Service`, whose type is the service's interface.
      const isShape = name === "Service" && isForeign(member)
      if ((isForeign(member) && !isShape) || isPrivate(member) || isOverride(type, member)) continue
      if (!isShape && !isKnown && !isKey(type, member)) {
        if (path !== undefined && variable === undefined) {
          variable = `value${lines.length}`
          lines.push(`declare const ${variable}: ${path}`)
        }
        const isNamed = variable !== undefined && identifier.test(name)
        point(
          member,
          `${owner}.${name}`,
          declarationOf(member) ?? origin,
          isNamed ? `void ${variable}.` : undefined,
          name
        )
      }
      follow(
        checker.getTypeOfSymbol(member),
        path === undefined ? undefined : `${path}[${JSON.stringify(name)}]`,
        isShape ? owner : `${owner}.${name}`,
        origin
      )
    }
  }

  /** Visits the parameters and results of functions. */
  const calls = ({ origin, owner, path, type }: Step) => {
    const signatures = type.getCallSignatures()
    for (const [order, signature] of signatures.entries()) {
      // A program can only refer to the last of several overloads.
      const single = order === signatures.length - 1 ? path : undefined
      for (const [index, parameter] of signature.parameters.entries()) {
        follow(
          checker.getTypeOfSymbol(parameter),
          single === undefined ? undefined : `Parameters<${single}>[${index}]`,
          `${owner}(${parameter.name.replace(/^__\d+$/u, "options")})`,
          origin
        )
      }
      follow(
        signature.getReturnType(),
        single === undefined ? undefined : `ReturnType<${single}>`,
        `${owner}()`,
        origin
      )
    }
  }

  /** Writes an expression that narrows a union to the member with this tag or field. */
  const narrowing = (member: ts.Type, others: ReadonlyArray<ts.Type>): string | undefined => {
    if (others.length === 0) return "object"
    for (const field of checker.getPropertiesOfType(member)) {
      if ((field.flags & ts.SymbolFlags.Optional) !== 0 || !identifier.test(field.name)) continue
      const type = checker.getTypeOfSymbol(field)
      const rivals = others.flatMap((other) => checker.getPropertyOfType(other, field.name) ?? [])
        .filter(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0)
      if (rivals.length === 0) return `{ readonly ${field.name}: unknown }`
      if (type.isStringLiteral() && rivals.every((rival) => checker.getTypeOfSymbol(rival) !== type)) {
        discriminants.add(field)
        return `{ readonly ${field.name}: ${JSON.stringify(type.value)} }`
      }
    }
    return undefined
  }

  const union = ({ origin, owner, path }: Step, type: ts.UnionType) => {
    const objects = type.types.filter(hasMembers)
    for (const member of objects) {
      const narrowed = narrowing(member, objects.filter((other) => other !== member))
      const isNameless = path === undefined || narrowed === undefined
      follow(member, isNameless ? undefined : `Extract<${path}, ${narrowed}>`, owner, origin)
    }
  }

  /** Visits a foreign generic type's type arguments. */
  const foreign = ({ origin, owner, path }: Step, type: ts.TypeReference) => {
    for (const [index, argument] of checker.getTypeArguments(type).entries()) {
      const write = checker.isArrayLikeType(type)
        ? (path: string) => `${path}[number]`
        : argumentOf[type.symbol.name]?.[index]
      if (write !== undefined) follow(argument, path === undefined ? undefined : write(path), owner, origin)
    }
  }

  const visit = (step: Step) => {
    const { type } = step
    if (type.isUnion()) return union(step, type)
    if (!hasMembers(type)) return
    if (checker.isArrayLikeType(type) || (isForeign(type.symbol) && isNamed(type))) {
      return isReference(type) ? foreign(step, type) : undefined
    }
    members(step)
    calls(step)
  }

  const walk = (module: string, prefix: string, symbol: ts.Symbol) => {
    for (const [name, target] of exportsOf(symbol)) {
      if (isModule(target)) walk(`${module}.${name}`, `${prefix}${name}.`, target)
      else exported(module, name, `${prefix}${name}`, target)
    }
  }
  for (const [index, module] of modules.entries()) walk(`E${index}`, "", module)
  for (let step = named.shift() ?? nameless.shift(); step !== undefined; step = named.shift() ?? nameless.shift()) {
    if (seen.has(step.type)) continue
    seen.add(step.type)
    visit(step)
  }
  // The field that distinguishes the members of a union needs no doc.
  const things = found.flatMap(([symbol, thing]) => symbol.name === "_tag" || discriminants.has(symbol) ? [] : [thing])
  const declared = [...new Set(things.map((thing) => thing.path))].filter((file) => file !== path)
  return {
    things,
    files: [{ path, text: lines.join("\n") }, ...declared.map((path) => ({ path, text: readFileSync(path, "utf8") }))]
  }
}
