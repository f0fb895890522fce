/** Child processes for the peers, so that no two peers share a heap, a compiler or an event loop. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** A process that handles messages one at a time. */
export interface Child {
  readonly pid: number
  /** The message that the process sent when it was ready. */
  readonly ready: unknown
  /** Sends a message, and returns the response. */
  readonly ask: (message: unknown) => Promise<unknown>
  /** Ends the process. */
  readonly end: () => Promise<void>
}

const running = new Set<ChildProcess>()

/** Returns a child's next message; fails if the child ends instead. */
const next = async (child: ChildProcess): Promise<unknown> => {
  const ended = new AbortController()
  const [message] = await Promise.race([
    once(child, "message", { signal: ended.signal }),
    once(child, "exit", { signal: ended.signal }).then(([code]) => {
      throw new Error(`${child.spawnargs.slice(1).join(" ")} ended with ${code}`)
    })
  ]).finally(() => ended.abort())
  const { failed, value } = message as { readonly failed?: string; readonly value?: unknown }
  if (failed !== undefined) throw new Error(`${child.spawnargs.slice(-2).join(" ")}: ${failed}`)
  return value
}

/** The module that redirects imports of the library's source to the published build: see `build.ts`. */
const built = new URL("./built.js", import.meta.url).href

/** Starts a file of `peers` as a process, and waits until it is ready. */
export const start = async (file: string, ...args: ReadonlyArray<string>): Promise<Child> => {
  const path = fileURLToPath(new URL(`../peers/${file}`, import.meta.url))
  const child = fork(path, args, { execArgv: ["--import", built, "--disable-warning=ExperimentalWarning"] })
  running.add(child)
  child.once("exit", () => running.delete(child))
  const ready = await next(child)
  return {
    pid: child.pid ?? 0,
    ready,
    ask: async (message) => {
      child.send(message as object)
      return await next(child)
    },
    end: async () => {
      const ended = once(child, "exit")
      child.disconnect()
      await ended
    }
  }
}

/** Ends all processes that are still running. */
export const endAll = (): void => {
  for (const child of running) if (child.connected) child.disconnect()
}

/**
 * Runs in the child: replies to each message with the result of `answer`, or with its error. Exits when the parent
 * exits.
 */
export const serve = (ready: unknown, answer: (message: never) => unknown): void => {
  process.on("message", async (message) => {
    try {
      process.send?.({ value: await answer(message as never) })
    } catch (error) {
      process.send?.({ failed: error instanceof Error ? error.stack : String(error) })
    }
  })
  process.once("disconnect", () => process.exit())
  process.send?.({ value: ready })
}
