/** A small in-memory disk that a test can fill. Only root can mount such a disk. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"

/** A disk that a test can fill. */
export interface SmallDisk {
  /** Fills the disk. */
  readonly fill: Effect.Effect<void>
  /** Frees the disk again. */
  readonly free: Effect.Effect<void>
}

/** Whether this process may mount a disk. */
export const canMount = process.platform === "linux" && process.getuid?.() === 0

/** Writes smaller and smaller pieces until the disk is full. */
const writeAll = (file: string): void => {
  const descriptor = openSync(file, "a")
  for (let length = 1024 * 1024; length >= 1; length = Math.floor(length / 16)) {
    const bytes = Buffer.alloc(length)
    try {
      for (;;) writeSync(descriptor, bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
    }
  }
  closeSync(descriptor)
}

/** Mounts a disk of this size on a folder, until the scope is closed. */
export const smallDisk = (folder: string, megabytes: number): Effect.Effect<SmallDisk, never, Scope.Scope> => {
  const ballast = join(folder, "ballast")
  return Effect.acquireRelease(
    Effect.sync(() => {
      const made = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder])
      if (made.status !== 0) throw new Error(`mount failed: ${made.stderr.toString()}`)
      return {
        fill: Effect.sync(() => writeAll(ballast)),
        free: Effect.sync(() => rmSync(ballast, { force: true }))
      }
    }),
    () => Effect.sync(() => spawnSync("umount", ["--lazy", folder]))
  )
}
