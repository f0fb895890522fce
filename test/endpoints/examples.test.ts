import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Call from "../../src/client/call/Call.ts"
import * as Credentials from "../../src/client/Credentials.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import type * as Errors from "../../src/protocol/Errors.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import { dialects, once } from "../support/exchange.ts"
import { inRow, missing } from "../support/row.ts"
import { entries } from "./fixtures/all.ts"

/** Alice's client, connected to a sandbox with example data. */
const exampleExchange = (dialect: Dialect) =>
  Layer.merge(Call.layer, Call.layerPublic).pipe(
    Layer.provide([Signer.layerNode, Nonce.layerWindow, RateLimits.layerNone, HttpClientTransport.layer]),
    Layer.provide([
      Credentials.layer({
        apiKey: Redacted.make(Example.alice.apiKey),
        apiSecret: Redacted.make(Example.alice.apiSecret)
      }),
      Region.layer({ baseUrl: InProcess.baseUrl, dialect })
    ]),
    Layer.provide(Layer.effectDiscard(Example.setUp).pipe(Layer.provideMerge(Sandbox.layer({ dialect })))),
    Layer.orDie
  )

const call = (
  endpoint: Endpoint.Any,
  request: object
): Effect.Effect<unknown, Errors.CallError, Call.Call | Call.PublicCall> =>
  endpoint.access === "public"
    ? Call.PublicCall.use(({ make }) => make(endpoint)(request))
    : Call.Call.use(({ make }) => make(endpoint)(request))

describe.each(dialects)("endpoint examples in the $name dialect", (dialect) => {
  const examples = entries.map(({ endpoint }): readonly [Endpoint.Any, object] => {
    assert.isDefined(endpoint.example, endpoint.name)
    return [endpoint, endpoint.example(dialect)]
  })

  it("every endpoint's example request is the same after encoding and decoding", () => {
    for (const [endpoint, example] of examples) {
      const { decodeRequest, encodeRequest } = Endpoint.codec(endpoint, dialect)
      const wire = Result.getOrThrow(encodeRequest(example))
      assert.deepStrictEqual(decodeRequest(wire), Result.succeed(example), endpoint.name)
    }
  })

  it.effect("the sandbox accepts every example request, unless the request's order or position does not exist", () =>
    Effect.forEach(examples, ([endpoint, example]) =>
      Effect.gen(function*() {
        const answer = yield* Effect.result(call(endpoint, example))
        if (Result.isSuccess(answer)) return
        assert.strictEqual(answer.failure._tag, "RequestRejected", answer.failure.message)
        assert.match(answer.failure.message, missing)
      }).pipe(once, Effect.provide(exampleExchange(dialect), { local: true }), inRow(endpoint.name))))
})
