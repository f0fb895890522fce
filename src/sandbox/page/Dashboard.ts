/**
 * The web page for watching and controlling a sandbox in a browser. It uses the control plane. The page contains no
 * secret: the token comes from the URL's fragment, which browsers do not send, or the user types it in. The source is
 * in `app/`. The build bundles it into a single file, `page.html`, next to this module.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import type { Answer } from "../gateway/Message.ts"

/** The page's path. */
export const path = "/"

/** The paths at which the page is served: its own path, and the control plane's path without the version. */
export const paths: ReadonlySet<string> = new Set([path, "/control/"])

const sourceOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** The text between the first `begin` and the last `end`. */
const between = (html: string, begin: string, end: string): string =>
  html.slice(html.indexOf(begin) + begin.length, html.lastIndexOf(end))

/**
 * The response that contains the page. Its headers allow only the page's own script and styles, forbid loading anything
 * else, and forbid framing by other pages.
 */
export const toAnswer = (html: string): Answer => ({
  _tag: "Answer",
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; connect-src 'self'; img-src data:; script-src ${
      sourceOf(between(html, "<script>", "</script>"))
    }; style-src ${
      sourceOf(between(html.slice(0, html.indexOf("</head>")), "<style>", "</style>"))
    }; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  },
  body: html
})

const notBuilt: Answer = {
  _tag: "Answer",
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "The page is not built. In the repository, `npm run build:page` builds it.\n"
}

/** The built page for a venue or a host. */
export const pageOf = (what: "host" | "venue"): Effect.Effect<Answer> =>
  Effect.match(
    Effect.tryPromise(() => readFile(new URL("./page.html", import.meta.url), "utf8")),
    {
      onFailure: () => notBuilt,
      onSuccess: (html) => toAnswer(html.replace(`<div id="page">`, `<div id="page" data-of="${what}">`))
    }
  )

/** The built page for a venue. */
export const page: Effect.Effect<Answer> = pageOf("venue")
