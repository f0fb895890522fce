import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ApiKey, ApiKeyId } from "../../../src/domain/Identifiers.ts"
import { UnixSeconds } from "../../../src/domain/Time.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import * as StreamToken from "../../../src/sandbox/handlers/StreamToken.ts"

const keyOf = (name: string, apiSecret: string): State.Key => ({
  id: ApiKeyId.make(name),
  account: name,
  apiKey: ApiKey.make(`${name}.key`),
  apiSecret,
  title: "",
  type: "1",
  endpoints: undefined,
  enabled: true,
  lastActivity: UnixSeconds.make(0),
  usedNonces: new Map(),
  greatestNonce: -1n,
  nonceFloor: -1n
})

const alice = keyOf("alice", "one secret")
const state = State.make(Dialect.live.policy)
for (const key of [alice, keyOf("bob", "another secret")]) state.keys.set(key.apiKey, key)

describe("WebSocket connection tokens", () => {
  it("a WebSocket token contains its key and its creation time", () => {
    assert.deepStrictEqual(StreamToken.read(state, StreamToken.create(alice, 7n, 1_700_000_000_000_001.75)), {
      key: alice,
      createdAt: 1_700_000_000_000_001
    })
  })

  it("a WebSocket token is invalid after any change", () => {
    const token = StreamToken.create(alice, 7n, 1_700_000_000_000_001)
    const position = fc.integer({ min: 0, max: token.length - 1 })
    fc.assert(fc.property(position, fc.string({ maxLength: 2 }), (at, put) => {
      const changed = token.slice(0, at) + put + token.slice(at + 1)
      // The last Base64 character has unused bits, so the token is compared as text.
      assert.strictEqual(StreamToken.read(state, changed) !== undefined, changed === token)
    }))
    assert.isUndefined(StreamToken.read(state, StreamToken.create(keyOf("alice", "guessed"), 7n, 1)))
    assert.isUndefined(StreamToken.read(state, StreamToken.create(keyOf("carol", "one secret"), 7n, 1)))
  })
})
