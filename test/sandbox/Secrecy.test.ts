import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { type Secrecy, Venue } from "../../src/sandbox/venue/Venue.ts"
import { emptySubAccount, setUp } from "../support/exchange.ts"
import { handle, signed } from "../support/signed.ts"

/** Creates a key and a code in a new sandbox, and returns both with the journal. */
const made = (secrets?: Secrecy) =>
  Effect.gen(function*() {
    const control = yield* Control
    yield* control.setClock({ at: 1_700_000_000_000_000 })
    yield* setUp
    const call = (path: string, fields: object) =>
      Effect.map(handle(signed(Dialect.document, path, fields)), ({ json }) => json as Readonly<Record<string, string>>)
    const key = { subAccountId: emptySubAccount, title: "t", type: 1 }
    const { apiSecret } = yield* call("/api/v4/sub-account/api-key/create", key)
    const { code } = yield* call("/api/v4/main-account/codes", { ticker: "USDT", amount: "1" })
    const lines = yield* Stream.runCollect(control.journal)
    return { secrets: [String(apiSecret), String(code)], lines }
  }).pipe(Effect.provide(Layer.fresh(Sandbox.layer(secrets === undefined ? {} : { seed: 7, secrets }))))

it.effect("by default, secrets and codes are the same in every run; with random secrets, they differ in every run, whatever the seed", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual((yield* made()).secrets, (yield* made("sequential")).secrets)
    const [one, two] = [yield* made("random"), yield* made("random")]
    for (const [index, secret] of one.secrets.entries()) {
      assert.match(secret, /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/u)
      assert.notStrictEqual(secret, two.secrets[index])
    }
  }))

it.effect("replaying a journal restores the secrets that were drawn when the journal was written", () =>
  Effect.gen(function*() {
    const { lines, secrets } = yield* made("random")
    const state = yield* Effect.gen(function*() {
      const control = yield* Control
      yield* control.replay(lines)
      const { state } = yield* Venue
      return [...[...state.keys.values()].map(({ apiSecret }) => apiSecret), ...state.codes.keys()]
    }).pipe(Effect.provide(Layer.fresh(Sandbox.layer({ secrets: "random" }))))
    assert.includeMembers(state, secrets)
  }))
