/** The command `effect-txc`. */
import { root } from "./root.ts"
import { run } from "./run.ts"

run(root)
