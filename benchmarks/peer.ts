/** One peer in its own process, idle unless it is told to measure one of its operations. */
import { measure, type Operation, type Operations, type Sample } from "./operation.ts"

const [name = "", baseUrl = ""] = process.argv.slice(2)

const peers: Readonly<Record<string, () => Promise<Operations>>> = {
  floor: async () => (await import("./floor.ts")).operations(baseUrl),
  undici: async () => {
    const { calls } = await import("./library.ts")
    return calls(baseUrl, (await import("@effect/platform-node/NodeHttpClient")).layerUndici)
  },
  fetch: async () => {
    const { calls } = await import("./library.ts")
    return calls(baseUrl, (await import("effect/http/FetchHttpClient")).layer)
  },
  sandbox: async () => (await import("./sandbox.ts")).operations(),
  interpreter: async () => (await import("./library.ts")).steps(baseUrl),
  compiler: async () => {
    // Only schemas made after this are compiled, so it comes before the library is loaded.
    await import("effect/schema/SchemaJITCompiler/enable")
    return (await import("./library.ts")).steps(baseUrl)
  }
}

const operations = await peers[name]?.() ?? {}

const find = (operation: string): Operation => {
  const found = operations[operation]
  if (found === undefined) throw new Error(`${name} has no operation ${operation}`)
  return found
}

process.on("message", async ({ millis, operation }: { readonly millis: number; readonly operation: string }) => {
  const sample: Sample = await measure(find(operation), millis)
  process.send?.(sample)
})
process.once("disconnect", () => process.exit())
process.send?.("ready")
