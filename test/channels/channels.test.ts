import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import type * as Channel from "../../src/protocol/Channel.ts"
import * as Frame from "../../src/protocol/Frame.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Arbitraries from "../support/arbitraries.ts"
import { changed, pathsOf } from "../support/bodies.ts"
import { property } from "../support/property.ts"
import { entries } from "./fixtures/all.ts"
import type { Example } from "./fixtures/Fixture.ts"

interface Codec<A> {
  readonly encode: (value: A) => Result.Result<unknown, unknown>
  readonly decode: (wire: unknown) => Result.Result<A, unknown>
}

/** Checks that an example decodes and encodes as stated. An example with a read-only wire form is only decoded. */
const check = <A>({ decode, encode }: Codec<A>, { isOnlyRead, value, wire }: Example<A>) => {
  assert.deepStrictEqual(Result.getOrThrow(decode(wire)), value)
  if (isOnlyRead !== true) assert.deepStrictEqual(asNumbers(Result.getOrThrow(encode(value))), asNumbers(wire))
}

/** Converts integers to `number`, so that a `bigint` and a `number` with the same value are equal. */
const asNumbers = (wire: unknown): unknown => JSON.parse(Json.stringify([wire]))

/** Finds every value with the given key in a message, in objects and maps at any depth. */
const keyed = (value: unknown): ReadonlyArray<readonly [key: unknown, value: unknown]> => {
  if (value instanceof Map) return [...value].flatMap(([key, inner]) => [["ticker", key], ...keyed(inner)] as const)
  if (Array.isArray(value)) return value.flatMap(keyed)
  if (!Json.isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [[key, inner] as const, ...keyed(inner)])
}

const namesIn = (message: unknown, key: string): ReadonlyArray<unknown> =>
  keyed(message).flatMap(([name, value]) => name === key ? [value] : [])

type Topic = Readonly<Record<string, unknown>>

/** Changes a topic so that it names the message's market or asset, if topic and message both have such a field. */
const within = (topic: Topic, message: unknown, at: number): Topic => {
  const [key] = ["market", "ticker"].filter((key) => key in topic)
  const names = key === undefined ? [] : namesIn(message, key)
  return key === undefined || names.length === 0 ? topic : { ...topic, [key]: names[at % names.length] }
}

/**
 * Checks whether `wide` covers everything that `narrow` covers: every condition of `wide` is also a condition of
 * `narrow`.
 */
const covers = (wide: Topic, narrow: Topic): boolean =>
  Object.entries(wide).every(([key, value]) => narrow[key] === value)

/** Arbitrary JSON values, and frames with arbitrary content. */
const garbage = fc.oneof(
  fc.jsonValue(),
  fc.array(fc.oneof(fc.constantFrom("BTC_USDT", "1", true, false, 0, 1, null, {}), fc.jsonValue()))
)

/** Checks that a schema and its compiled codec decode a value with the same result. */
const agree = (schema: Schema.Codec<unknown, unknown>, compiled: Codec<unknown>["decode"], wire: unknown) => {
  const read = Schema.decodeUnknownResult(schema)(wire)
  assert.deepStrictEqual(Result.getOrUndefined(compiled(wire)), Result.getOrUndefined(read))
  assert.strictEqual(Result.isSuccess(compiled(wire)), Result.isSuccess(read))
}

