/**
 * Writes the API reference into `reference/api`, a page for each module, and `reference/llms.txt`, which lists all
 * pages for language models. Both are generated from the declarations and the docs that an editor shows. The
 * declarations are parsed as text and not type-checked. Needs `dist`.
 */
import ts from "@tsd/typescript"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

process.chdir(new URL("../", import.meta.url).pathname)

const read = (path) => readFileSync(path, "utf8")
const { description, exports: exported, name, version } = JSON.parse(read("package.json"))

const parsed = new Map()
const parse = (path) => {
  if (!parsed.has(path)) parsed.set(path, ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true))
  return parsed.get(path)
}
const target = (statement) =>
  join(dirname(statement.getSourceFile().fileName), statement.moduleSpecifier.text.replace(/\.[jt]s$/u, ".d.ts"))

const isExported = (statement) => statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

const namesOf = (statement) =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map((declaration) => declaration.name.text)
    : statement.name === undefined
    ? []
    : [statement.name.text]

/** The text of a doc comment without its stars. */
const unstar = (comment) => comment.replace(/^\/\*\*|\*\/$/gu, "").replace(/^[ \t]*\* ?/gmu, "").trim()

const commentsOf = (node) =>
  (ts.getLeadingCommentRanges(node.getSourceFile().text, node.getFullStart()) ?? [])
    .map(({ end, pos }) => node.getSourceFile().text.slice(pos, end)).filter((text) => text.startsWith("/**"))

/** The parts of a doc comment: its text with its example, and its category. */
const docOf = (comment = "") => {
  const [words = "", ...tags] = unstar(comment).split(/^@(?=\w)/mu)
  const tag = (wanted) => tags.find((text) => text.startsWith(wanted))?.slice(wanted.length).trim()
  return { words: words.trim(), example: tag("example"), category: tag("category") ?? "" }
}

/**
 * A module's doc comment, read from its source: a declaration file loses it when TypeScript drops an unneeded import.
 */
const aboutFile = (path) =>
  docOf(/^\/\*\*.*?\*\//su.exec(read(path.replace(/^dist/u, "src").replace(/\.d\.ts$/u, ".ts")))?.[0])

/** A statement without the words that only a declaration file has. */
const codeOf = (statement) => statement.getText().replace(/^(export )?(declare )?/u, "")

/** The interface from another module that a type extends with its own members, if any. */
const joined = (type, file) => {
  if (!ts.isTypeReferenceNode(type) || !ts.isQualifiedName(type.typeName)) return []
  const { left, right } = type.typeName
  const from = file.statements.find((each) =>
    ts.isImportDeclaration(each) && each.importClause?.namedBindings?.name?.text === left.text
  )
  if (from === undefined || !from.moduleSpecifier.text.startsWith(".")) return []
  return parse(target(from)).statements.filter(ts.isInterfaceDeclaration).filter(({ name }) => name.text === right.text)
}

/** A declaration. For a service or an error, also the class that it extends, which has the members. */
const codesOf = (statement) => {
  const file = statement.getSourceFile()
  const base = ts.isClassDeclaration(statement) ? `${statement.name.text}_base` : undefined
  const bases = file.statements.filter((each) => ts.isVariableStatement(each) && namesOf(each).includes(base))
  const types = bases.flatMap((each) => each.declarationList.declarations[0].type.typeArguments ?? [])
  const parts = types.flatMap((type) => ts.isIntersectionTypeNode(type) ? type.types : [])
  return [statement, ...bases, ...parts.flatMap((part) => joined(part, file))].map(codeOf).join("\n\n")
}

/** The exported declarations with this name, each with its doc. */
const declared = (file, wanted = () => true) =>
  file.statements.filter(isExported).flatMap((statement) =>
    namesOf(statement).filter(wanted).map((declaredName) => ({
      name: declaredName,
      code: codesOf(statement),
      ...docOf(commentsOf(statement).at(-1))
    }))
  )

const modules = []
const add = (entry, title, path, items) => modules.push({ entry, title, about: aboutFile(path), items })

const walk = (entry, path) => {
  const own = []
  for (const statement of parse(path).statements.filter(ts.isExportDeclaration)) {
    const clause = statement.exportClause
    if (statement.moduleSpecifier === undefined) continue
    if (clause === undefined) walk(entry, target(statement))
    else if (ts.isNamespaceExport(clause)) {
      add(entry, clause.name.text, target(statement), declared(parse(target(statement))))
    } else {
      const names = new Set(clause.elements.map((element) => (element.propertyName ?? element.name).text))
      own.push(...declared(parse(target(statement)), (declaredName) => names.has(declaredName)))
    }
  }
  own.push(...declared(parse(path)))
  if (own.length > 0) add(entry, entry, path, own)
}
const entries = Object.entries(exported).filter(([, target]) => target?.types !== undefined)
const isModule = ([entry]) => /^\.\/(?:channels|client|domain|endpoints|protocol)\//u.test(entry)
for (const [entry, { types }] of entries.filter((each) => !isModule(each))) walk(join(name, entry), join(types))

// Modules that have their own path and are not in the list of modules.
for (const [entry, { types }] of entries.filter(isModule)) {
  for (const path of globSync(types).toSorted()) {
    const title = path.match(/(\w+)\.d\.ts$/u)[1]
    if (parsed.has(join(path)) || exported[entry.replace("*", title)] === null) continue
    add(join(name, entry.replace("*", title)), title, join(path), declared(parse(join(path))))
  }
}

// -----------------------------------------------------------------------------
// Pages
// -----------------------------------------------------------------------------

const undocumented = modules.flatMap(({ about, items, title }) => [
  ...about.words === "" ? [title] : [],
  ...Map.groupBy(items, (item) => item.name).entries().filter(([, same]) => same.every(({ words }) => words === ""))
    .map(([itemName]) => `${title}.${itemName}`)
])
if (undocumented.length > 0) throw new Error(`Exported without a doc: ${undocumented.join(", ")}`)

const fileOf = (title) => `${title.replaceAll("/", "-")}.md`
const firstSentence = (text) =>
  text.replaceAll(/\s+/gu, " ").match(/^.*?\.(?= |$)/u)?.[0] ?? text.replaceAll(/\s+/gu, " ")

/** Turns `{@link of}` into a link if its heading is on the page. */
const linked = (text, names) =>
  text.replaceAll(
    /\{@link ([\w.]+)[^}]*\}/gu,
    (_, to) => names.has(to) ? `[\`${to}\`](#${to.toLowerCase()})` : `\`${to}\``
  )

