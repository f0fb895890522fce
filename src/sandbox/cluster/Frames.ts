/**
 * How a node answers another: in frames, so that an answer that is long in coming is told from a node that is gone. A node
 * that is there says so every second, whatever it waits for.
 */

/** What a frame is. */
export const kinds = {
  /** The node is there. */
  alive: 0,
  /** All but the body of an answer, as JSON. */
  head: 1,
  /** A part of the body. */
  part: 2,
  /** The body breaks here. */
  broken: 3
} as const

/** A frame. */
export interface Frame {
  /** One of {@link kinds}. */
  readonly kind: number
  /** What is in it. */
  readonly bytes: Uint8Array
}

const headLength = 5

/** A frame as bytes: its kind, how long it is, and what is in it. */
export const encode = (kind: number, bytes: Uint8Array = new Uint8Array(0)): Buffer => {
  const frame = Buffer.allocUnsafe(headLength + bytes.length)
  frame.writeUInt8(kind, 0)
  frame.writeUInt32BE(bytes.length, 1)
  frame.set(bytes, headLength)
  return frame
}

/** What takes bytes as they arrive, and gives the frames that they complete. */
export const decoder = (): (bytes: Uint8Array) => ReadonlyArray<Frame> => {
  let parts: Array<Uint8Array> = []
  let length = 0
  let needed = headLength
  return (bytes) => {
    parts.push(bytes)
    length += bytes.length
    const frames: Array<Frame> = []
    if (length < needed) return frames
    let rest = Buffer.concat(parts)
    for (;;) {
      needed = rest.length < headLength ? headLength : headLength + rest.readUInt32BE(1)
      if (rest.length < needed) break
      frames.push({ kind: rest.readUInt8(0), bytes: rest.subarray(headLength, needed) })
      rest = rest.subarray(needed)
    }
    parts = [rest]
    length = rest.length
    return frames
  }
}
