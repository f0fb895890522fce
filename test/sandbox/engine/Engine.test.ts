import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import { dialects } from "../../support/exchange.ts"
import { property } from "../../support/property.ts"
import { commands } from "./commands.ts"

/** Returns the state without nonces and activity times. */
const substance = (state: State.State) => {
  const { accounts, clientOrderIds, codes, keys, ledger, lastId, openOrders, payments, subAccounts } = Saved.save(state)
  return structuredClone({
    accounts,
    clientOrderIds,
    codes,
    keys: [...keys.keys()],
    ledger,
    lastId,
    openOrders,
    payments,
    subAccounts
  })
}

for (const dialect of dialects) {
  describe(`the engine under the policy of the ${dialect.name} dialect`, () => {
    property(
      "a refused command changes only nonces and the time of the last activity",
      [commands],
      (list) =>
        Effect.sync(() => {
          const state = State.make(dialect.policy)
          for (const command of list) {
            // Events scheduled before the command happen even if it is refused.
            Engine.apply(state, { at: command.at, action: { _tag: "Pass" } })
            const before = substance(state)
            const { reply } = Engine.apply(state, command)
            if (reply._tag === "Invalid" || reply._tag === "Refused") assert.deepStrictEqual(substance(state), before)
          }
        }),
      { runs: 80 }
    )

    property(
      "the same commands give the same state and replies, even if they are encoded and decoded",
      [commands],
      (
        list
      ) =>
        Effect.gen(function*() {
          const Journal = Schema.fromJsonString(Schema.toCodecJson(Schema.Array(Command)))
          const read = yield* Schema.decodeEffect(Journal)(yield* Schema.encodeEffect(Journal)(list))
          const run = (commands: ReadonlyArray<Command>) => {
            const state = State.make(dialect.policy)
            const replies = commands.map((command) => structuredClone(Engine.apply(state, command)))
            return { replies, state: Saved.save(state) }
          }
          const first = run(list)
          assert.deepStrictEqual(run(list), first)
          assert.deepStrictEqual(run(read), first)
        })
    )

    property("an order id is never used twice", [commands], (list) =>
      Effect.sync(() => {
        const state = State.make(dialect.policy)
        const ids: Array<string> = []
        for (const command of list) {
          const { reply } = Engine.apply(state, command)
          if (reply._tag === "StopPlaced") ids.push(reply.order.id)
          if (reply._tag === "OcoPlaced") ids.push(reply.oco.id, reply.oco.stopLoss.id, reply.oco.takeProfit.id)
        }
        assert.strictEqual(new Set(ids).size, ids.length)
      }))
  })
}

it("the random commands get every kind of reply", () => {
  const seen = new Set<string>()
  for (const list of fc.sample(commands, { numRuns: 300, seed: 1 })) {
    const state = State.make(Dialect.live.policy)
    for (const command of list) {
      const { reply } = Engine.apply(state, command)
      const asked = command.action._tag === "Call" ? command.action.operation._tag : command.action._tag
      seen.add(`${asked} ${reply._tag === "Refused" ? reply.why : reply._tag}`)
    }
  }
  assert.includeMembers([...seen], [
    "PlaceStopLimit StopPlaced",
    "PlaceStopLimit Invalid",
    "PlaceStopLimit notEnoughBalance",
    "PlaceOco OcoPlaced",
    "PlaceOco reduceOnly",
    "CancelAll Done",
    "ApplyCode CodeApplied",
    "ApplyCode Invalid",
    "DeleteSubAccount Done",
    "DeleteSubAccount Invalid",
    "CreateCode Done",
    "CreateCode notEnoughBalance",
    "Nothing nonceUsed",
    "Nothing notFound"
  ])
})
