import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as OpenApi from "../../../src/OpenApi.ts"
import type { Dialect } from "../../../src/protocol/Dialect.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import * as Protocol from "../../../src/sandbox/page/Protocol.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as InProcess from "../../../src/sandbox/server/InProcess.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { dialects } from "../../support/exchange.ts"

const controlToken = "the token of this venue"

const world = (dialect: Dialect) =>
  Layer.effectDiscard(Example.setUp).pipe(Layer.provideMerge(Sandbox.layer({ dialect })), Layer.orDie)

const got = Effect.fnUntraced(function*(url: string) {
  const { headers, status, text } = yield* HttpClient.get(url)
  return { status, type: headers["content-type"], text: yield* text }
})

const served = Effect.fnUntraced(function*(options: Server.Options) {
  const { baseUrl } = yield* Server.serve(options)
  return { baseUrl, ...yield* got(baseUrl + Protocol.path).pipe(Effect.provide(FetchHttpClient.layer)) }
})

describe.each(dialects)("a venue's protocol document in the $name dialect", (dialect) => {
  const expected = { status: 200, type: "application/json", text: OpenApi.text(dialect) }

  it.live("the protocol document is public, and reveals nothing about the venue", () =>
    Effect.gen(function*() {
      const { baseUrl, ...answer } = yield* served({ controlToken })
      assert.deepStrictEqual(answer, expected)
      const { account, apiKey, apiSecret } = Example.alice
      for (const secret of [account, apiKey, apiSecret, controlToken, new URL(baseUrl).host]) {
        assert.notInclude(answer.text, secret)
      }
      assert.deepStrictEqual(yield* got(InProcess.baseUrl + Protocol.path), expected)
    }).pipe(Effect.scoped, Effect.provide(world(dialect))))

  it.live("the protocol document is read-only, and is served even without a control plane", () =>
    Effect.gen(function*() {
      const { baseUrl: _, ...answer } = yield* served({})
      assert.deepStrictEqual(answer, expected)
      const { status } = yield* HttpClient.post(InProcess.baseUrl + Protocol.path)
      assert.strictEqual(status, dialect.refusals.notFound.status)
    }).pipe(Effect.scoped, Effect.provide(world(dialect))))
})
