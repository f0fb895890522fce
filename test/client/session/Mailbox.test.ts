import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Item from "../../../src/client/session/Item.ts"
import * as Mailbox from "../../../src/client/session/Mailbox.ts"
import { givingWay, places, turns } from "../../support/givingWay.ts"

describe("a mailbox", () => {
  it.effect("an item that arrives while a subscriber begins to wait is delivered, wherever the fiber yields", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      for (let place = 0; place < places; place++) {
        const mailbox = new Mailbox.Mailbox({ bound: 10, clock }, undefined, () => undefined)
        const taken = yield* Effect.forkScoped(givingWay(mailbox.take))
        yield* turns(place)
        mailbox.offer(Item.event(1))
        yield* turns(2 * places)
        assert.deepEqual(taken.pollUnsafe(), Exit.succeed([Item.event(1)]), `the subscriber yielded at ${place}`)
      }
    }).pipe(Effect.scoped))
})
