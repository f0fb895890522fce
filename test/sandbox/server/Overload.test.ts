import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as fc from "fast-check"
import * as Net from "node:net"
import type { Answer } from "../../../src/sandbox/gateway/Message.ts"
import type { Backend } from "../../../src/sandbox/server/Backend.ts"
import * as InProgress from "../../../src/sandbox/server/InProgress.ts"
import * as Listening from "../../../src/sandbox/server/Listening.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { until } from "../../support/clock.ts"
import { property } from "../../support/property.ts"

const { ofAll, ofCaller, ofVenue } = Server.maxUnanswered

const carriedOut: Answer = { _tag: "Answer", status: 200, headers: {}, body: "done" }

/** A server with several venues whose calls end when the latch opens. */
const gated = Effect.gen(function*() {
  const gate = yield* Latch.make()
  let begun = 0
  const backend: Backend = {
    isOwners: () => false,
    venueOf: ({ path }) => path,
    refuse: () => assert.fail(),
    receive: (_request, _clock, resume) => {
      begun++
      resume(Effect.as(gate.await, carriedOut))
    }
  }
  const url = yield* Listening.listen({}, backend)
  return { gate, begun: () => begun, port: Number(new URL(url).port) }
})

const request = (path: string, key: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\nx-txc-apikey: ${key}\r\ncontent-length: 2\r\n\r\n{}`

/**
 * Sends each request on a separate connection, all from one address. The received text is empty while a call is in
 * progress.
 */
const sending = (port: number, requests: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const held = { sockets: [] as Array<Net.Socket>, received: requests.map(() => ""), broken: 0 }
      for (const [at, text] of requests.entries()) {
        const socket = Net.connect({ port, host: "127.0.0.1" }, () => socket.write(text))
        held.sockets.push(socket)
        socket.on("data", (bytes: Buffer) => held.received[at] += bytes.toString())
        socket.on("error", () => held.broken++)
      }
      return held
    }),
    ({ sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
  )

const refusal = /^HTTP\/1\.1 429 [^]*\r\nretry-after: 1\r\n[^]*\r\n\r\n\{"code":0,"message":"[^"]+","errors":\{\}\}$/iu

const numberOf = (received: ReadonlyArray<string>, pattern: RegExp) =>
  received.filter((text) => pattern.test(text)).length

describe("more calls than a server can handle", () => {
  it.live(
    "of 1500 simultaneous calls with one key, some are carried out, the others are refused, and no connection breaks",
    () =>
      Effect.gen(function*() {
        const { begun, gate, port } = yield* gated
        const flood = yield* sending(port, Array.from({ length: 1500 }, () => request("/one", "loud")))
        yield* until(Effect.sync(() => numberOf(flood.received, refusal) === 1500 - ofCaller))
        assert.strictEqual(begun(), ofCaller)
        // These calls come from the same address, as they would behind a proxy. One call has another key, and one is
        // for another venue.
        const others = yield* sending(port, [request("/one", "quiet"), request("/other", "loud")])
        yield* until(Effect.sync(() => begun() === ofCaller + 2))
        yield* gate.open
        yield* until(Effect.sync(() => numberOf([...flood.received, ...others.received], /done$/u) === ofCaller + 2))
        assert.strictEqual(flood.broken, 0)
        const again = yield* sending(port, [request("/one", "loud")])
        yield* until(Effect.sync(() => numberOf(again.received, /done$/u) === 1))
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "calls beyond an address's share get a refusal that proves they were not carried out, whatever their venues and keys",
    () =>
      Effect.gen(function*() {
        const { begun, port } = yield* gated
        const most = ofAll * Server.shareOfAddress
        yield* sending(port, Array.from({ length: most }, (_, at) => request(`/${at % 8}`, `key${at % 16}`)))
        yield* until(Effect.sync(() => begun() === most))
        const refused = yield* sending(port, Array.from({ length: 100 }, (_, at) => request(`/new${at}`, "key")))
        yield* until(Effect.sync(() => numberOf(refused.received, refusal) === 100))
        assert.strictEqual(refused.broken, 0)
      }).pipe(Effect.scoped),
    600_000
  )

  property(
    "no venue and no caller exceeds its share of calls in progress, and calls that end make room for others",
    [fc.array(
      fc.record({
        venue: fc.constantFrom("one", "other"),
        caller: fc.constantFrom("a", "b", "c"),
        count: fc.integer({ min: -400, max: 400 })
      })
    )],
    (steps) =>
      Effect.sync(() => {
        const { begin } = InProgress.make()
        const calls: Array<{ readonly venue: string; readonly caller: string; readonly end: () => void }> = []
        const inProgress = (venue: string, caller?: string) =>
          calls.filter((call) => call.venue === venue && (caller === undefined || call.caller === caller)).length
        for (const { caller, count, venue } of steps) {
          for (const call of calls.splice(0, -count)) {
            call.end()
            // A call ends when its response is sent, and also when its connection closes.
            call.end()
          }
          for (let left = count; left > 0; left--) {
            const isFree = inProgress(venue) < ofVenue && inProgress(venue, caller) < ofCaller
            const end = begin(venue, caller)
            assert.strictEqual(end !== undefined, isFree)
            if (end !== undefined) calls.push({ venue, caller, end })
            else break
          }
        }
      }),
    { runs: 40 }
  )
})
