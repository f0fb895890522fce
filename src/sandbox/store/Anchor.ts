/**
 * A journal's anchor is a small file, next to the database, that records the last durable entry. It reveals when whole
 * groups are missing at the end of the journal, which the database and its log can't reveal.
 *
 * The anchor is written after a group has become durable and before any reply to the group is sent, so it is never
 * ahead of the database. After a power failure the anchor might be behind, because it is forced to disk only when a
 * journal is opened, when a snapshot is written, and when the journal is closed.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import * as Chain from "./Chain.ts"
import { inMemory } from "./InMemory.ts"
import { damaged, fromSqlite, type JournalError } from "./JournalError.ts"

/** An open journal's anchor. */
export interface Anchor {
  /** Writes the last durable entry. This function can throw a file system error. */
  readonly write: (end: Chain.End) => void
  /** Forces the last write to disk. This function can throw a file system error. */
  readonly sync: () => void
}

/** The path of a journal's anchor file. */
export const fileOf = (file: string): string => `${file}-anchor`

/**
 * The length of a slot, in bytes. The file has two slots, each in its own sector; they are written alternately. If the
 * power fails during a write, the other slot is still valid.
 */
const slotLength = 512

const sealOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

const toSlot = ({ link, sequence }: Chain.End): Buffer => {
  const text = `${sequence} ${Buffer.from(link).toString("hex")}`
  return Buffer.from(`${`${text} ${sealOf(text)}`.padEnd(slotLength - 1)}\n`)
}

const form = /^((\d{1,15}) ([0-9a-f]{64})) ([0-9a-f]{16}) *\n?$/u

const fromSlot = (slot: Buffer): Chain.End | undefined => {
  const [, text = "", sequence = "", link = "", seal] = form.exec(slot.toString("latin1")) ?? []
  return seal === sealOf(text) ? { sequence: Number(sequence), link: Buffer.from(link, "hex") } : undefined
}

const latest = (slots: ReadonlyArray<Chain.End | undefined>): Chain.End | undefined => {
  const [first, second] = slots
  return first === undefined || (second !== undefined && second.sequence > first.sequence) ? second : first
}

/** The last entry recorded in a journal's anchor; `undefined` if the journal has no anchor. */
export const read = (file: string): Result.Result<Chain.End | undefined, JournalError> => {
  const path = fileOf(file)
  if (!existsSync(path)) return Result.succeed(undefined)
  return Result.flatMap(
    Result.try({ try: () => readFileSync(path), catch: fromSqlite(file) }),
    (bytes): Result.Result<Chain.End, JournalError> => {
      const end = latest([0, slotLength].map((at) => fromSlot(bytes.subarray(at, at + slotLength))))
      if (end !== undefined) return Result.succeed(end)
      return Result.fail(
        damaged(file, `its anchor can't be read. To continue with the remaining commands, delete ${path}`)
      )
    }
  )
}

/** Atomically replaces the file with a new one, in which both slots contain this entry. */
const replace = (path: string, end: Chain.End): void => {
  const next = openSync(`${path}-new`, "w", 0o600)
  writeSync(next, Buffer.concat([toSlot(end), toSlot(end)]))
  fsyncSync(next)
  closeSync(next)
  renameSync(`${path}-new`, path)
}

const none: Anchor = { write: () => undefined, sync: () => undefined }

/**
 * Opens the anchor of a journal that ends at the entry `end`. The anchor closes when the scope closes. A journal in
 * memory has no anchor.
 */
export const open = Effect.fnUntraced(function*(
  file: string,
  end: Chain.End
): Effect.fn.Return<Anchor, JournalError, Scope.Scope> {
  if (file === inMemory) return none
  const path = fileOf(file)
  const opened = Effect.try({
    try: () => {
      replace(path, end)
      return openSync(path, "r+")
    },
    catch: fromSqlite(file)
  })
  const descriptor = yield* Effect.acquireRelease(opened, (descriptor) =>
    Effect.sync(() => {
      Result.try(() => fsyncSync(descriptor))
      closeSync(descriptor)
    }))
  let slot = 0
  return {
    write: (end) => {
      writeSync(descriptor, toSlot(end), 0, slotLength, slot * slotLength)
      slot = 1 - slot
    },
    sync: () => fsyncSync(descriptor)
  }
})
