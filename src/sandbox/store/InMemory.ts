/** The journal of a venue without a file. It is kept in memory, up to a maximum size. */

/** The file name of a journal that is kept in memory only. */
export const inMemory = ":memory:"

/** The maximum size of a journal in memory, in bytes. At this size, the venue halts, as when a disk is full. */
export const maxInMemory: number = 256 * 1024 * 1024
