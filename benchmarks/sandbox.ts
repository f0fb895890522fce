/** The sandbox: its engine, its journal, and whole calls without a socket. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Dialect from "../src/protocol/Dialect.ts"
import * as Control from "../src/sandbox/control/Control.ts"
import type { Action } from "../src/sandbox/engine/Command.ts"
import * as Engine from "../src/sandbox/engine/Engine.ts"
import type { Operation as Asked } from "../src/sandbox/engine/Operation.ts"
import * as State from "../src/sandbox/engine/State.ts"
import * as Example from "../src/sandbox/Example.ts"
import * as Journal from "../src/sandbox/store/Journal.ts"
import * as Venue from "../src/sandbox/Venue.ts"
import { signed, stopLimit } from "./floor.ts"
import { account, book, command, type Operations } from "./operation.ts"

const folder = mkdtempSync(join(tmpdir(), "effect-txc-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

/** An exchange in which one account makes a market, and another takes. */
const engine = () => {
  const state = State.make(Dialect.document.rules)
  let at = 1_700_000_000_000_000
  const send = (action: Action) => Engine.apply(state, { at: ++at, action }).reply
  for (const name of ["maker", "taker"]) {
    send({ _tag: "OpenAccount", account: name, b2b: false })
    const key = { apiKey: name as never, apiSecret: "", title: "", type: "1", enabled: true }
    send({ _tag: "AddKey", account: name, ...key })
    for (const ticker of ["BTC", "USDT"]) {
      send({
        _tag: "Fund",
        account: name,
        wallet: "trade",
        ticker: ticker as never,
        amount: "1000000000000" as never
      })
    }
  }
  return (name: string, operation: Asked) => send({ _tag: "Call", apiKey: name as never, operation })
}

const limit = (side: "buy" | "sell", amount: string, price: string): Asked => ({
  _tag: "PlaceLimit",
  market: "BTC_USDT" as never,
  side,
  amount: amount as never,
  price: price as never,
  collateral: false
})

/** Opens a journal and never closes it: the process ends. */
const journal = Effect.runSync(
  Scope.provide(Journal.open(join(folder, "journal.sqlite"), { rules: "bench" }), Scope.makeUnsafe())
)

const commit = (group: number) => ({
  later: async () => {
    for (let index = 0; index < group; index++) journal.append(command as never)
    await Effect.runPromise(journal.committed)
  }
})

const venue = await Effect.runPromise(Scope.provide(
  Effect.gen(function*() {
    const venue = yield* Venue.make({ dialect: Dialect.document })
    yield* Example.setUp.pipe(Effect.provideService(Control.Control, Control.make(venue)))
    const control = Control.make(venue)
    yield* control.addKey({
      account: "alice",
      apiKey: account.apiKey as never,
      apiSecret: account.apiSecret,
      title: "",
      type: "1",
      enabled: true
    })
    // Every order stays, and locks what it would spend.
    yield* control.fund({
      account: "alice",
      wallet: "trade",
      ticker: "USDT" as never,
      amount: "1000000000000" as never
    })
    yield* control.limit({ calls: Number.MAX_SAFE_INTEGER, perSeconds: 1 })
    return venue
  }),
  Scope.makeUnsafe()
))

const call = (path: Parameters<typeof signed>[0], fields: object) => async () => {
  const { body, headers, method } = signed(path, fields)
  const exit = await Effect.runPromiseExit(
    venue.handle({ method, path, headers, body: new TextEncoder().encode(body), from: "bench" })
  )
  if (Exit.isFailure(exit) || exit.value._tag !== "Answer" || exit.value.status !== 200) throw new Error("refused")
}

export const operations = (): Operations => {
  const adding = engine()
  const crossing = engine()
  let index = 0
  return {
    placeAndCancel: {
      now: () => {
        const { isBuy, price } = book.resting(index++)
        const placed = adding("maker", limit(isBuy ? "buy" : "sell", "1", price))
        if (placed._tag !== "OrderPlaced") throw new Error(placed._tag)
        adding("maker", { _tag: "Cancel", market: "BTC_USDT" as never, orderId: placed.order.id })
      }
    },
    cross: {
      now: () => {
        crossing("maker", limit("sell", "1", "100"))
        crossing("taker", limit("buy", "1", "100"))
      }
    },
    commit1: commit(1),
    commit64: commit(64),
    balance: { later: call("/api/v4/main-account/balance", {}) },
    stopLimit: {
      later: call(stopLimit, {
        market: "BTC_USDT",
        side: "buy",
        amount: "0.001",
        price: "10000",
        activation_price: "90000"
      })
    }
  }
}
