import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as fc from "fast-check"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Anchor from "../../../src/sandbox/store/Anchor.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import { failsWith } from "../../support/fails.ts"
import { scratchFile } from "../../support/files.ts"
import { property } from "../../support/property.ts"

const rules = "test"

const parts = ["", "-wal", "-anchor"]

const open = (file: string) => Journal.open(file, { rules })

const command = (sequence: number): Command => ({
  at: sequence,
  action: { _tag: "OpenAccount", account: `account ${sequence}`, b2b: false }
})

/** Appends groups of these sizes. Returns the last command's number and the log's length after each group. */
const written = Effect.fnUntraced(function*(file: string, groups: ReadonlyArray<number>) {
  const journal = yield* open(file)
  const marks: Array<{ readonly sequence: number; readonly length: number }> = []
  for (const group of groups) {
    for (let n = 0; n < group; n++) journal.append(command(marks.length * 100 + n))
    yield* journal.committed
    marks.push({ sequence: journal.sequence(), length: statSync(`${file}-wal`).size })
  }
  return marks
})

/** Returns a journal with these groups as a killed process leaves it, and the log's length after each group. */
const killed = Effect.fnUntraced(function*(groups: ReadonlyArray<number>) {
  const file = yield* scratchFile
  const copy = `${file}-killed`
  const marks = yield* Effect.scoped(Effect.tap(written(file, groups), () =>
    Effect.sync(() => {
      for (const part of parts) copyFileSync(file + part, copy + part)
    })))
  return { file: copy, marks }
})

const refused = (file: string) => failsWith("JournalError")(Effect.scoped(open(file)))

const sequenceOf = (file: string) => Effect.scoped(Effect.map(open(file), (journal) => journal.sequence()))

const sql = (file: string, statement: string) => {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}

describe("losses in a journal", () => {
  property(
    "lost groups at the end of the log are detected, however many were lost and however often the journal is opened",
    [fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }), fc.nat()],
    (groups, pick) =>
      Effect.gen(function*() {
        const { file, marks } = yield* killed(groups)
        const kept = pick % groups.length
        truncateSync(`${file}-wal`, kept === 0 ? 0 : marks[kept - 1]?.length ?? 0)
        for (let time = 1; time <= 2; time++) {
          const error = yield* refused(file)
          const intact = kept === 0 ? 0 : marks[kept - 1]?.sequence
          assert.deepStrictEqual([error.why, error.intact], ["damaged", intact])
        }
        const { error, lines } = yield* Journal.salvage(file)
        assert.deepStrictEqual([error?.why, lines.length], ["damaged", kept === 0 ? 0 : marks[kept - 1]?.sequence])
      }),
    { runs: 20 }
  )

  it.live("a journal detects that its log, its database or both were deleted", () =>
    Effect.gen(function*() {
      for (const gone of [["-wal"], [""], ["", "-wal"], ["", "-anchor"]]) {
        const { file } = yield* killed([2, 3])
        for (const part of gone) rmSync(file + part)
        const error = yield* refused(file)
        assert.deepStrictEqual([error.why, error.intact], ["damaged", 0], gone.join())
        // The remaining files of a refused journal stay in place.
        for (const part of parts) assert.strictEqual(existsSync(file + part), !gone.includes(part), gone.join() + part)
      }
      const { file } = yield* killed([2, 3])
      truncateSync(file, 0)
      assert.strictEqual((yield* refused(file)).why, "damaged")
      // If no file is left, the journal is treated as new.
      for (const part of parts) rmSync(file + part)
      assert.strictEqual(yield* sequenceOf(file), 0)
    }).pipe(Effect.scoped))

  it.live("a journal detects that its last entries were deleted, or that its table is an older copy", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* Effect.scoped(written(file, [3]))
      copyFileSync(file, `${file}-older`)
      yield* Effect.scoped(written(file, [2]))
      copyFileSync(file, `${file}-newer`)
      sql(file, "DELETE FROM journal WHERE sequence > 3")
      assert.deepInclude(yield* refused(file), { why: "damaged", intact: 3 })
      copyFileSync(`${file}-older`, file)
      assert.deepInclude(yield* refused(file), { why: "damaged", intact: 3 })
      copyFileSync(`${file}-newer`, file)
      assert.strictEqual(yield* sequenceOf(file), 5)
    }).pipe(Effect.scoped))

  it.live("a journal detects that its entries were replaced by entries from another intact journal", () =>
    Effect.gen(function*() {
      const [mine, others] = [yield* scratchFile, yield* scratchFile]
      yield* Effect.scoped(written(mine, [1, 1]))
      yield* Effect.scoped(written(others, [2]))
      copyFileSync(others, mine)
      const { reason, why } = yield* refused(mine)
      assert.strictEqual(why, "damaged")
      assert.include(reason, "entry 2 was changed after it was written")
    }).pipe(Effect.scoped))
})

