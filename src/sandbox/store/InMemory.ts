/**
 * The journal of a venue that keeps nothing: it is in memory only, and ends at a bound.
 *
 * @since 0.1.0
 */

/**
 * The name that stands for no file: the journal is kept in memory only.
 *
 * @category form
 * @since 0.1.0
 */
export const inMemory = ":memory:"

/**
 * How many bytes a journal in memory takes at most. When it is full, its venue is halted, as when a disk is full.
 *
 * @category bounds
 * @since 0.1.0
 */
export const maxInMemory: number = 256 * 1024 * 1024
