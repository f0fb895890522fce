import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { prefix } from "../../../src/sandbox/control/ControlApi.ts"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import type * as Host from "../../../src/sandbox/host/Host.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import { until } from "../../support/clock.ts"
import { scratchFile } from "../../support/files.ts"
import { keyOf } from "../../support/host.ts"
import { hostedElsewhere } from "../../support/hostElsewhere.ts"
import { sending } from "../../support/hostile.ts"
import { isLong } from "../../support/long.ts"
import { signed } from "../../support/signed.ts"
import { canMount, smallDisk } from "../../support/smallDisk.ts"

const venues = 4
const kills = isLong ? 5 : 2
const fills = isLong ? 5 : 2

const asked = (path: string, token: string, payload: object): Request => ({
  method: "POST",
  path,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: new TextEncoder().encode(JSON.stringify(payload)),
  from: "test"
})

const nonceOf = (request: Request): string => /"nonce":"(\d+)"/u.exec(Buffer.from(request.body).toString())?.[1] ?? ""

/** The nonces of each venue's acknowledged calls. */
type Acknowledged = Map<string, Set<string>>

type Send = Effect.Success<ReturnType<typeof sending>>

/** Places an order on a venue. */
const place = Effect.fnUntraced(function*(send: Send, venue: Host.Made, acknowledged: Acknowledged) {
  const order = { market: "BTC_USDT", side: "buy", amount: "0.1", price: "39000" }
  const request = signed(Dialect.document, "/api/v4/order/new", order, keyOf(venue, "alice"))
  const answer = yield* send({ ...request, path: `/v/${venue.id}${request.path}` })
  if (answer === "broken") return "broken"
  if (answer.status === 503) return "refused"
  assert.include([200, 400], answer.status, answer.text)
  acknowledged.set(venue.id, (acknowledged.get(venue.id) ?? new Set()).add(nonceOf(request)))
  return "acknowledged"
})

/** Checks that the journals contain every acknowledged call exactly once. Returns the number of these calls. */
const allKept = Effect.fnUntraced(function*(folder: string, acknowledged: Acknowledged) {
  let count = 0
  for (const [id, nonces] of acknowledged) {
    const file = join(folder, "venues", id, "journal.sqlite")
    const venue = yield* Venue.wake({ dialect: Dialect.document, id, file, remember: () => Effect.void })
    const all: Array<string> = []
    yield* venue.journal.verify
    yield* venue.journal.read(0, venue.journal.sequence(), ({ action }: Command) => {
      if (action._tag === "Call" && action.nonce !== undefined) all.push(String(action.nonce.value))
    })
    const there = new Set(all)
    assert.strictEqual(there.size, all.length, "a call that was carried out twice")
    assert.deepStrictEqual([...nonces].filter((nonce) => !there.has(nonce)), [], "acknowledged, but lost")
    count += nonces.size
  }
  return count
})