describe.each(entries)("$name", (entry) => {
  const { about, channel, documented, expressible = (message) => message, messages, name, queries, topics } = entry
  const codec = channel["~codec"]
  const topicCodec = { decode: codec.decodeTopics, encode: codec.encodeTopics }
  const messageCodec = { decode: codec.decodeMessage, encode: codec.encodeMessage }
  const topic: fc.Arbitrary<Topic> = Arbitraries.topic(channel)
  const message: fc.Arbitrary<unknown> = Arbitraries.message(channel).map((message) => expressible(message as never))
  const topicsAtOnce = channel.sharing === "set" ? 4 : 1

  it(`${name} has the documented properties`, () => {
    const { access, continuity, first, pushed, pushes, sharing, subscribe, unsubscribe } = channel
    const stated = { access, continuity, first, pushed, pushes, sharing, subscribe, unsubscribe }
    assert.deepStrictEqual([stated, channel.name], [documented, name])
    assert.isTrue(Result.isSuccess(codec.encodeTopics([channel.example])))
  })

  it(`${name} decodes and encodes the topics and messages in its fixture`, () => {
    for (const example of topics) check(topicCodec, example)
    for (const example of messages) check(messageCodec, example)
  })

  it(`${name} gives a topic only the part of a message that concerns that topic`, () => {
    for (const { message, part, topic } of about) assert.deepStrictEqual(channel.about(topic, message), part)
  })

  property(`${name} decodes every message that it has encoded`, [message], (message) =>
    Effect.sync(() => {
      const wire = Result.getOrThrow(codec.encodeMessage(message))
      assert.deepStrictEqual(Result.getOrThrow(codec.decodeMessage(wire)), message)
      // The message is also unchanged after being written to a text frame and read back.
      const frame = { _tag: "Push", method: channel.pushed, params: wire } as const
      const read = Result.getOrThrow(Frame.readReceived(Frame.writeReceived(frame)))
      assert.deepStrictEqual(read._tag === "Push" && Result.getOrThrow(codec.decodeMessage(read.params)), message)
    }))

  property(
    `the subscription parameters of ${name} cover at least the given topics`,
    [fc.array(topic, { minLength: 1, maxLength: topicsAtOnce })],
    (topics) =>
      Effect.sync(() => {
        const asked = Result.getOrThrow(codec.decodeTopics(Result.getOrThrow(codec.encodeTopics(topics))))
        for (const topic of topics) assert.isTrue(asked.some((wide: Topic) => covers(wide, topic)))
      })
  )

  property(
    `${name} gives a topic no data about other markets or assets`,
    [topic, message, fc.nat()],
    (drawn, message, at) =>
      Effect.sync(() => {
        const topic = within(drawn, message, at)
        const part = channel.about(topic, message)
        if (part === undefined) return
        assert.deepStrictEqual(channel.about(topic, part), part)
        for (const key of ["market", "ticker"]) {
          if (topic[key] !== undefined) assert.isTrue(namesIn(part, key).every((found) => found === topic[key]))
        }
      })
  )

  property(`${name} rejects garbage without a defect, as its schemas do`, [garbage], (wire) =>
    Effect.sync(() => {
      agree(channel.update, codec.decodeMessage, wire)
      agree(channel.topics, codec.decodeTopics, wire)
      if (Array.isArray(wire)) assert.isBoolean(channel.replaces(wire))
    }))

  it(`${name} rejects or decodes a damaged message without a defect`, () => {
    for (const { wire } of messages) {
      for (const path of pathsOf(wire)) {
        for (const value of [undefined, null, "", "words", -1, 1.5, [], {}]) {
          agree(channel.update, codec.decodeMessage, changed(wire, path, (parent, key) => parent[key] = value))
        }
      }
    }
  })

  for (const [method, { params, result }] of Object.entries(queries)) {
    const query = channel.queries[method] as Channel.AnyQuery
    const { decodeParams, decodeResult, encodeParams, encodeResult } = query["~codec"]

    it(`${name}.${method} decodes and encodes the parameters and the response in its fixture`, () => {
      assert.strictEqual(query.method, queries[method]?.method)
      check({ decode: decodeParams, encode: encodeParams }, params)
      check({ decode: decodeResult, encode: encodeResult }, result)
      assert.isTrue(Result.isSuccess(encodeParams(query.example)))
    })

    property(
      `${name}.${method} decodes any parameters and any response that it has encoded`,
      [Arbitraries.params(query), Arbitraries.result(query)],
      (drawnParams: unknown, drawn: unknown) =>
        Effect.sync(() => {
          const params = entry.expressibleParams?.(drawnParams as never) ?? drawnParams
          const answer = entry.expressibleResult?.(drawn as never) ?? drawn
          assert.deepStrictEqual(Result.getOrThrow(decodeParams(Result.getOrThrow(encodeParams(params)))), params)
          assert.deepStrictEqual(Result.getOrThrow(decodeResult(Result.getOrThrow(encodeResult(answer)))), answer)
        })
    )
  }

  it(`the fixture of ${name} covers each of its queries`, () => {
    assert.sameMembers(Object.keys(queries), Object.keys(channel.queries))
  })
})
