/** Defines the flag `--file`, and writes a document to that file. */
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as FileProblem from "../client/FileProblem.ts"
import * as Flags from "./Flags.ts"
import { Refused } from "./Refused.ts"

export const flag = Flags.optional(Flag.File("file"), "The file to write; standard output by default")

/** Writes a document to the file, or to standard output. */
export const write = Effect.fnUntraced(function*(text: string, file: Option.Option<string>) {
  if (Option.isNone(file)) return yield* Console.log(text.trimEnd())
  const files = yield* FileSystem.FileSystem
  yield* Effect.mapError(
    files.writeFileString(file.value, text),
    (error) =>
      new Refused({
        wrong: `--file ${file.value} can't be written: ${FileProblem.of(error)}`,
        remedy: "Give a path that you may write to, in a folder that exists"
      })
  )
})
