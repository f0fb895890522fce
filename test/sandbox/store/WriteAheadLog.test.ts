import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as WriteAheadLog from "../../../src/sandbox/store/WriteAheadLog.ts"
import { failsWith } from "../../support/fails.ts"
import { scratchFile } from "../../support/files.ts"
import { isLong } from "../../support/long.ts"
import { property } from "../../support/property.ts"

const rules = "test"

const open = (file: string) => Journal.open(file, { rules })

/** A journal's two files as a killed process leaves them. */
interface Left {
  readonly database: Buffer
  readonly log: Buffer
  /** The log's length and the number of commands after each group. */
  readonly marks: ReadonlyArray<{ readonly length: number; readonly sequence: number }>
}

/** The log's format: https://www.sqlite.org/fileformat2.html#walformat */
const headerLength = 32
const frameLength = 24 + 4096

const command = (sequence: number, length: number): Command => ({
  at: sequence,
  action: { _tag: "OpenAccount", account: `${sequence}`.padEnd(length, "x"), b2b: false }
})

const leftOf = (file: string): Omit<Left, "marks"> => ({
  database: readFileSync(file),
  log: existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : Buffer.alloc(0)
})

const logLength = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** Appends groups of commands with the given lengths. */
const write = Effect.fnUntraced(
  function*(journal: Journal.Journal, file: string, groups: ReadonlyArray<ReadonlyArray<number>>) {
    const marks = [{ length: logLength(file), sequence: journal.sequence() }]
    let sequence = journal.sequence()
    for (const lengths of groups) {
      for (const length of lengths) journal.append(command(++sequence, length))
      yield* journal.committed
      marks.push({ length: logLength(file), sequence })
    }
    return { ...leftOf(file), marks } satisfies Left
  }
)

/** Returns the files of a new journal with these groups, as a killed process leaves them. */
const killed = (groups: ReadonlyArray<ReadonlyArray<number>>) =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* scratchFile
    return yield* write(yield* open(file), file, groups)
  }))

/** Restores a journal's database and log, and removes its other files. */
const put = (file: string, { database, log }: Pick<Left, "database" | "log">): void => {
  for (const part of ["-shm", "-anchor"]) rmSync(file + part, { force: true })
  writeFileSync(file, database)
  writeFileSync(`${file}-wal`, log)
}

/** Opens the journal and checks every command. Returns the number of commands, and the number of skipped bytes. */
const found = (file: string) =>
  Effect.scoped(Effect.gen(function*() {
    const journal = yield* open(file)
    let read = 0
    yield* journal.read(0, journal.sequence(), ({ at }, sequence) => {
      assert.strictEqual(at, sequence)
      read++
    })
    assert.strictEqual(read, journal.sequence())
    return { sequence: journal.sequence(), unfinished: journal.unfinished }
  }))

/** Checks that a journal can't be opened, even on a second attempt, and that `intact` commands can be salvaged. */
const refuses = Effect.fnUntraced(function*(file: string, left: Pick<Left, "database" | "log">, intact: number) {
  put(file, left)
  for (let time = 1; time <= 2; time++) {
    const error = yield* failsWith("JournalError")(Effect.scoped(open(file)))
    assert.deepStrictEqual([error.why, error.intact], ["damaged", intact])
    assert.isTrue(readFileSync(file).equals(left.database) && readFileSync(`${file}-wal`).equals(left.log))
  }
  const { error, lines } = yield* Journal.salvage(file)
  assert.deepStrictEqual([error?.why, lines.length], ["damaged", intact])
})

/** Returns the offsets of a log's frames, in one list per group. */
const framesOf = ({ log }: Left): ReadonlyArray<ReadonlyArray<number>> => {
  const groups: Array<Array<number>> = [[]]
  for (let at = headerLength; at < log.length; at += frameLength) {
    groups.at(-1)?.push(at)
    if (log.readUInt32BE(at + 4) !== 0 && at + frameLength < log.length) groups.push([])
  }
  return groups
}

const changed = (log: Buffer, at: number, change: (part: Buffer) => void, length = 1): Buffer => {
  const copy = Buffer.from(log)
  change(copy.subarray(at, at + length))
  return copy
}

