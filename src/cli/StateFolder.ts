/** The user's folder for data that outlives a process, at the platform's usual place for application state. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { homedir } from "node:os"

const variable = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.NonEmptyString(name))), Option.getOrUndefined)

/** The path of the current user's state folder. Create it so that only this user can read it. */
export const stateFolder = Effect.gen(function*() {
  const { join } = yield* Path.Path
  const home = (yield* variable("HOME")) ?? homedir()
  const state = yield* variable("XDG_STATE_HOME")
  if (state !== undefined) return join(state, "effect-txc")
  switch (process.platform) {
    case "darwin":
      return join(home, "Library", "Application Support", "effect-txc")
    case "win32":
      return join((yield* variable("LOCALAPPDATA")) ?? join(home, "AppData", "Local"), "effect-txc")
    default:
      return join(home, ".local", "state", "effect-txc")
  }
})
