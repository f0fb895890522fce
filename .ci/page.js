/**
 * Builds the sandbox's page: one HTML file with its program, its style and the licenses of all bundled packages. It is
 * written next to the module that serves it, and next to every built file that serves it. A page that is newer than its
 * source is not built again.
 */
import { copyFileSync, existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { rolldown } from "rolldown"

const at = (path) => new URL(`../${path}`, import.meta.url).pathname

const source = at("src/sandbox/page/app")
const target = at("src/sandbox/page/page.html")

/** The bundled packages. Each has the license named in its package. */
const bundled = ["preact", "@preact/signals", "@preact/signals-core", "lightweight-charts", "fancy-canvas"]

/** The notice that the chart library's license requires us to include. */
const chartsNotice = `TradingView Lightweight Charts™
Copyright (c) 2025 TradingView, Inc. https://www.tradingview.com/`

const notices = () =>
  bundled.map((name) => {
    const { author, license, version } = JSON.parse(readFileSync(at(`node_modules/${name}/package.json`), "utf8"))
    const file = at(`node_modules/${name}/LICENSE`)
    const by = typeof author === "string" ? author : author?.name
    const text = existsSync(file) ? readFileSync(file, "utf8") : `Licensed under ${license} by ${by ?? "its authors"}.`
    return `${name} ${version} (${license})\n\n${
      name === "lightweight-charts" ? `${chartsNotice}\n\n` : ""
    }${text.trim()}`
  }).join("\n\n----\n\n")

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const build = async () => {
  const bundle = await rolldown({
    input: `${source}/main.tsx`,
    platform: "browser",
    tsconfig: `${source}/tsconfig.json`,
    transform: { define: { "process.env.NODE_ENV": `"production"` } }
  })
  const { output: [{ code }] } = await bundle.generate({ format: "iife", minify: true })
  await bundle.close()
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>effect-txc sandbox</title>
<link rel="icon" href="data:,">
<style>${readFileSync(`${source}/page.css`, "utf8")}</style>
</head>
<body>
<template id="notices">${escaped(notices())}</template>
<div id="page"></div>
<script>${code.replaceAll("</script", "<\\/script")}</script>
</body>
</html>
`
}

const inputs = globSync(`${source}/**/*`).concat(["package-lock.json", ".ci/page.js", "src/protocol/Curl.ts"].map(at))

const isOld = () => !existsSync(target) || inputs.some((file) => statSync(file).mtimeMs > statSync(target).mtimeMs)

/** Builds the page if it is older than its source. Vitest does it before the tests. */
export const setup = async () => {
  if (isOld()) writeFileSync(target, await build())
}

/** The built files that read the page from their own folder. */
const readers = () => globSync(at("dist/**/*.js")).filter((file) => readFileSync(file, "utf8").includes("./page.html"))

if (import.meta.main) {
  await setup()
  for (const file of readers()) copyFileSync(target, new URL("page.html", `file://${file}`))
}
