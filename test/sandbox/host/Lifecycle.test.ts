import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Host from "../../../src/sandbox/host/Host.ts"
import { own, parse, ping, send } from "../../support/host.ts"
import { property } from "../../support/property.ts"

const maxAwake = 3

const kinds = ["call", "call", "call", "move", "sleep", "copy", "end", "fork", "feed", "make"] as const

const step = fc.record({ kind: fc.constantFrom(...kinds), venue: fc.nat(99) })

const follow = ({ controlToken, controlUrl }: Host.Made) =>
  Effect.gen(function*() {
    const headers = { authorization: `Bearer ${controlToken}` }
    const { status, stream } = yield* HttpClient.execute(
      HttpClientRequest.get(`${controlUrl}Events?after=0`, { headers })
    )
    // A venue without the example has no events, so the reader stops waiting.
    if (status === 200) yield* Effect.timeoutOption(Stream.runHead(stream), 20)
    return status
  })

const fork = Effect.fnUntraced(function*(venue: Host.Made) {
  const made = yield* own(venue, "POST", "Fork")
  if (made.status === 200) yield* own(venue, "DELETE", `Forks/${String(parse(made)["id"])}`)
  return made.status
})

/** Carries out one step on a venue. Returns the status or the error. */
const carryOut = (
  host: Host.Host["Service"],
  venues: Array<Host.Made>,
  { kind, venue: index }: { kind: string; venue: number }
) =>
  Effect.gen(function*() {
    const venue = venues[index % venues.length] ?? assert.fail("there is no venue")
    switch (kind) {
      case "call":
        return (yield* send("GET", venue.url + ping)).status
      case "move":
        return (yield* own(venue, "POST", "MovePrice", { market: "BTC_USDT", price: "40000" })).status
      case "sleep":
        return yield* host.sleep(venue.id)
      case "copy":
        return venues.push(yield* host.copy(venue.id))
      case "end":
        return yield* host.end(venue.id)
      case "fork":
        return yield* fork(venue)
      case "feed":
        return yield* follow(venue)
      default:
        return venues.push(yield* host.make({ example: false }))
    }
  }).pipe(Effect.catchTags({
    UnknownVenue: () => Effect.succeed(404),
    BoundReached: () => Effect.succeed(503)
  }))

property(
  "under any concurrent use, no more venues are awake than allowed, every call gets a response, and all venues can sleep",
  [fc.array(step, { minLength: 10, maxLength: 60 })],
  (steps) =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const venues = [yield* host.make({}), yield* host.make({}), yield* host.make({}), yield* host.make({})]
      const answers = yield* Effect.forEach(
        steps,
        (step) =>
          Effect.tap(carryOut(host, venues, step), () =>
            Effect.map(host.status, ({ awake }) => assert.isAtMost(awake, maxAwake))),
        { concurrency: 8 }
      )
      for (const answer of answers)
        if (typeof answer === "number" && answer >= 100)
          assert.include([200, 400, 404, 503], answer)
      for (const { id } of yield* host.list())
        yield* host.sleep(id)
      assert.deepInclude(yield* host.status, { awake: 0 })
    }).pipe(Effect.provide(Layer.fresh(Host.layer({ maxAwake }))), TestClock.withLive),
  { runs: 100, short: 5 }
)
