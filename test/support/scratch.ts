/**
 * The folder of the files that tests write. It is in memory if there is room: on a disk, tests wait longer for journals
 * and databases to be flushed than they compute. No test cuts the power, so each proves the same in memory.
 */
import { accessSync, constants, mkdirSync, rmSync, statfsSync } from "node:fs"

const memory = "/dev/shm"

/** An upper bound on the bytes that all tests need at the same time. */
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

/** Undefined if the tests write into the system's temporary folder, or into the one that `TMPDIR` names. */
export const scratch = process.env["TMPDIR"] === undefined && fits()
  ? `${memory}/effect-txc-${process.pid}`
  : undefined

/** Vitest makes the folder before the tests, and removes it after them. */
export const setup = (): (() => void) | undefined => {
  if (scratch === undefined) return
  mkdirSync(scratch)
  return () => rmSync(scratch, { recursive: true, force: true })
}
