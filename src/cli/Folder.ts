/** Creates a folder with its missing parents. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"

/**
 * Creates a folder and its missing parents. Node's own recursive `mkdir` never returns in a file system like `/proc`,
 * which reports that the parent of a new folder does not exist, even if it does.
 */
export const make = Effect.fnUntraced(function*(
  folder: string,
  mode?: number
): Effect.fn.Return<void, PlatformError, FileSystem.FileSystem | Path.Path> {
  const files = yield* FileSystem.FileSystem
  const { dirname, resolve } = yield* Path.Path
  const isFolder = (at: string) =>
    Effect.orElseSucceed(Effect.map(files.stat(at), ({ type }) => type === "Directory"), () => false)
  const create = Effect.fnUntraced(function*(at: string): Effect.fn.Return<void, PlatformError> {
    if (yield* isFolder(at)) return
    if (at !== dirname(at)) yield* create(dirname(at))
    yield* Effect.catch(
      files.makeDirectory(at, mode === undefined ? {} : { mode }),
      // Another process may have created the folder in the meantime.
      (error) => Effect.flatMap(isFolder(at), (created) => created ? Effect.void : Effect.fail(error))
    )
  })
  yield* create(resolve(folder))
})
