/**
 * The command `effect-txc`.
 *
 * @since 0.1.0
 */
import { root } from "./root.ts"
import { run } from "./run.ts"

run(root)
