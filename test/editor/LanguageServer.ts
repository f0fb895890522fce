/** Runs TypeScript's language server, and communicates with it as an editor does. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { pathToFileURL } from "node:url"
import { root } from "./Package.ts"

/** A position in a file. Lines and characters count from zero, as in the language server protocol. */
export interface Position {
  readonly line: number
  readonly character: number
}

/** A hover: the declaration in TypeScript, followed by its doc. */
export interface Hover {
  readonly code: string
  readonly prose: string
}

const uri = (path: string): string => pathToFileURL(path).href

/** A message from the server. A reply has only an id, a notification has only a method, and a request has both. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly items?: ReadonlyArray<unknown> }
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

const headEnd = "\r\n\r\n"

/** Splits a stream of bytes into messages. */
const reader = (receive: (message: Message) => void) => {
  let pending: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const end = pending.indexOf(headEnd)
      if (end < 0) return
      const length = Number(/Content-Length: (\d+)/iu.exec(pending.toString("latin1", 0, end))?.[1])
      const start = end + headEnd.length
      if (pending.length < start + length) return
      receive(JSON.parse(pending.toString("utf8", start, start + length)))
      pending = pending.subarray(start + length)
    }
  }
}

const hoverOf = (result: unknown): Hover | undefined => {
  const markdown = (result as { readonly contents: { readonly value: string } } | null)?.contents.value
  if (markdown === undefined) return undefined
  const [, code = "", prose = ""] = /^```\w+\n(.*?)\n```\n?(.*)$/su.exec(markdown) ?? [undefined, "", markdown]
  return { code, prose: prose.trim() }
}

/** The language server of this project's TypeScript 7. It stops when the layer's scope closes. */
export class LanguageServer extends Context.Service<LanguageServer, {
  /** Opens a file with this text. The file need not exist on disk. */
  readonly open: (path: string, text: string) => void
  /** Returns the hover at this position, or `undefined` if there is none. Many requests may run concurrently. */
  readonly hover: (path: string, position: Position) => Effect.Effect<Hover | undefined>
}>()("test/LanguageServer") {
  static readonly layer = Layer.effect(
    LanguageServer,
    Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "--lsp", "--stdio"], {
            cwd: root,
            stdio: ["pipe", "pipe", "ignore"]
          })
        ),
        (server) => Effect.sync(() => server.kill())
      )
      const waiting = new Map<number, (reply: Effect.Effect<unknown>) => void>()
      const open = new Set<string>()
      let requests = 0
      const send = (message: object) => {
        const body = JSON.stringify({ jsonrpc: "2.0", ...message })
        server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}${headEnd}${body}`)
      }
      const request = (method: string, params: object) =>
        Effect.callback<unknown>((resume) => {
          const id = ++requests
          waiting.set(id, resume)
          send({ id, method, params })
        })
      const receive = ({ error, id, method, params, result }: Message) => {
        if (id === undefined) return
        // The server also sends requests, for example for settings. The reply leaves all settings at their defaults.
        if (method !== undefined) return send({ id, result: params?.items?.map(() => null) ?? null })
        waiting.get(id)?.(error === undefined ? Effect.succeed(result) : Effect.die(new Error(error.message)))
        waiting.delete(id)
      }
      server.stdout.on("data", reader(receive))
      server.on("close", () => {
        for (const resume of waiting.values()) resume(Effect.die(new Error("the language server ended")))
      })
      yield* request("initialize", {
        processId: process.pid,
        rootUri: uri(root),
        workspaceFolders: [{ uri: uri(root), name: "effect-txc" }],
        capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } }
      })
      send({ method: "initialized", params: {} })
      return {
        open: (path, text) => {
          if (open.has(path)) return
          open.add(path)
          send({
            method: "textDocument/didOpen",
            params: { textDocument: { uri: uri(path), languageId: "typescript", version: 1, text } }
          })
        },
        hover: (path, position) =>
          Effect.map(request("textDocument/hover", { textDocument: { uri: uri(path) }, position }), hoverOf)
      }
    })
  )
}
