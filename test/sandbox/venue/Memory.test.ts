import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as Snapshot from "../../../src/sandbox/store/Snapshot.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { inProcess } from "../../support/exchange.ts"
import { scratchFile } from "../../support/files.ts"
import { signed } from "../../support/signed.ts"

/** Calls whose orders trade, rest, are canceled or wait for a price. Every call becomes a command. */
const call = (dialect: Dialect.Dialect, n: number) => {
  const order = { market: "BTC_USDT", amount: "0.01", side: n % 2 === 0 ? "buy" : "sell" }
  switch (n % 8) {
    case 5:
      return signed(dialect, "/api/v4/order/stop_limit", { ...order, price: "900", activation_price: "950" })
    case 6:
      return signed(dialect, "/api/v4/order/new", { ...order, price: "890", clientOrderId: `order-${n}` })
    case 7:
      return signed(dialect, "/api/v4/order/cancel/all", { market: "BTC_USDT" })
    default:
      return signed(dialect, "/api/v4/order/new", { ...order, price: "1000", clientOrderId: `order-${n}` })
  }
}

describe.each([Dialect.document, Dialect.live])("the memory use of a command in the $name dialect", (dialect) => {
  it.live(
    "a command uses no more memory in the state and the journal than the server's limits assume",
    () =>
      Effect.gen(function*() {
        const venue = yield* Venue
        const unlimited = { calls: 1_000_000, perSeconds: 1 }
        venue.limits.override(unlimited, undefined)
        const file = yield* scratchFile
        /**
         * Measures the state and the journal after these calls. The journal is copied into a temporary database, which
         * is closed with the scope.
         */
        const after = Effect.fnUntraced(function*(from: number, to: number) {
          for (let n = from; n < to; n++) {
            const answer = yield* venue.handle(call(dialect, n))
            assert.strictEqual(answer._tag, "Answer")
          }
          const path = `${file}-${to}`
          yield* Effect.scoped(Effect.gen(function*() {
            const copy = yield* Journal.open(path, { rules: "test" })
            yield* venue.journal.read(0, venue.sequence(), copy.append)
            yield* copy.committed
          }))
          return {
            commands: venue.sequence(),
            state: Snapshot.encode(venue.state).length,
            journal: readFileSync(path).length
          }
        })
        const first = yield* after(0, 1600)
        const last = yield* after(1600, 4000)
        const commands = last.commands - first.commands
        assert.strictEqual(commands, 2400)
        assert.isAbove(venue.state.endedOrders.size, 0)
        assert.isBelow((last.state - first.state) / commands, Server.maxPerCommand.ofState)
        assert.isBelow((last.journal - first.journal) / commands, Server.maxPerCommand.ofJournal)
        // The README states this number for a sandbox in memory.
        assert.isAtLeast(Journal.maxInMemory / Server.maxPerCommand.ofJournal, 500_000)
      }).pipe(Effect.scoped, Effect.provide(inProcess(dialect))),
    600_000
  )
})
