/**
 * Puts work off to the end of the turn of the event loop in which it arrives. Work of one kind in a row is faster than work
 * of several kinds by turns: what the processor has at hand serves for all of it.
 */

/** What takes work. All that it takes in one turn is done together, in the order in which it came. */
export type Turn = (work: () => void) => void

export const make = (): Turn => {
  let waiting: Array<() => void> = []
  const doAll = () => {
    const all = waiting
    waiting = []
    for (const work of all) work()
  }
  return (work) => {
    if (waiting.push(work) === 1) setImmediate(doAll)
  }
}
