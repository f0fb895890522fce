/** One endpoint of the library, with what Node has kept of compiling it before. */
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

enableCompileCache(fileURLToPath(new URL("../dist/compiled", import.meta.url)))
await import("./account.js")
