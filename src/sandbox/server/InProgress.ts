/**
 * Limits the calls in progress per venue and per caller, so that no venue or caller can use up the capacity that others
 * need. Behind a proxy, all callers have the same address, so limits per address are not enough.
 */
import * as Quotas from "../gateway/Quotas.ts"
import * as Bounds from "./Bounds.ts"

/** Counts the calls in progress of each venue and each caller. */
export interface InProgress {
  /**
   * Adds a caller's call to a venue, and returns a function that removes the call; `undefined` if the venue or the
   * caller has too many calls in progress.
   */
  readonly begin: (venue: string, caller: string) => (() => void) | undefined
}

export const make = (): InProgress => {
  const ofVenues = Quotas.make(Infinity, Bounds.maxUnanswered.ofVenue)
  const ofCallers = Quotas.make(Infinity, Bounds.maxUnanswered.ofCaller)
  return {
    begin: (venue, caller) => {
      // Ids contain no space, so the combined key is unambiguous.
      const own = `${venue} ${caller}`
      if (!ofCallers.take(own, 1)) return undefined
      if (!ofVenues.take(venue, 1)) {
        ofCallers.giveBack(own, 1)
        return undefined
      }
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        ofCallers.giveBack(own, 1)
        ofVenues.giveBack(venue, 1)
      }
    }
  }
}
