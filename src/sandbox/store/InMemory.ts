/** The journal of a venue that keeps nothing: it is in memory only, and ends at a bound. */

/** The name that stands for no file: the journal is kept in memory only. */
export const inMemory = ":memory:"

/** How many bytes a journal in memory takes at most. When it is full, its venue is halted, as when a disk is full. */
export const maxInMemory: number = 256 * 1024 * 1024
