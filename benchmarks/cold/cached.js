/** Makes one call with Node's compile cache switched on. */
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

enableCompileCache(fileURLToPath(new URL("../dist/compiled", import.meta.url)))
await import("./account.js")
