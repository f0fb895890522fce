import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Answer } from "../../../src/sandbox/gateway/Message.ts"
import type { Backend } from "../../../src/sandbox/server/Backend.ts"
import * as Listening from "../../../src/sandbox/server/Listening.ts"
import { until } from "../../support/clock.ts"
import { listens } from "../../support/server.ts"

const answer: Answer = { _tag: "Answer", status: 200, headers: {}, body: "done" }

/** A feed that sends one message and never ends. */
const feed: Answer = {
  _tag: "Stream",
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body: Stream.concat(Stream.make(Buffer.from("id: 1\n\n")), Stream.never)
}

it.live("a server that is stopping completes calls in progress, ends feeds, and accepts no new connections", () =>
  Effect.gen(function*() {
    const begun = yield* Latch.make()
    const go = yield* Latch.make()
    const backend: Backend = {
      isOwners: () => false,
      venueOf: () => "",
      refuse: () => assert.fail(),
      receive: ({ path }, _clock, resume) =>
        resume(path === "/feed" ? feed : Effect.as(Effect.andThen(begun.open, go.await), answer))
    }
    const scope = yield* Scope.make()
    const url = yield* Scope.provide(Listening.listen({ drainTimeout: 60_000 }, backend), scope)
    const followed = yield* Effect.forkChild(
      Effect.exit(Effect.flatMap(HttpClient.get(`${url}/feed`), ({ text }) => text))
    )
    const called = yield* Effect.forkChild(HttpClient.get(`${url}/call`))
    yield* begun.await
    const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    // The feed ends while calls are still in progress.
    yield* Fiber.join(followed)
    yield* until(Effect.map(listens(url), (listening) => !listening))
    assert.isUndefined(closed.pollUnsafe())
    yield* go.open
    const response = yield* Fiber.join(called)
    assert.deepInclude({ status: response.status, text: yield* response.text }, { status: 200, text: "done" })
    assert.strictEqual(response.headers["connection"], "close")
    yield* Fiber.join(closed)
  }).pipe(Effect.provide(FetchHttpClient.layer)))
