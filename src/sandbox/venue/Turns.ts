/**
 * Shares the processor between feed readers and all other work. In each turn of the event loop, all readers together
 * read a limited number of entries, slice by slice, in the order in which they asked.
 */
import * as Effect from "effect/Effect"

/** A slice of a feed that a reader has read. */
interface Slice {
  readonly length: number
}

/** Waits for a turn, then reads one slice. */
export type Turns = <A extends Slice>(read: () => A) => Effect.Effect<A>

/** Creates turns. A turn ends once at least `perTurn` entries have been read. */
export const make = (perTurn: number): Turns => {
  let waiting: Array<() => number> = []
  let isScheduled = false

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(turn)
  }

  const turn = (): void => {
    let left = perTurn
    while (left > 0) {
      const read = waiting.shift()
      if (read === undefined) break
      // An empty slice counts as one entry, because it costs some work too.
      left -= Math.max(1, read())
    }
    isScheduled = false
    schedule()
  }

  return (read) =>
    Effect.callback((resume) => {
      const take = () => {
        const slice = read()
        resume(Effect.succeed(slice))
        return slice.length
      }
      waiting.push(take)
      schedule()
      return Effect.sync(() => {
        waiting = waiting.filter((other) => other !== take)
      })
    })
}