describe("journal anchors", () => {
  it.live("an anchor that is older than its journal is not damage, because a power failure can prevent the anchor from being written", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* Effect.scoped(Effect.gen(function*() {
        yield* written(file, [3])
        copyFileSync(`${file}-anchor`, `${file}-behind`)
      }))
      yield* Effect.scoped(written(file, [2]))
      copyFileSync(`${file}-behind`, `${file}-anchor`)
      assert.strictEqual(yield* sequenceOf(file), 5)
    }).pipe(Effect.scoped))

  it.live("an anchor is valid at any time during a write, because one of its two slots is always intact", () =>
    Effect.gen(function*() {
      const { file, marks } = yield* killed([1, 1, 1, 1])
      const bytes = readFileSync(`${file}-anchor`)
      assert.strictEqual(bytes.length, 1024)
      const known: Array<number | undefined> = []
      for (const slot of [0, 512]) {
        for (const at of [0, 1, 40, 85]) {
          const torn = Buffer.from(bytes)
          torn.writeUInt8(torn.readUInt8(slot + at) ^ 1, slot + at)
          writeFileSync(`${file}-anchor`, torn)
          const found = Anchor.read(file)
          known.push(found._tag === "Success" ? found.success?.sequence : undefined)
        }
      }
      assert.deepStrictEqual([...new Set(known)].toSorted((a = 0, b = 0) => a - b), [
        marks.at(-2)?.sequence,
        marks.at(-1)?.sequence
      ])
      writeFileSync(`${file}-anchor`, Buffer.alloc(1024))
      assert.include((yield* refused(file)).reason, "its anchor can't be read")
    }).pipe(Effect.scoped))

  it.live("a missing anchor is recreated, with a warning that losses can't be detected", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const said: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => said.push(message))])
      const venue = Venue.make({ dialect: Dialect.document, file })
      const account = { _tag: "OpenAccount", account: "a", b2b: false } as const
      yield* Effect.scoped(Effect.flatMap(venue, ({ perform }) => perform(account))).pipe(Effect.provide(logger))
      assert.deepStrictEqual(said, [])
      rmSync(`${file}-anchor`)
      for (let time = 1; time <= 2; time++) yield* Effect.scoped(venue).pipe(Effect.provide(logger))
      assert.strictEqual(said.length, 1)
      assert.match(String(said[0]), /has no anchor next to it/u)
    }).pipe(Effect.scoped))

  it.live("only its owner can read an anchor", () =>
    Effect.gen(function*() {
      const { file } = yield* killed([1])
      assert.strictEqual(statSync(Anchor.fileOf(file)).mode & 0o077, 0)
    }).pipe(Effect.scoped))
})

describe("files that already exist", () => {
  it.live("opening an existing journal restricts the permissions of the journal and its other files", () =>
    Effect.gen(function*() {
      const { file } = yield* killed([2])
      const empty = yield* scratchFile
      writeFileSync(empty, "")
      for (const path of [file, `${file}-wal`, empty]) chmodSync(path, 0o644)
      for (const path of [file, empty]) {
        yield* Effect.scoped(Effect.gen(function*() {
          const journal = yield* open(path)
          journal.append(command(9))
          yield* journal.committed
          for (const part of parts) assert.strictEqual(statSync(path + part).mode & 0o777, 0o600, path + part)
        }))
      }
    }).pipe(Effect.scoped))

  it.live("another program's database keeps its file permissions", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      sql(file, "CREATE TABLE letters (text TEXT)")
      chmodSync(file, 0o644)
      assert.strictEqual((yield* refused(file)).why, "foreign")
      assert.strictEqual(statSync(file).mode & 0o777, 0o644)
    }).pipe(Effect.scoped))

  it.live("a journal whose stored rules are missing can't be opened", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* Effect.scoped(written(file, [2]))
      sql(file, "DELETE FROM venue")
      assert.deepInclude(yield* refused(file), { why: "damaged", intact: 2 })
    }).pipe(Effect.scoped))
})
