/** An operation of a peer, and its measurement. */

/** An operation to repeat: a synchronous one, or promises with a fixed number in flight. */
export type Operation =
  | { readonly now: () => unknown }
  | { readonly later: () => Promise<unknown>; readonly inFlight?: number }

export type Operations = Readonly<Record<string, Operation>>

/** The cost of an operation in microseconds: CPU time of all threads, and wall time. */
export interface Sample {
  readonly cpu: number
  readonly wall: number
}

/** The number of operations between two checks of the clock. */
const batch = 16

/** Repeats an operation until the time has elapsed. Runs at least one batch. */
export const measure = async (operation: Operation, millis: number): Promise<Sample> => {
  const before = process.cpuUsage()
  const start = performance.now()
  const end = start + millis
  let count = 0
  if ("now" in operation) {
    do {
      for (let index = 0; index < batch; index++) operation.now()
      count += batch
    } while (performance.now() < end)
  } else {
    const { inFlight = 1, later } = operation
    const each = Math.ceil(batch / inFlight)
    await Promise.all(Array.from({ length: inFlight }, async () => {
      do {
        for (let index = 0; index < each; index++) await later()
        count += each
      } while (performance.now() < end)
    }))
  }
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { cpu: (user + system) / count, wall: wall / count }
}

/** Runs an operation a given number of times. */
export const repeat = async (operation: Operation, times: number, inFlight: number): Promise<void> => {
  let left = times
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (left-- > 0) await ("now" in operation ? operation.now() : operation.later())
  }))
}