const section = (title, same, names) => [
  `### ${title}`,
  ...same.flatMap(({ code, example, words }) => [
    ...(words === "" ? [] : [linked(words, names)]),
    `\`\`\`ts\n${code}\n\`\`\``,
    ...(example === undefined ? [] : [example])
  ])
]

const page = ({ about, entry, items, title }) => {
  const names = new Set(items.map((item) => item.name))
  const categories = Map.groupBy(items, (item) => item.category)
  return [
    `# ${title}`,
    title === entry
      ? ""
      : entry.endsWith(`/${title}`)
      ? `\`import * as ${title} from "${entry}"\``
      : `\`import { ${title} } from "${entry}"\``,
    linked(about.words, names),
    about.example ?? "",
    ...[...categories].flatMap(([category, all]) => [
      `## ${category === "" ? "exports" : category}`,
      ...[...Map.groupBy(all, (item) => item.name)].flatMap(([itemName, same]) => section(itemName, same, names))
    ])
  ].filter((text) => text !== "").join("\n\n") + "\n"
}

mkdirSync("reference/api", { recursive: true })
for (const module of modules) writeFileSync(join("reference/api", fileOf(module.title)), page(module))

const line = (folder) => ({ about, title }) =>
  `- [${title}](${folder}${fileOf(title)}): ${firstSentence(linked(about.words, new Set()))}`
const reference = (folder, heading) =>
  [...Map.groupBy(modules, ({ entry }) => entry)].flatMap((
    [entry, all]
  ) => [`${heading} ${entry}`, all.map(line(folder)).join("\n")])

writeFileSync("reference/api/README.md", [`# ${name} ${version}`, ...reference("", "##")].join("\n\n") + "\n")

/** A handwritten page: its heading and its first sentence. */
const written = (path) => {
  const [heading = "", ...paragraphs] = read(path).split("\n\n")
  const title = heading.replace("# ", "")
  const words = firstSentence(paragraphs.find((text) => /^(?:[A-Z]|`[^`])/u.test(text)) ?? "")
  return `- [${title.replaceAll("`", "")}](${relative("reference", path)}): ${
    words.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
  }`
}
const pages = [
  "README.md",
  "AGENTS.md",
  ...["client", "sandbox", "oracle", "explore"].flatMap((face) =>
    globSync(`src/${face}/{README.md,docs/*.md}`).toSorted()
  )
]

writeFileSync(
  "reference/llms.txt",
  [
    `# ${name}`,
    `> ${description}`,
    "## Pages",
    pages.map(written).join("\n"),
    ...reference("api/", "##")
  ].join("\n\n") + "\n"
)
