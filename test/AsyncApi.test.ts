import schemaOfAsyncApi from "@asyncapi/specs/schemas/3.0.0-without-$id.json" with { type: "json" }
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as AsyncApi from "../src/AsyncApi.ts"
import type * as Channel from "../src/protocol/Channel.ts"
import * as Frame from "../src/protocol/Frame.ts"
import * as Json from "../src/protocol/Json.ts"
import { entries } from "./channels/fixtures/all.ts"
import * as Arbitraries from "./support/arbitraries.ts"
import { property } from "./support/property.ts"

const document = JSON.parse(AsyncApi.text()) as Record<string, Record<string, Record<string, Record<string, unknown>>>>

const ajv = new Ajv({ strict: false, allErrors: true })
ajv.addSchema(document, "asyncapi.json")

/** Validates a frame against a message's schema and returns the errors. Integers of any length are read as numbers. */
const problems = (channel: string, message: string, frame: string): ReadonlyArray<string> => {
  const place = document["channels"]?.[channel]?.["messages"]?.[message]
  if (!Json.isObject(place)) return [`${channel} has no message ${message}`]
  const { $ref } = place
  const at = typeof $ref === "string" ? $ref : `#/channels/${channel}/messages/${message}`
  const check = ajv.getSchema(`asyncapi.json${at}/payload`)
  if (check === undefined) return [`there is no ${at}`]
  return check(JSON.parse(frame)) === true
    ? []
    : (check.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`)
}

const asked = (method: string, params: unknown): string => Json.stringify({ id: 7, method, params })

const answered = (result: unknown): string => Frame.writeReceived({ _tag: "Answer", id: 7, result })

const pushed = (method: string, params: unknown): string => Frame.writeReceived({ _tag: "Push", method, params })

/** Collects all `$ref` references in a part of the document. */
const references = (part: unknown): ReadonlyArray<string> => {
  if (Array.isArray(part)) return part.flatMap(references)
  if (!Json.isObject(part)) return []
  const { $ref } = part
  return [...typeof $ref === "string" ? [$ref] : [], ...Object.values(part).flatMap(references)]
}

const called = (method: string) => method.charAt(0).toUpperCase() + method.slice(1)

describe("the AsyncAPI document", () => {
  it("the AsyncAPI document is valid according to the official schema", () => {
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schemaOfAsyncApi)
    assert.isTrue(validate(document), JSON.stringify(validate.errors))
    assert.isFalse(validate({ ...document, operations: { push: { action: "shout" } } }))
  })

  it("the AsyncAPI document contains every part that it references", () => {
    const all = new Set(references(document))
    assert.isAbove(all.size, 100)
    for (const reference of all) {
      const found = reference.slice(2).split("/").reduce<unknown>(
        (part, key) => Json.isObject(part) ? part[key] : undefined,
        document
      )
      assert.isDefined(found, reference)
    }
  })

  it("the AsyncAPI document describes exactly the channels and methods in the contract", () => {
    assert.sameMembers(Object.keys(document["channels"] ?? {}), ["Connection", ...entries.map(({ name }) => name)])
    const methods = Object.values(document["channels"] ?? {}).flatMap(({ messages = {} }) =>
      Object.values(messages).flatMap((message) => Json.isObject(message) ? [message["name"]] : [])
    )
    for (const { documented: { pushed, subscribe, unsubscribe }, queries } of entries) {
      assert.includeMembers(methods, [
        subscribe,
        unsubscribe,
        pushed,
        ...Object.values(queries).map(({ method }) => method)
      ])
    }
    const actions = Object.values(document["operations"] ?? {})
    const count = entries.reduce((sum, { queries }) => sum + 3 + Object.keys(queries).length, 3)
    assert.strictEqual(actions.length, count)
  })

  it("the AsyncAPI document requires a token only for private channels", () => {
    for (const { documented: { access }, name } of entries) {
      assert.strictEqual("security" in (document["operations"]?.[`${name}Subscribe`] ?? {}), access === "private", name)
    }
  })

  it("the AsyncAPI document has examples that its own schemas accept", () => {
    let examples = 0
    for (const [channel, { messages = {} }] of Object.entries(document["channels"] ?? {})) {
      for (const [name, message] of Object.entries(messages)) {
        const all = Json.isObject(message) && Array.isArray(message["examples"]) ? message["examples"] : []
        for (const { payload } of all as ReadonlyArray<{ readonly payload: unknown }>) {
          assert.deepStrictEqual(problems(channel, name, JSON.stringify(payload)), [])
          examples++
        }
      }
    }
    assert.isAbove(examples, 2 * entries.length)
  })

  it("the AsyncAPI document describes the frames that authorize a connection and keep it open", () => {
    const { authorize, ping, time } = Frame.methods
    assert.deepStrictEqual(problems("Connection", "Ping", asked(ping, [])), [])
    assert.deepStrictEqual(problems("Connection", "PingAnswer", answered("pong")), [])
    assert.deepStrictEqual(problems("Connection", "Time", asked(time, [])), [])
    assert.deepStrictEqual(problems("Connection", "TimeAnswer", answered(1_700_000_000)), [])
    assert.deepStrictEqual(problems("Connection", "Authorize", asked(authorize, ["token", "public"])), [])
    assert.deepStrictEqual(problems("Connection", "Succeeded", answered(Frame.success)), [])
    const refusal = Frame.writeReceived({ _tag: "Refusal", id: 7, code: Frame.codes.unknownMarket, message: "no" })
    assert.deepStrictEqual(problems("Connection", "Refused", refusal), [])
    assert.notDeepEqual(problems("Connection", "Succeeded", refusal), [])
    assert.notDeepEqual(problems("Connection", "Authorize", asked(authorize, [])), [])
  })
})

describe.each(entries)("$name in the AsyncAPI document", (entry) => {
  const { channel, expressible = (message) => message, messages, name, queries, topics } = entry

  it(`the schemas of ${name} accept the frames in its fixture`, () => {
    for (const { wire } of topics)
      assert.deepStrictEqual(problems(name, "Subscribe", asked(channel.subscribe, wire)), [])
    for (const { wire } of messages) {
      assert.deepStrictEqual(problems(name, "Update", pushed(channel.pushed, wire)), [])
      assert.notDeepEqual(problems(name, "Update", pushed(channel.subscribe, wire)), [])
    }
    for (const [method, { method: onWire, params, result }] of Object.entries(queries)) {
      assert.deepStrictEqual(problems(name, called(method), asked(onWire, params.wire)), [])
      assert.deepStrictEqual(problems(name, `${called(method)}Answer`, answered(result.wire)), [])
    }
  })

  it(`the schemas of ${name} reject malformed parameters and messages`, () => {
    for (const params of [null, "words", { no: "field of any message" }, [[[["words"]]]]]) {
      assert.notDeepEqual(problems(name, "Update", pushed(channel.pushed, params)), [])
      assert.notDeepEqual(problems(name, "Subscribe", asked(channel.subscribe, params)), [])
    }
  })

  property(`the schemas of ${name} accept every generated message and response`, [
    Arbitraries.message(channel),
    Arbitraries.topic(channel)
  ], (drawn, topic) =>
    Effect.sync(() => {
      const { encodeMessage, encodeTopics } = channel["~codec"]
      const wire = Result.getOrThrow(encodeMessage(expressible(drawn as never)))
      assert.deepStrictEqual(problems(name, "Update", pushed(channel.pushed, wire)), [])
      const params = Result.getOrThrow(encodeTopics([topic]))
      assert.deepStrictEqual(problems(name, "Subscribe", asked(channel.subscribe, params)), [])
    }))

  for (const [method, query] of Object.entries<Channel.AnyQuery>(channel.queries)) {
    property(
      `the response schema of ${name}.${method} accepts every generated response`,
      [Arbitraries.result(query)],
      (drawn) =>
        Effect.sync(() => {
          const answer = entry.expressibleResult?.(drawn as never) ?? drawn
          const wire = Result.getOrThrow(query["~codec"].encodeResult(answer))
          assert.deepStrictEqual(problems(name, `${called(method)}Answer`, answered(wire)), [])
        })
    )
  }
})
