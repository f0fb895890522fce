/**
 * The folder for files that tests write. It is in memory if there is room, because on a disk, tests would spend more
 * time waiting for journals and databases to be flushed than computing. No test cuts the power, so each test proves the
 * same in memory.
 */
import { accessSync, constants, mkdirSync, rmSync, statfsSync } from "node:fs"

const memory = "/dev/shm"

/** An upper limit for the bytes that all tests need at the same time. */
const needed = 2 * 1024 ** 3

const fits = (): boolean => {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= needed
  } catch {
    return false
  }
}

/**
 * The tests' folder in memory. Undefined if the tests write to the system's temporary folder, or to the folder that
 * `TMPDIR` names.
 */
export const scratch = process.env["TMPDIR"] === undefined && fits()
  ? `${memory}/effect-txc-${process.pid}`
  : undefined

/** Creates the folder before all tests. Returns a function that removes it, which Vitest calls after all tests. */
export const setup = (): (() => void) | undefined => {
  if (scratch === undefined) return
  mkdirSync(scratch)
  return () => rmSync(scratch, { recursive: true, force: true })
}