const flip = (part: Buffer) => part.writeUInt8(part.readUInt8(0) ^ 0x10)

describe("logs that are truncated in their last group", () => {
  const groups = [[50], [200, 30], [5000, 60, 70]]

  it.live(
    "a log that is truncated in its last group is read up to the previous group, wherever it is truncated",
    () =>
      Effect.gen(function*() {
        const left = yield* killed(groups)
        const file = yield* scratchFile
        const [from = 0, to = 0] = left.marks.slice(-2).map(({ length }) => length)
        const starts = framesOf(left).flat()
        assert.isAtLeast(starts.filter((start) => start >= from).length, 3)
        for (let length = from; length <= to; length++) {
          const unfinished = length === to ? 0 : length - from
          const log = left.log.subarray(0, length)
          assert.deepStrictEqual(WriteAheadLog.inspect(log), { unfinished, damaged: false }, `${length}`)
          const inFrame = (length - headerLength) % frameLength
          if (inFrame > 25 && inFrame < frameLength - 1 && length % 331 !== 0) continue
          put(file, { ...left, log })
          assert.deepStrictEqual(yield* found(file), { sequence: length === to ? 6 : 3, unfinished }, `${length}`)
        }
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "an incomplete last group is overwritten by the next run, and the rest of the group is not treated as damage",
    () =>
      Effect.gen(function*() {
        // The last group has more frames than the next run overwrites before the test checks.
        const left = yield* killed([[50], [200, 30], [50_000]])
        const file = yield* scratchFile
        const commit = framesOf(left).at(-1)?.at(-1) ?? 0
        for (const length of [commit, commit + 24, commit + 2000, left.log.length - 1]) {
          put(file, { ...left, log: left.log.subarray(0, length) })
          const again = yield* Effect.scoped(Effect.flatMap(open(file), (journal) => write(journal, file, [[40]])))
          put(file, again)
          assert.deepStrictEqual(yield* found(file), { sequence: 4, unfinished: 0 })
        }
      }).pipe(Effect.scoped),
    600_000
  )

  it.effect(
    "no commands are lost if the log contains only a complete or partial header",
    () =>
      Effect.gen(function*() {
        const left = yield* killed(groups)
        const file = yield* scratchFile
        for (let length = 0; length <= headerLength; length++) {
          const log = left.log.subarray(0, length)
          assert.deepStrictEqual(WriteAheadLog.inspect(log), { unfinished: length, damaged: false })
        }
        put(file, { database: left.database, log: Buffer.alloc(headerLength) })
        assert.deepStrictEqual(yield* found(file), { sequence: 0, unfinished: headerLength })
      }).pipe(Effect.scoped),
    600_000
  )
})

describe("logs that are damaged before their last group", () => {
  // The second-to-last group has only one frame.
  const groups = [[50], [200, 30], [4000, 60, 70], [20], [80], [30]]

  it.live(
    "a log damaged before its last group is refused each time with the number of intact commands, and stays unchanged",
    () =>
      Effect.gen(function*() {
        const left = yield* killed(groups)
        const file = yield* scratchFile
        const frames = framesOf(left)
        const ofSetUp = frames.length - groups.length
        const intactBefore = (group: number) => left.marks[Math.max(0, group - ofSetUp)]?.sequence ?? 0
        const lastGroup = frames.at(-1)?.[0] ?? 0
        let sampled = 0
        for (const [group, starts] of frames.slice(0, -1).entries()) {
          for (const start of starts) {
            const logs = [
              ...Array.from({ length: 24 }, (_, at) => changed(left.log, start + at, flip)),
              ...[24, 1000, frameLength - 1].map((at) => changed(left.log, start + at, flip)),
              ...[[0, 24], [0, 512], [0, frameLength], [24, 4096], [3000, 4096]].map(([at = 0, length = 0]) =>
                changed(left.log, start + at, (part) => part.fill(0), Math.min(length, lastGroup - start - at))
              )
            ]
            for (const log of logs) {
              // Overwriting zeros with zeros changes nothing.
              if (log.equals(left.log)) continue
              assert.deepStrictEqual(WriteAheadLog.inspect(log), { unfinished: 0, damaged: true }, `frame at ${start}`)
              if (sampled++ % 17 === 0) yield* refuses(file, { ...left, log }, intactBefore(group))
            }
          }
        }
        assert.isAbove(sampled, 300)
      }).pipe(Effect.scoped),
    600_000
  )

  it.live("a log with any damaged byte in its header is refused", () =>
    Effect.gen(function*() {
      const left = yield* killed(groups)
      const file = yield* scratchFile
      for (let at = 0; at < headerLength; at++) {
        assert.isTrue(WriteAheadLog.inspect(changed(left.log, at, flip)).damaged, `${at}`)
      }
      yield* refuses(file, { ...left, log: changed(left.log, 20, flip) }, 0)
    }).pipe(Effect.scoped), 600_000)

  it.effect(
    "a log damaged in its last group before the commit frame is refused, because the group was on disk",
    () =>
      Effect.gen(function*() {
        const left = yield* killed([[50], [5000, 5000]])
        const file = yield* scratchFile
        const last = framesOf(left).at(-1) ?? []
        assert.isAtLeast(last.length, 3)
        for (const start of last.slice(0, -1)) {
          yield* refuses(file, { ...left, log: changed(left.log, start + 100, flip) }, 1)
        }
      }).pipe(Effect.scoped),
    600_000
  )
})

describe("logs that are reused", () => {
  it.live(
    "old frames after the current frames in a reused log are not treated as damage, wherever the log ends",
    () =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        const copy = `${file}-copy`
        const journal = yield* open(file)
        // These commands are enough to make SQLite restart the log.
        yield* write(journal, file, Array.from({ length: 40 }, () => [100_000, 20_000]))
        let before = leftOf(file).log
        let between = 0
        const rounds = isLong ? 30 : 10
        for (let round = 0; round < rounds; round++) {
          const { database, log, marks } = yield* write(journal, file, [[3000 * (round % 5), 10], [9000]])
          put(copy, { database, log })
          assert.deepStrictEqual(yield* found(copy), { sequence: marks.at(-1)?.sequence, unfinished: 0 })
          const starts = Array.from(
            { length: (log.length - headerLength) / frameLength },
            (_, n) => n * frameLength + 32
          )
          const own = starts.filter((start) => log.subarray(start + 8, start + 16).equals(log.subarray(16, 24)))
          if (own.length < starts.length) between++
          // A crash has left the last two groups partly written over older frames.
          const from = own.findIndex((start) =>
            !log.subarray(start, start + 24).equals(before.subarray(start, start + 24))
          )
          for (const part of [1, 20, 30, 3000, frameLength, frameLength + 10, 2 * frameLength + 24]) {
            const end = (own[from] ?? 0) + part
            const torn = Buffer.concat([log.subarray(0, end), before.subarray(end)])
            assert.isFalse(WriteAheadLog.inspect(torn).damaged)
          }
          before = log
        }
        assert.isAbove(between, rounds / 2)
      }).pipe(Effect.scoped),
    600_000
  )
})

describe("logs with any content", () => {
  const group = fc.array(fc.oneof({ weight: 5, arbitrary: fc.nat(300) }, fc.nat(20_000)), {
    minLength: 1,
    maxLength: 6
  })

  property(
    "a log is read as far as SQLite reads it, up to the last complete group",
    [fc.array(group, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 8 })],
    (groups, cuts) =>
      Effect.gen(function*() {
        const left = yield* killed(groups)
        const file = yield* scratchFile
        const [{ length: first } = { length: 0 }] = left.marks
        for (const cut of cuts) {
          const length = first + cut % (left.log.length - first + 1)
          put(file, { ...left, log: left.log.subarray(0, length) })
          const whole = left.marks.findLast((mark) => mark.length <= length)
          const unfinished = length - (whole?.length ?? 0)
          assert.deepStrictEqual(yield* found(file), { sequence: whole?.sequence ?? 0, unfinished })
        }
      }),
    { runs: 15 }
  )
})
