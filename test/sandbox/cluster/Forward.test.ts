import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Forward from "../../../src/sandbox/cluster/Forward.ts"
import type { Membership } from "../../../src/sandbox/cluster/Membership.ts"
import type * as NodeTransport from "../../../src/sandbox/cluster/NodeTransport.ts"
import type { Answer, Request } from "../../../src/sandbox/gateway/Message.ts"
import { passing } from "../../support/clock.ts"
import { property } from "../../support/property.ts"

const call: Request = { method: "POST", path: "/api/v4/order/new", headers: {}, body: new Uint8Array(), from: "" }
const owners: Request = { ...call, path: "/control/v1/Fund" }
const look: Request = { ...owners, method: "GET" }

const answer = (status: number): Answer => ({ _tag: "Answer", status, headers: {}, body: "" })
const reset: Answer = { _tag: "Reset" }

/** Forwards a request through a node whose attempts have these outcomes in turn. The last outcome repeats. */
const forwarded = Effect.fnUntraced(function*(
  request: Request,
  outcomes: ReadonlyArray<NodeTransport.Outcome>,
  locate: Effect.Effect<string> = Effect.succeed("other")
) {
  const sent: Array<Request> = []
  const attempt: NodeTransport.Receive & NodeTransport.Sender["send"] = () => Effect.die("not this one")
  const send: NodeTransport.Sender["send"] = (_address, _venue, request) =>
    Effect.sync(() => {
      sent.push(request)
      return outcomes[sent.length - 1] ?? outcomes.at(-1) ?? assert.fail()
    })
  const membership: Membership["Service"] = {
    locate: () => locate,
    isOurs: () => false,
    shards: () => 0,
    confirm: () => Effect.succeed(false)
  }
  const { send: forward } = Forward.make(membership, { send }, "self", attempt)
  const before = yield* Clock.currentTimeMillis
  const given = yield* passing(forward("venue", request))
  return { given, sent, millis: (yield* Clock.currentTimeMillis) - before }
})

