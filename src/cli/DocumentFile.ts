/** The file to which a command writes a document. */
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Flags from "./Flags.ts"

export const flag = Flags.optional(Flag.File("file"), "The file to write; standard output by default")

/** Writes a document to the file, or to standard output. */
export const write = Effect.fnUntraced(function*(text: string, file: Option.Option<string>) {
  if (Option.isNone(file)) return yield* Console.log(text.trimEnd())
  const files = yield* FileSystem.FileSystem
  yield* files.writeFileString(file.value, text)
})
