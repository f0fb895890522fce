/**
 * The frames in which a node responds to a request from another node. While a node is working on a request, it sends a
 * heartbeat every second, so that the other node can tell a slow node from a lost node.
 */

/** The kinds of frames, each with its number on the wire. */
export const kinds = {
  /** A heartbeat: the node is still working on the request. */
  alive: 0,
  /** The response without its body, as JSON. */
  head: 1,
  /** A part of the response body. */
  part: 2,
  /** The response body ends early, so the connection to the caller must be reset. */
  broken: 3
} as const

/** A frame after decoding. */
export interface Frame {
  /** The kind of frame: one of {@link kinds}. */
  readonly kind: number
  /** The frame's contents: JSON, a part of the body, or nothing. */
  readonly bytes: Uint8Array
}

const headLength = 5

/** Encodes a frame: its kind, its length and its contents. */
export const encode = (kind: number, bytes: Uint8Array = new Uint8Array(0)): Buffer => {
  const frame = Buffer.allocUnsafe(headLength + bytes.length)
  frame.writeUInt8(kind, 0)
  frame.writeUInt32BE(bytes.length, 1)
  frame.set(bytes, headLength)
  return frame
}

/** Creates a decoder, which takes bytes as they arrive, and returns the frames that these bytes complete. */
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
