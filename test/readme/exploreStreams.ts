import { Invariant } from "effect-txc/explore"

export const keepsUp = Invariant.always(
  "the program's price is never older than the last pushed one",
  ({ now, pushed, said, starts }) => {
    const last = pushed.findLast(({ channel, process }) => channel === "lastprice" && process === starts)
    // The program needs a moment to read a message that has just arrived.
    if (last === undefined || last.at === now) return true
    const [, price] = Array.isArray(last.params) ? last.params : []
    return said.get("price")?.value === price || `the last pushed price is ${price}`
  }
)
