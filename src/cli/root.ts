/** The command `effect-txc` with all its subcommands. */
import * as Command from "effect/cli/Command"
import { asyncapi } from "./asyncapi.ts"
import { call } from "./call.ts"
import { control } from "./control.ts"
import { explore } from "./explore.ts"
import { host } from "./host.ts"
import { journal } from "./journal.ts"
import { openapi } from "./openapi.ts"
import { oracle } from "./oracle.ts"
import { ExtraHelp } from "./Presenter.ts"
import { exitCodes } from "./run.ts"
import { sandbox } from "./sandbox.ts"
import { sign } from "./sign.ts"
import { tour } from "./tour.ts"
import { watch } from "./watch.ts"

/** The root command. Its subcommands are in the order in which a new user needs them. */
export const root = Command.make("effect-txc").pipe(
  Command.withDescription("Client, sandbox, oracle and request signing for the exchange's private HTTP API V4"),
  Command.annotate(
    ExtraHelp,
    ({ bold }) =>
      [bold("EXIT CODES"), ...exitCodes.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`)].join("\n")
  ),
  Command.withSubcommands([
    tour,
    sandbox,
    control,
    call,
    watch,
    sign,
    openapi,
    asyncapi,
    oracle,
    explore,
    journal,
    host
  ])
)
