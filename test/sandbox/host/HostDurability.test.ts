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

const venues = 4
const kills = isLong ? 5 : 2

const asked = (path: string, token: string, payload: object): Request => ({
  method: "POST",
  path,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: new TextEncoder().encode(JSON.stringify(payload)),
  from: "test"
})

const nonceOf = (request: Request): string => /"nonce":"(\d+)"/u.exec(Buffer.from(request.body).toString())?.[1] ?? ""

it.live("a host killed under load loses no acknowledged command in any of its venues", () =>
  Effect.gen(function*() {
    const folder = join(dirname(yield* scratchFile), "host")
    mkdirSync(folder)
    const acknowledged = new Map<string, Set<string>>()
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
              // The venues can't all be awake at once, so one is always waking while another falls asleep.
              const venue = made[turn % made.length]
              if (venue === undefined) return
              const order = { market: "BTC_USDT", side: "buy", amount: "0.1", price: "39000" }
              const request = signed(Dialect.document, "/api/v4/order/new", order, keyOf(venue, "alice"))
              const answer = yield* send({ ...request, path: `/v/${venue.id}${request.path}` })
              if (answer === "broken") return
              if (answer.status === 503) continue
              assert.include([200, 400], answer.status, answer.text)
              const known = acknowledged.get(venue.id) ?? new Set()
              acknowledged.set(venue.id, known.add(nonceOf(request)))
              calls++
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
        assert.strictEqual(answer !== "broken" && answer.status, 200, "a venue that was made is gone")
      }
      const listed = yield* send({ ...asked(`${prefix}Venues`, token, {}), method: "GET", body: new Uint8Array() })
      assert.isAtLeast((JSON.parse(answerText(listed)) as ReadonlyArray<unknown>).length, made.length)
    }))
    let count = 0
    for (const [id, nonces] of acknowledged) {
      const file = join(folder, "venues", id, "journal.sqlite")
      const venue = yield* Venue.wake({ dialect: Dialect.document, id, file, remember: () => Effect.void })
      const there = new Set<string>()
      yield* venue.journal.verify
      yield* venue.journal.read(0, venue.journal.sequence(), ({ action }: Command) => {
        if (action._tag === "Call" && action.nonce !== undefined) there.add(String(action.nonce.value))
      })
      assert.deepStrictEqual([...nonces].filter((nonce) => !there.has(nonce)), [], "acknowledged, but lost")
      count += nonces.size
    }
    assert.isAtLeast(count, 6 * venues * kills)
    assert.strictEqual(acknowledged.size, made.length)
  }).pipe(Effect.scoped))

const answerText = (answer: "broken" | { readonly text: string }): string => answer === "broken" ? "" : answer.text
