/**
 * The command `effect-txc`.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import { call } from "./call.ts"
import { journal } from "./journal.ts"
import { openapi } from "./openapi.ts"
import { oracle } from "./oracle.ts"
import { run } from "./run.ts"
import { sandbox } from "./sandbox.ts"
import { sign } from "./sign.ts"

run(
  Command.make("effect-txc").pipe(
    Command.withDescription("A client, a sandbox, an oracle and the signatures of the exchange's private HTTP API V4"),
    Command.withSubcommands([sandbox, journal, oracle, call, sign, openapi])
  )
)
