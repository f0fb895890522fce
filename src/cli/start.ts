/** `npm start`: starts the sandbox, makes every call against it, prints the result of each, and keeps serving. */
import * as Command from "effect/cli/Command"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.ts"
import { Refused } from "./Refused.ts"
import { run } from "./run.ts"
import * as Tour from "./tour.ts"

const start = Command.make(
  "start",
  {
    once: Flags.toggle("once", "Stop after the table"),
    dialect: Tour.dialect
  },
  Effect.fn(function*({ dialect, once }) {
    const port = yield* Effect.mapError(
      Config.withDefault(Config.Port("PORT"), 0),
      () => new Refused({ wrong: "PORT is not a port", remedy: "Set PORT to a number up to 65535, or unset it" })
    )
    return yield* Tour.give({ dialect, port, serves: !once })
  })
).pipe(Command.withDescription("Make every call of the API against a sandbox, then keep serving it"))

run(start)
