import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Code } from "../../../src/domain/Code.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { ApiKey } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import type { JournalError } from "../../../src/sandbox/store/Journal.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import {
  addKey,
  alice,
  btc,
  code,
  emptySubAccount,
  inProcess,
  openSubAccount,
  payInterest,
  planA,
  usdt
} from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"

const control = Control.Control

const tooFine = Decimal.amount("0.0000000000000000001")

describe("refusals of owner actions", () => {
  const rows: ReadonlyArray<
    readonly [string, Effect.Effect<unknown, Control.ControlRefused | JournalError, Control.Control>, object]
  > = [
    ["an account that already exists", control.use((c) => c.openAccount({ account: "alice", b2b: true })), {
      account: "unique"
    }],
    ["a sub-account of an unknown account", openSubAccount("nobody", "new" as never), { parent: "known" }],
    ["a sub-account that already exists", openSubAccount("alice", emptySubAccount), { id: "unique" }],
    ["a key of an unknown account", addKey({ account: "nobody", apiKey: "new-key", apiSecret: "secret" }), {
      account: "known"
    }],
    ["a key that already exists", addKey(alice), { apiKey: "unique" }],
    ["a change of an unknown key", control.use((c) => c.setKey({ apiKey: ApiKey.make("nobody's"), enabled: false })), {
      apiKey: "known"
    }],
    [
      "funds for an unknown account",
      control.use((c) => c.fund({ account: "nobody", wallet: "main", ticker: btc, amount: Decimal.amount("1") })),
      { account: "known" }
    ],
    [
      "funds with nineteen decimal places",
      control.use((c) => c.fund({ account: "alice", wallet: "main", ticker: btc, amount: tooFine })),
      { amount: "precision" }
    ],
    [
      "a code that already exists",
      control.use((c) => c.createCode({ account: "alice", code, ticker: btc, amount: Decimal.amount("1") })),
      { code: "unique" }
    ],
    [
      "a code with a value above the balance",
      control.use((c) =>
        c.createCode({ account: "alice", code: Code.make("rich"), ticker: btc, amount: Decimal.amount("2.000000001") })
      ),
      { amount: "balance" }
    ],
    ["interest for an unknown account", payInterest("nobody", planA), { account: "known" }]
  ]
  for (const [name, action, fields] of rows) {
    it.effect(`the owner's request for ${name} is refused`, () =>
      Effect.gen(function*() {
        const { state } = yield* Venue
        const before = structuredClone(Saved.save(state))
        const error = yield* failsWith("ControlRefused")(action)
        assert.deepStrictEqual(error.fields, fields)
        assert.deepStrictEqual(structuredClone(Saved.save(state)), before)
      }).pipe(Effect.provide(inProcess(Dialect.document))))
  }

  it.effect("the error for a refused owner action names the field and its constraint", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("ControlRefused")(addKey(alice))
      assert.strictEqual(error.message, "AddKey was refused: apiKey must be one that is not in use yet")
    }).pipe(Effect.provide(inProcess(Dialect.document))))
})

describe("the precision of funding", () => {
  it.effect("funding an account preserves every digit", () =>
    Effect.gen(function*() {
      const { state } = yield* Venue
      const finest = Decimal.amount("0.000000000000000001")
      yield* control.use((c) => c.fund({ account: "bob", wallet: "main", ticker: usdt, amount: finest }))
      assert.strictEqual(Ledger.balance(state.ledger, { account: "bob", wallet: "main", locked: false }, usdt), 1n)
    }).pipe(Effect.provide(inProcess(Dialect.document))))
})

describe("Sandbox.layer", () => {
  it.effect("by default, `Sandbox.layer` uses the document's dialect and stays in memory", () =>
    Effect.gen(function*() {
      const dialectOf = (layer: Layer.Layer<Venue, unknown>) =>
        Effect.provide(Effect.map(Venue, ({ dialect }) => dialect.name), layer)
      assert.strictEqual(yield* dialectOf(Sandbox.layer()), "document")
      assert.strictEqual(yield* dialectOf(Sandbox.layer({ dialect: Dialect.live })), "live")
    }))
})