it.live("a host that is killed under load loses no acknowledged command in any of its venues", () =>
  Effect.gen(function*() {
    const folder = join(dirname(yield* scratchFile), "host")
    mkdirSync(folder)
    const acknowledged: Acknowledged = new Map()
    const made: Array<Host.Made> = []
    for (let kill = 1; kill <= kills; kill++) {
      yield* Effect.scoped(Effect.gen(function*() {
        const { baseUrl, kill, token } = yield* hostedElsewhere(folder)
        const send = yield* sending(baseUrl)
        const make = Effect.gen(function*() {
          const answer = yield* send(asked(`${prefix}Venues`, token, {}))
          if (answer === "broken") return
          made.push(JSON.parse(answer.text) as Host.Made)
        })
        while (made.length < venues) yield* make
        let calls = 0
        const caller = (index: number) =>
          Effect.gen(function*() {
            for (let turn = index;; turn++) {
              // The venues can't all be awake at the same time, so one venue is always waking while another falls
              // asleep.
              const venue = made[turn % made.length]
              if (venue === undefined) return
              const ended = yield* place(send, venue, acknowledged)
              if (ended === "broken") return
              if (ended === "acknowledged") calls++
            }
          })
        const callers = yield* Effect.forkChild(
          Effect.forEach([0, 1, 2, 3], caller, { concurrency: "unbounded", discard: true })
        )
        yield* until(Effect.sync(() => calls >= 6 * venues))
        // A venue is being created when the host is killed.
        const last = yield* Effect.forkChild(make, { startImmediately: true })
        assert.strictEqual(yield* kill, "SIGKILL")
        yield* Fiber.join(callers)
        yield* Fiber.join(last)
      }))
    }
    yield* Effect.scoped(Effect.gen(function*() {
      const { baseUrl, token } = yield* hostedElsewhere(folder)
      const send = yield* sending(baseUrl)
      for (const { controlToken, id } of made) {
        const answer = yield* send({
          ...asked(`/v/${id}${prefix}Status`, controlToken, {}),
          method: "GET",
          body: new Uint8Array()
        })
        assert.strictEqual(answer !== "broken" && answer.status, 200, "a venue that was created is gone")
      }
      const listed = yield* send({ ...asked(`${prefix}Venues`, token, {}), method: "GET", body: new Uint8Array() })
      assert.isAtLeast((JSON.parse(answerText(listed)) as ReadonlyArray<unknown>).length, made.length)
    }))
    const count = yield* allKept(folder, acknowledged)
    assert.isAtLeast(count, 6 * venues * kills)
    assert.strictEqual(acknowledged.size, made.length)
  }).pipe(Effect.scoped))

const answerText = (answer: "broken" | { readonly text: string }): string => answer === "broken" ? "" : answer.text

it.live.skipIf(!canMount)(
  "a host on a full disk loses nothing, and serves all its venues again once the disk has room",
  () =>
    Effect.gen(function*() {
      const folder = join(dirname(yield* scratchFile), "host")
      mkdirSync(folder)
      const disk = yield* smallDisk(folder, 32)
      const acknowledged: Acknowledged = new Map()
      yield* Effect.scoped(Effect.gen(function*() {
        const { baseUrl, token } = yield* hostedElsewhere(folder)
        const send = yield* sending(baseUrl)
        const ask = send(asked(`${prefix}Venues`, token, {}))
        const made: Array<Host.Made> = []
        while (made.length < venues) made.push(JSON.parse(answerText(yield* ask)) as Host.Made)
        const outcomes: Array<{ readonly id: string; readonly ended: string }> = []
        const caller = (index: number) =>
          Effect.gen(function*() {
            for (let turn = index;; turn++) {
              const venue = made[turn % made.length] ?? assert.fail()
              outcomes.push({ id: venue.id, ended: yield* place(send, venue, acknowledged) })
              yield* Effect.sleep("5 millis")
            }
          })
        yield* Effect.forEach([0, 1, 2, 3], (index) => Effect.forkScoped(caller(index)))
        /** Waits until every venue has had this outcome once more. */
        const untilAll = (wanted: (ended: string) => boolean) =>
          Effect.suspend(() => {
            const before = outcomes.length
            const have = () => new Set(outcomes.slice(before).filter(({ ended }) => wanted(ended)).map(({ id }) => id))
            return until(Effect.sync(() => have().size === made.length))
          })
        const isAcknowledged = (ended: string) => ended === "acknowledged"
        for (let round = 0; round < fills; round++) {
          yield* untilAll(isAcknowledged)
          yield* disk.fill
          yield* untilAll((ended) => !isAcknowledged(ended))
          // No venue can be created, and the host states the reason. A venue that falls asleep can free a little space.
          const refused = yield* Effect.andThen(disk.fill, ask).pipe(
            Effect.repeat({ until: (answer) => answer !== "broken" && answer.status === 503, times: 20 })
          )
          assert.deepInclude(refused, { status: 503 })
          assert.include(answerText(refused), "full")
          yield* disk.free
          yield* untilAll(isAcknowledged)
        }
        assert.strictEqual((JSON.parse(answerText(yield* ask)) as Host.Made).awake, false)
      }))
      assert.isAbove(yield* allKept(folder, acknowledged), fills * venues)
    }).pipe(Effect.scoped),
  600_000
)
