import { it } from "effect-txc/explore/vitest"
import { saver } from "./bot.ts"

it.explore("the saver buys exactly once a day", saver, {
  runs: 50,
  regressions: [
    // Found on a Monday: the program was killed after it had bought, but before it had stored the purchase.
    { scenario: { order: 0, latency: { from: 20, to: 20 }, events: [{ _tag: "KillAtCall", call: 2, downMillis: 0 }] } }
  ]
})
