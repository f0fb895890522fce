import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { canonical, Desk, hash } from "../../support/engine.ts"
import { property } from "../../support/property.ts"
import { apartFromActivity, Follower } from "./invariants.ts"
import { actionOf, funded, wish } from "./wishes.ts"

const wishes = (most: number) => fc.array(wish, { minLength: most / 2, maxLength: most, size: "max" })

for (const { name, policy } of [Dialect.document, Dialect.live]) {
  describe(`by the policy of the ${name} dialect`, () => {
    property("every invariant holds after every command", [wishes(400)], (wishes) =>
      Effect.sync(() => {
        const desk = funded(new Desk(policy))
        const follower = new Follower(desk.state)
        for (const wish of wishes) follower.check(desk.send(actionOf(desk, wish)))
        follower.checkAll()
      }), { runs: 120, timeout: 60_000 })

    property("the same commands give the same replies, events and state", [wishes(200)], (wishes) =>
      Effect.sync(() => {
        const [one, other] = [funded(new Desk(policy)), funded(new Desk(policy))]
        for (const wish of wishes) {
          const action = actionOf(one, wish)
          assert.strictEqual(canonical(one.send(action)), canonical(other.send(action)))
        }
        assert.strictEqual(hash(one.state), hash(other.state))
      }), { runs: 60 })

    property("a call that is refused changes nothing", [wishes(60)], (wishes) =>
      Effect.sync(() => {
        const desk = funded(new Desk(policy))
        for (const wish of wishes) {
          const action = actionOf(desk, wish)
          const before = apartFromActivity(desk.state)
          const { reply } = desk.send(action)
          if (reply._tag === "Refused" || reply._tag === "Invalid") {
            assert.strictEqual(apartFromActivity(desk.state), before, canonical(reply))
          }
        }
      }), { runs: 40 })
  })
}
