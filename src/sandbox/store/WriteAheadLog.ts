/**
 * What SQLite would silently leave out when it reads its write-ahead log: everything after the first frame whose checksum
 * is wrong. A group that was being written when the power failed may be left out, because no answer to it has left; a
 * group that others follow may not.
 *
 * The form of the log is part of SQLite's file format: https://www.sqlite.org/fileformat2.html#walformat
 *
 * @since 0.1.0
 */

/**
 * - `unfinished`: so many bytes at the end are of a group that was not wholly written
 * - `damaged`: groups that were wholly written can't be read any more
 *
 * @category models
 * @since 0.1.0
 */
export interface Inspection {
  readonly unfinished: number
  readonly damaged: boolean
}

const headerLength = 32
const frameHeaderLength = 24

/** The last bit of the log's magic number says in which byte order the checksums are computed. */
const magic = 0x377f0682

/** Continues a checksum over so many bytes, which are a multiple of eight. */
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

/**
 * Reads a log as SQLite does, and then what comes after the place where SQLite stops.
 *
 * @category reading
 * @since 0.1.0
 */
export const inspect = (bytes: Uint8Array): Inspection => {
  // Without a frame there is nothing to be lost.
  if (bytes.length <= headerLength) return { unfinished: bytes.length, damaged: false }
  const log = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const littleEndian = log.getUint32(0) === magic
  let sum = checksum(log, littleEndian, [0, 0], 0, 24)
  if ((log.getUint32(0) & ~1) >>> 0 !== magic || !isChecksum(log, 24, sum)) return { unfinished: 0, damaged: true }
  const frameLength = frameHeaderLength + log.getUint32(8)

  /** A frame of this log, and not one that an earlier use of the file has left behind. */
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
  // The rest of a frame that is too short to tell whose it is would have been this log's.
  let after = at + 16 > bytes.length ? bytes.length : at
  let damaged = false
  for (let frame = at; frame + 16 <= bytes.length; frame += frameLength) {
    if (!isOwn(frame)) continue
    // A group ends with its commit, so whatever is behind one that can't be read was written after it was on the disk;
    // and a commit was written after all that is before it.
    if (isCommit(frame) && (frame > at || isOwn(frame + frameLength))) damaged = true
    after = Math.min(frame + frameLength, bytes.length)
  }
  return { unfinished: damaged ? 0 : after - end, damaged }
}
