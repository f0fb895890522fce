/**
 * Writes the documentation as a static site into `reference/site`: the handbooks, and the reference of the API that
 * `.ci/reference.js` has written. All links are relative, so that any host can serve the folder. Fails if a link does
 * not lead to an existing file and heading of the site.
 */
import { Marked } from "marked"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"

process.chdir(new URL("../", import.meta.url).pathname)

const out = "reference/site"
const read = (path) => readFileSync(path, "utf8")
const { description, name, version } = JSON.parse(read("package.json"))

/** The pages in the order of the navigation: its headings, each with its files. */
const groups = [
  ["Start", ["README.md", "CHANGELOG.md"]],
  ...["client", "sandbox", "oracle", "explore"].map((face) => [
    face,
    [`src/${face}/README.md`, ...globSync(`src/${face}/docs/*.md`).toSorted()]
  ]),
  ["Contribute", [
    "AGENTS.md",
    ...globSync(".github/*.md").toSorted(),
    "test/README.md",
    "benchmarks/README.md",
    "benchmarks/METHOD.md"
  ]],
  ["Reference", globSync("reference/api/*.md").toSorted()]
]
const sources = new Set(groups.flatMap(([, files]) => files))

/** The address of a page or file in the site. */
const toAddress = (path) =>
  path.replace(/^reference\/api\//u, "api/").replace(/^\./u, "").replace(/README\.md$/u, "index.html").replace(
    /\.md$/u,
    ".html"
  )

/** The anchor that GitHub generates for a heading. */
const toAnchor = (heading) =>
  heading.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}\p{Mark}_ -]/gu, "").replaceAll(" ", "-")

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(`"`, "&quot;")

/** Files other than pages to which pages link, such as images and the license. */
const copied = new Set()

/** The link from one page to another, or to a file, which is copied. */
const toLink = (from, to) => {
  if (URL.canParse(to)) return to
  const [path, heading] = to.split("#")
  if (path === "") return to
  const target = posix.normalize(posix.join(posix.dirname(from), path))
  const isFolder = sources.has(posix.join(target, "README.md"))
  const found = isFolder ? posix.join(target, "README.md") : target
  if (!sources.has(found)) copied.add(found)
  const address = posix.relative(posix.dirname(toAddress(from)), toAddress(found))
  return heading === undefined ? address : `${address}#${heading}`
}

const render = (path) => {
  const seen = new Map()
  const marked = new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        const anchor = toAnchor(text.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/gu, "$1"))
        const count = seen.get(anchor) ?? 0
        seen.set(anchor, count + 1)
        const id = count === 0 ? anchor : `${anchor}-${count}`
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      }
    },
    walkTokens(token) {
      if (token.type === "link" || token.type === "image") token.href = toLink(path, token.href)
    }
  })
  return marked.parse(read(path).replaceAll(/^<!-- .* -->$/gmu, ""))
}

const titleOf = (path) => (read(path).match(/^# (.+)$/mu)?.[1] ?? path).replaceAll("`", "")

const titles = new Map([...sources].map((path) => [path, titleOf(path)]))

/** The navigation as seen from a page. The group of the page is open. */
const navigation = (from) =>
  groups.map(([heading, files]) => {
    const items = files.map((path) =>
      `<li><a${path === from ? ` aria-current="page"` : ""} href="${
        posix.relative(posix.dirname(toAddress(from)), toAddress(path))
      }">${escape(titles.get(path))}</a></li>`
    )
    return `<details${files.includes(from) ? " open" : ""}><summary>${heading}</summary><ul>${
      items.join("")
    }</ul></details>`
  }).join("\n")

const style = `
:root { color-scheme: light dark; --line: #8884; --mark: #06c }
@media (prefers-color-scheme: dark) { :root { --mark: #6af } }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 16px/1.55 system-ui, sans-serif }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; box-sizing: border-box; padding: 1rem; border-right: 1px solid var(--line); font-size: 14px }
nav ul { list-style: none; margin: 0; padding: 0 0 .5rem .75rem }
nav summary { cursor: pointer; text-transform: capitalize; font-weight: 600; padding: .2rem 0 }
nav [aria-current] { font-weight: 600 }
main { max-width: 52rem; padding: 1rem 2rem 4rem; min-width: 0 }
a { color: var(--mark); text-decoration: none } a:hover { text-decoration: underline }
code { font: 0.88em/1.5 ui-monospace, monospace } :not(pre) > code { background: #8882; padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere }
pre { background: #8881; border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; overflow: auto }
table { border-collapse: collapse; display: block; overflow: auto } td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top }
img { max-width: 100% }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line) } main { padding: 1rem } }
`

rmSync(out, { recursive: true, force: true })
const write = (path, text) => {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), text)
}

const pages = new Map()
for (const path of sources) {
  const address = toAddress(path)
  const title = titles.get(path) === name ? name : `${titles.get(path)} · ${name}`
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<meta name="description" content="${escape(description)}">
<link rel="stylesheet" href="${posix.relative(posix.dirname(address), "style.css")}">
<nav><p><a href="${posix.relative(posix.dirname(address), "index.html")}"><b>${name}</b></a> ${version}</p>
${navigation(path)}</nav>
<main>
${render(path)}</main>
`
  pages.set(address, html)
  write(address, html)
}
write("style.css", style.trimStart())
const index = read("reference/llms.txt").replaceAll(
  /\]\(([^)]+)\)/gu,
  (_, to) => `](${toAddress(posix.join("reference", to))})`
)
write("llms.txt", index)
for (const path of copied) if (existsSync(path)) cpSync(path, join(out, toAddress(path)), { recursive: true })

// -----------------------------------------------------------------------------
// Links
// -----------------------------------------------------------------------------

const files = new Set(globSync("**/*", { cwd: out }).map((path) => relative(".", path)))
const anchors = new Map([...pages].map(([address, html]) => [
  address,
  new Set([...html.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id))
]))
const linksIn = (text) =>
  [...text.matchAll(/ (?:href|src)="([^"]+)"|\]\((\S+)\):/gu)].map(([, to, other = to]) =>
    other.replaceAll("&amp;", "&")
  )
const broken = [...pages, ["llms.txt", index]].flatMap(([address, text]) =>
  linksIn(text)
    .filter((to) => !URL.canParse(to))
    .filter((to) => {
      const [path, anchor] = to.split("#")
      const target = path === "" ? address : posix.normalize(posix.join(posix.dirname(address), path))
      return !files.has(target) || (anchor !== undefined && !anchors.get(target)?.has(decodeURIComponent(anchor)))
    })
    .map((to) => `${address}: ${to}`)
)
for (const link of broken) console.error(`A link leads nowhere: ${link}`)
if (broken.length > 0) process.exitCode = 1
else console.log(`${pages.size} pages in ${out}, all links lead somewhere`)
