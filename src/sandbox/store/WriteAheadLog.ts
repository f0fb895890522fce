/**
 * Finds the part of a write-ahead log that SQLite silently skips: everything after the first frame with a wrong
 * checksum. Skipping an incomplete last group is acceptable: the power failed while it was being written, so no reply
 * to its commands was sent. A group that is followed by later groups must not be skipped.
 *
 * The format is part of SQLite's file format: https://www.sqlite.org/fileformat2.html#walformat
 */

/** The result of examining a log. */
export interface Inspection {
  /** The size of the incomplete group at the end, in bytes. */
  readonly unfinished: number
  /** Whether any complete groups can no longer be read. */
  readonly damaged: boolean
}

/** The length of the log's header, in bytes. A log of that length or less is empty. */
export const headerLength = 32
const frameHeaderLength = 24

/** The log's magic number. If its lowest bit is set, the checksums read the log as big-endian numbers. */
const magic = 0x377f0682

/** Continues a checksum over the next `length` bytes; `length` is a multiple of eight. */
const checksum = (
  log: DataView,
  littleEndian: boolean,
  [first, second]: readonly [number, number],
  from: number,
  length: number
): readonly [number, number] => {
  let a = first
  let b = second
  for (let at = from; at < from + length; at += 8) {
    a = (a + log.getUint32(at, littleEndian) + b) >>> 0
    b = (b + log.getUint32(at + 4, littleEndian) + a) >>> 0
  }
  return [a, b]
}

const isChecksum = (log: DataView, at: number, [a, b]: readonly [number, number]): boolean =>
  log.getUint32(at) === a && log.getUint32(at + 4) === b

/** Reads a log as SQLite does, then examines the bytes after the position where SQLite stops. */
export const inspect = (bytes: Uint8Array): Inspection => {
  // A log without a frame contains nothing that SQLite could skip.
  if (bytes.length <= headerLength) return { unfinished: bytes.length, damaged: false }
  const log = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const littleEndian = log.getUint32(0) === magic
  let sum = checksum(log, littleEndian, [0, 0], 0, 24)
  if ((log.getUint32(0) & ~1) >>> 0 !== magic || !isChecksum(log, 24, sum)) return { unfinished: 0, damaged: true }
  const frameLength = frameHeaderLength + log.getUint32(8)

  /** Whether a frame belongs to this log, rather than being left over from an earlier use of the file. */
  const isOwn = (at: number): boolean =>
    at + 16 <= bytes.length && log.getUint32(at + 8) === log.getUint32(16) &&
    log.getUint32(at + 12) === log.getUint32(20)
  const isCommit = (at: number): boolean => log.getUint32(at + 4) !== 0

  let at = headerLength
  let end = at
  while (at + frameLength <= bytes.length && isOwn(at)) {
    sum = checksum(log, littleEndian, sum, at, 8)
    sum = checksum(log, littleEndian, sum, at + frameHeaderLength, frameLength - frameHeaderLength)
    if (!isChecksum(log, at + 16, sum)) break
    const last = at
    at += frameLength
    if (isCommit(last)) end = at
  }
  // If the rest is too short to tell which log it belongs to, it is treated as part of this log.
  let after = at + 16 > bytes.length ? bytes.length : at
  let damaged = false
  for (let frame = at; frame + 16 <= bytes.length; frame += frameLength) {
    if (!isOwn(frame)) continue
    // A commit frame is the last of its group. So frames after an unreadable commit frame were written after that
    // commit was durable, and frames before it were written before the commit.
    if (isCommit(frame) && (frame > at || isOwn(frame + frameLength))) damaged = true
    after = Math.min(frame + frameLength, bytes.length)
  }
  return { unfinished: damaged ? 0 : after - end, damaged }
}
