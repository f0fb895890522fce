/**
 * Records which states, events and faults occurred in the histories of an exploration. The search varies scenarios in
 * which something new occurred.
 */
import type { History } from "./World.ts"

/**
 * The number of histories in which each state, event or fault occurred, keyed by its name, such as `order FILLED`,
 * `fault Reset on order/new` or `call lost order/new`.
 *
 * @category models
 */
export type Coverage = ReadonlyMap<string, number>

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/api/") + "/api/v4/".length)

/** Returns a name for each event that had no effect. The name includes the reason. */
export const refusedIn = ({ refusals }: History): ReadonlySet<string> =>
  new Set(refusals.map(({ event, why }) => `no effect ${event._tag}: ${why}`))

/**
 * Returns the class of a count: 0, 1, 2, some (up to 9) or many. The difference between larger counts is rarely
 * interesting.
 */
const classOf = (count: number): string => count < 3 ? String(count) : count < 10 ? "some" : "many"

/** Returns the names of all states, events and faults that occurred in a history. */
export const reachedBy = ({ events, marks, moment, reached }: History): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const name of reached) found.add(`reached ${name}`)
  for (const { what } of marks) found.add(`program ${what}`)
  found.add(`starts ${classOf(moment.starts)}`)
  for (const { event } of events) {
    found.add(event._tag === "OrderEnded" ? `order ${event.status}` : `event ${event._tag}`)
  }
  for (const { status } of moment.openOrders) found.add(`order ${status}`)
  for (const failure of moment.failures) found.add(`failure ${failure.slice(0, 80)}`)
  let before = ""
  for (const { fault, path, refused, verdict } of moment.calls) {
    if (fault !== undefined) found.add(`fault ${fault.symptom} on ${lastPart(path)}`)
    if (refused !== undefined) found.add(`refused ${refused} on ${lastPart(path)}`)
    const call = `${lastPart(path)} ${verdict}`
    found.add(`call ${before} > ${call}`)
    before = call
  }
  for (const { outcome, path } of moment.sent)
    if (outcome !== "answered") found.add(`call ${outcome} ${lastPart(path)}`)
  return found
}
