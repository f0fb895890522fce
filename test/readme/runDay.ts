import { readFileSync } from "node:fs"
import { day } from "./dayOverHttp.ts"

const [line = ""] = readFileSync("sandbox.json", "utf8").split("\n")
const start = performance.now()
const fills = await day(JSON.parse(line))
console.log(`${fills.length} fills in a day that took ${Math.round(performance.now() - start)} ms`)