describe("requests for venues on other nodes", () => {
  it.effect("a request is sent to one node after another, always with the same id, until it reaches the venue's node", () =>
    Effect.gen(function*() {
      const outcomes: ReadonlyArray<NodeTransport.Outcome> = [
        { _tag: "NotTheirs" },
        { _tag: "NotSent" },
        { _tag: "Lost" },
        answer(200)
      ]
      const { given, sent } = yield* forwarded(call, outcomes)
      assert.deepStrictEqual(given, answer(200))
      assert.strictEqual(sent.length, 4)
      assert.strictEqual(new Set(sent.map(({ delivery }) => delivery)).size, 1)
      assert.isAbove(sent[0]?.delivery?.length ?? 0, 20)
    }))

  it.effect("an owner action is resent only if it certainly had no effect, but a read is always resent", () =>
    Effect.gen(function*() {
      const lost = yield* forwarded(owners, [{ _tag: "NotTheirs" }, { _tag: "Lost" }, answer(200)])
      assert.deepStrictEqual(lost.given, reset)
      assert.strictEqual(lost.sent.length, 2)
      assert.deepStrictEqual((yield* forwarded(look, [{ _tag: "Lost" }, answer(200)])).given, answer(200))
    }))

  it.effect("a lost request for a WebSocket is resent, and a later refusal still means that nothing was carried out", () =>
    Effect.gen(function*() {
      const socket: Request = { ...look, path: "/ws", headers: { upgrade: "websocket" } }
      const { given, sent } = yield* forwarded(socket, [{ _tag: "Lost" }, answer(503)])
      assert.deepStrictEqual(given, answer(503))
      assert.strictEqual(sent.length, 2)
    }))

  it.effect("a request is refused immediately if too many others are waiting for the node, unless an earlier attempt was lost", () =>
    Effect.gen(function*() {
      const refused = yield* forwarded(call, [{ _tag: "Busy" }])
      assert.deepInclude(refused.given, { _tag: "Answer", status: 429 })
      assert.strictEqual(refused.sent.length, 1)
      assert.deepStrictEqual(
        (yield* forwarded(call, [{ _tag: "Lost" }, { _tag: "Busy" }, answer(200)])).given,
        answer(200)
      )
    }))

  it.effect("an attempt waits for the venue only as long as its request has time left", () =>
    Effect.gen(function*() {
      const { sent } = yield* forwarded(call, [{ _tag: "NotTheirs" }])
      const waits = sent.map(({ patience = assert.fail() }) => patience)
      assert.deepStrictEqual(waits, waits.toSorted((one, other) => other - one))
      assert.isAtMost(waits[0] ?? assert.fail(), Forward.patience)
      assert.isAtMost(waits.at(-1) ?? assert.fail(), 200)
    }))

  it.effect("the search for the node and the attempts to reach it share one time limit", () =>
    Effect.gen(function*() {
      const located = Effect.delay(Effect.succeed("other"), "3 seconds")
      const { given, millis, sent } = yield* forwarded(call, [{ _tag: "NotSent" }], located)
      assert.deepInclude(given, { _tag: "Answer", status: 503 })
      assert.isAtMost(millis, Forward.patience + 200)
      const [first = assert.fail(), second = assert.fail(), ...others] = sent.map(({ patience }) => patience ?? 0)
      assert.isAtMost(first, Forward.patience - 3000)
      assert.isAtMost(second, Forward.patience - 6000)
      assert.deepStrictEqual(others, [])
    }))

  it.effect("a request that waited before it was forwarded has only its remaining time", () =>
    Effect.gen(function*() {
      const { given, millis } = yield* forwarded({ ...call, patience: 1000 }, [{ _tag: "NotTheirs" }])
      assert.deepInclude(given, { _tag: "Answer", status: 503 })
      assert.isAtMost(millis, 1200)
    }))

  it.effect("requests for a venue whose node is not known share one search", () =>
    Effect.gen(function*() {
      let searches = 0
      const membership: Membership["Service"] = {
        locate: () => Effect.delay(Effect.sync(() => (searches++, "other")), "6 seconds"),
        isOurs: () => false,
        shards: () => 0,
        confirm: () => Effect.succeed(false)
      }
      let sent = 0
      const send = () => Effect.sync(() => (sent++, answer(200)))
      const forward = Forward.make(membership, { send }, "self", () => Effect.die("not this one"))
      const answers = yield* passing(
        Effect.forEach(Array.from({ length: 500 }), () => forward.send("venue", call), { concurrency: "unbounded" })
      )
      assert.strictEqual(sent, 500)
      assert.isTrue(answers.every((given) => given._tag === "Answer" && given.status === 200))
      assert.strictEqual(searches, 1)
    }))

  it.effect("a request that joins an earlier search still has its own full time limit", () =>
    Effect.gen(function*() {
      const membership: Membership["Service"] = {
        locate: () => Effect.never,
        isOurs: () => false,
        shards: () => 0,
        confirm: () => Effect.succeed(false)
      }
      const send = () => Effect.die("no node is known")
      const forward = Forward.make(membership, { send }, "self", send)
      const later = Effect.gen(function*() {
        yield* Effect.sleep("6 seconds")
        const before = yield* Clock.currentTimeMillis
        yield* forward.send("venue", call)
        return (yield* Clock.currentTimeMillis) - before
      })
      const [, millis] = yield* passing(
        Effect.all([forward.send("venue", call), later], { concurrency: "unbounded" })
      )
      assert.isAtLeast(millis, Forward.patience)
    }))

  it.effect("a request for a venue without a node is refused within ten seconds", () =>
    Effect.gen(function*() {
      for (const outcome of [{ _tag: "NotTheirs" }, { _tag: "NotSent" }] as const) {
        const { given, millis } = yield* forwarded(call, [outcome])
        assert.deepInclude(given, { _tag: "Answer", status: 503 })
        assert.isAtMost(millis, 10_000)
      }
      const { given, millis, sent } = yield* forwarded(call, [answer(200)], Effect.never)
      assert.deepInclude(given, { _tag: "Answer", status: 503 })
      assert.strictEqual(sent.length, 0)
      assert.isAtMost(millis, 10_000)
    }))
})

const outcome = fc.constantFrom<NodeTransport.Outcome>(
  { _tag: "NotTheirs" },
  { _tag: "NotSent" },
  { _tag: "Busy" },
  { _tag: "Lost" },
  reset,
  answer(200),
  answer(422),
  answer(503)
)

property(
  "a caller gets 429 or 503 only if nothing was carried out, whatever the outcome of each attempt",
  [fc.array(outcome, { minLength: 1, maxLength: 6 }), fc.constantFrom(call, owners, look)],
  (outcomes, request) =>
    Effect.gen(function*() {
      const { given, sent } = yield* forwarded(request, outcomes)
      const came = sent.map((_, index) => outcomes[index] ?? outcomes.at(-1) ?? assert.fail())
      const mayBeDone = came.some(({ _tag }) => _tag === "Lost" || _tag === "Reset")
      if (given._tag === "Answer" && (given.status === 429 || given.status === 503)) assert.isFalse(mayBeDone)
      // The first response from a node ends the attempts.
      const last = came.at(-1)
      if (last?._tag === "Answer" && last.status !== 503) assert.deepStrictEqual(given, last)
      if (request === owners) assert.isAtMost(came.filter(({ _tag }) => _tag === "Lost").length, 1)
    }),
  { runs: 40 }
)
