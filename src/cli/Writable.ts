/** Refuses files and folders for results that cannot be written, before a long run whose results would be lost. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as FileProblem from "../client/FileProblem.ts"
import * as Folder from "./Folder.ts"
import { Refused } from "./Refused.ts"

/** A flag and the path that it was given. */
type Given = readonly [flag: string, path: Option.Option<string>]

const remedy = "Give a path that you may write to, in a folder that exists"

/** Checks that the file can be written and the folder can be created. Neither loses its contents. */
export const check = Effect.fnUntraced(
  function*({ file: [flag, file], folder: [folderFlag, folder] }: { readonly file: Given; readonly folder: Given }) {
    const files = yield* FileSystem.FileSystem
    if (Option.isSome(file)) {
      yield* Effect.mapError(
        files.writeFileString(file.value, "", { flag: "a" }),
        (error) => new Refused({ wrong: `${flag} ${file.value} cannot be written: ${FileProblem.of(error)}`, remedy })
      )
    }
    if (Option.isSome(folder)) {
      yield* Effect.mapError(
        Folder.make(folder.value),
        (error) =>
          new Refused({ wrong: `${folderFlag} ${folder.value} cannot be created: ${FileProblem.of(error)}`, remedy })
      )
    }
  }
)
