import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { make } from "../../../src/sandbox/control/Control.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import * as Forks from "../../../src/sandbox/venue/Forks.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { Base, overHttp, post, send } from "../../support/control.ts"
import { inProcess } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { property } from "../../support/property.ts"
import { signed } from "../../support/signed.ts"

const ping = { method: "GET", path: "/api/v4/public/ping", headers: {}, body: new Uint8Array(), from: "test" }

/** Opens a fork of the fork at this index, ends the fork at this index, or closes its scope. */
const step = fc.tuple(fc.constantFrom("open", "open", "open", "end", "close"), fc.nat(40))

describe("a venue's forks", () => {
  property(
    "a venue has at most sixteen forks in total, and ending a fork also ends the forks made from it",
    [fc.array(step, { maxLength: 60 })],
    (steps) =>
      Effect.gen(function*() {
        const root = Forks.make()
        const opened = new Map<number, { readonly forks: Forks.Forks; readonly scope: Scope.Closeable }>()
        const model = new Map<number, number>()
        const closed: Array<number> = []
        const endBelow = (id: number) => {
          for (const [fork, origin] of model) if (origin === id) endBelow(fork)
          model.delete(id)
        }
        for (const [kind, pick] of steps) {
          const live = [0, ...model.keys()]
          const id = live[pick % live.length] ?? 0
          const forks = opened.get(id)?.forks ?? root
          if (kind === "open") {
            const scope = yield* Scope.make()
            const made = yield* Scope.provide(
              forks.open(pick, (own) =>
                Effect.as(Effect.addFinalizer(() => Effect.sync(() => closed.push(own.id))), own)),
              scope
            )
            assert.strictEqual(made === undefined, model.size === Forks.maxForks)
            if (made === undefined)
              continue
            opened.set(made.id, { forks: made, scope })
            model.set(made.id, id)
          } else if (kind === "end") {
            assert.strictEqual(yield* root.end(id), id > 0)
            if (id > 0)
              endBelow(id)
          } else {
            // Closing a fork's scope ends the fork. Here, the forks made from it have separate scopes.
            if ([...model.values()].includes(id))
              continue
            yield* Scope.close(opened.get(id)?.scope ?? (yield* Scope.make()), Exit.void)
            model.delete(id)
          }
          assert.deepStrictEqual(root.list().map(({ id, origin }) => [id, origin]), [...model])
          // A fork sees only the forks made from it, and can't end itself.
          for (const own of model.keys()) {
            const seen = opened.get(own)?.forks
            assert.isTrue(
              seen?.list().every(({ id }) =>
                id > own
              )
            )
            assert.isFalse(yield* seen?.end(own) ?? Effect.succeed(true))
          }
        }
        const gone = [...opened.keys()].filter((id) => !model.has(id))
        assert.deepStrictEqual(closed.toSorted((a, b) => a - b), gone.toSorted((a, b) => a - b))
      }),
    { runs: 100 }
  )

  it.live("forks that can't be created are not counted towards the limit", () =>
    Effect.gen(function*() {
      const forks = Forks.make()
      for (let time = 0; time < 2 * Forks.maxForks; time++) {
        assert.strictEqual(yield* Effect.flip(forks.open(0, () => Effect.fail("no"))), "no")
      }
      assert.deepStrictEqual(forks.list(), [])
    }).pipe(Effect.scoped))

  it.live("in-process forks are listed, and refuse calls once they have ended", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      const control = make(venue)
      const forked = yield* control.fork(3)
      const grandchild = yield* make(forked).fork(2)
      assert.deepStrictEqual(yield* control.forks, [
        { id: 1, origin: 0, sequence: 3 },
        { id: 2, origin: 1, sequence: 2 }
      ])
      assert.deepStrictEqual(yield* make(forked).forks, [{ id: 2, origin: 1, sequence: 2 }])
      yield* control.endFork(1)
      assert.deepStrictEqual(yield* control.forks, [])
      for (const ended of [forked, grandchild]) {
        yield* failsWith("JournalError")(ended.perform({ _tag: "OpenAccount", account: "x", b2b: false }))
        const answer = yield* ended.handle(ping)
        assert.strictEqual(answer._tag === "Answer" && answer.status, 503)
      }
      assert.deepStrictEqual((yield* failsWith("ControlRefused")(control.endFork(1))).fields, { id: "known" })
      for (let n = 0; n < Forks.maxForks; n++) yield* control.fork(0)
      assert.deepStrictEqual((yield* failsWith("ControlRefused")(control.fork(0))).fields, { venue: "max" })
      assert.strictEqual((yield* venue.handle(ping))._tag, "Answer")
    }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))))

  it.live("over HTTP, forks of forks are counted too, and forks that have ended close their ports", () =>
    Effect.gen(function*() {
      const control = yield* ControlClient
      const { id, url } = yield* control.fork({ payload: { sequence: 1 } })
      const [status, text] = yield* Effect.provideService(send("POST", "Fork", "{}"), Base, url)
      assert.strictEqual(status, 200)
      const second = JSON.parse(text) as { readonly id: number; readonly url: string; readonly controlUrl: string }
      assert.deepStrictEqual(yield* control.forks(), [
        { id, origin: 0, sequence: 1, url, controlUrl: `${url}/control/v1/` },
        { id: second.id, origin: id, sequence: 1, url: second.url, controlUrl: second.controlUrl }
      ])
      // The first fork lists only the second fork, which was made from it.
      const listed = yield* Effect.provideService(send("GET", "Forks"), Base, url)
      assert.deepStrictEqual((JSON.parse(listed[1]) as ReadonlyArray<{ readonly id: number }>).map(({ id }) => id), [
        second.id
      ])
      for (let n = 2; n < Forks.maxForks; n++) yield* control.fork({ payload: { sequence: 0 } })
      const full = yield* Effect.provideService(send("POST", "Fork", "{}"), Base, url)
      assert.deepStrictEqual([full[0], (JSON.parse(full[1]) as { readonly fields: object }).fields], [400, {
        venue: "max"
      }])
      yield* control.endFork({ params: { id } })
      assert.strictEqual((yield* control.forks()).length, Forks.maxForks - 2)
      for (const gone of [url, second.url]) {
        const call = post(signed(Dialect.document, "/api/v4/main-account/balance"))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.provideService(call, Base, gone))))
      }
      yield* failsWith("ControlRefused")(control.endFork({ params: { id } }))
      yield* control.fork({ payload: {} })
    }).pipe(Effect.scoped, Effect.provide(overHttp())))
})
