import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { Ticker } from "../../src/domain/Identifiers.ts"
import * as Compiled from "../../src/protocol/Compiled.ts"
import { type Dialect, document } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Parser from "../../src/protocol/Parser.ts"
import * as Wire from "../../src/protocol/Wire.ts"
import { entries, type Entry, entryOf, goldenIn } from "../endpoints/fixtures/all.ts"
import { anyRequest, response, revealed } from "../support/arbitraries.ts"
import { dialects } from "../support/exchange.ts"
import { withoutFunctionsOfText } from "../support/functions.ts"
import { mutation } from "../support/mutations.ts"
import { property } from "../support/property.ts"

/** One direction of a schema: its compiled parsers and the interpreted schema. */
interface Pair {
  readonly compiled: Parser.Parser
  /** A parser compiled as if the runtime did not allow functions created from source text. */
  readonly looped: Parser.Parser
  readonly isDecoding: boolean
  readonly schema: (input: unknown) => Result.Result<unknown, Schema.SchemaError>
}

const loops = Compiled.make(Compiled.interpreted)
const loop: Compiled.Compile = (ast) => withoutFunctionsOfText(() => loops(ast))

const decoding = (schema: Schema.Codec<unknown>): Pair => ({
  compiled: Compiled.compile(schema.ast),
  looped: loop(schema.ast),
  isDecoding: true,
  schema: Schema.decodeUnknownResult(schema)
})

const encoding = (schema: Schema.Codec<unknown>): Pair => ({
  compiled: Compiled.compile(SchemaAST.flip(schema.ast)),
  looped: loop(SchemaAST.flip(schema.ast)),
  isDecoding: false,
  schema: Schema.encodeUnknownResult(schema)
})

/** Formats everything observable about a value, including the sequence of keys. */
const shown = (value: unknown): string =>
  inspect(revealed(value), { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, showHidden: true })

/**
 * Checks that the schema returns the same value for every input that the compiled parser accepts. Returns whether the
 * parser accepted the input.
 */
const agrees = ({ compiled, isDecoding, looped, schema }: Pair, input: unknown): boolean => {
  const values = [compiled, looped].map((parse) => {
    Parser.tally.keys = 0
    const value = parse(input)
    if (isDecoding && value !== Parser.refused) assert.isAtMost(Parser.tally.keys, keysIn(input))
    return value
  })
  const [value, other] = values
  assert.strictEqual(shown(other), shown(value))
  if (value === Parser.refused) return false
  assert.strictEqual(shown(value), shown(Result.getOrThrow(schema(input))))
  return true
}

const throughJson = (wire: unknown): unknown =>
  wire === undefined ? undefined : Result.getOrThrow(Json.parse(Json.stringify(wire as object)))

/** Collects every object inside a value. */
const objectsIn = (value: unknown): ReadonlyArray<object> => {
  if (typeof value !== "object" || value === null) return []
  const inner: ReadonlyArray<unknown> = value instanceof Map ? [...value].flat() : Object.values(value)
  return [value, ...inner.flatMap(objectsIn)]
}

/** Counts the keys in all objects inside a value, including inherited keys. */
const keysIn = (value: unknown): number => {
  let count = 0
  for (const object of objectsIn(value)) if (!Array.isArray(object)) { for (const _ in object) count++ }
  return count
}

const once = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** An endpoint's compiled schemas in a dialect, and values to decode. */
const casesOf = (dialect: Dialect) => ({ endpoint, ...entry }: Entry) => {
  const golden = goldenIn({ ...entry }, dialect)
  const request = endpoint.request(dialect).schema
  const answer = endpoint.response(dialect)
  return {
    name: endpoint.name,
    schemas: [request, answer],
    codec: Endpoint.codec(endpoint, dialect),
    text: Json.stringify(golden.wire.response as object),
    goldens: [
      [encoding(request), golden.request],
      [decoding(request), throughJson(golden.wire.request)],
      [encoding(answer), golden.response],
      [decoding(answer), throughJson(golden.wire.response)]
    ] as const,
    requests: once(() => anyRequest(endpoint, dialect) as fc.Arbitrary<unknown>),
    answers: once(() => response(endpoint, dialect) as fc.Arbitrary<unknown>)
  }
}

const suite = (dialect: Dialect) => {
  const cases = entries.map(casesOf(dialect))
  describe(`compiled codecs in the ${dialect.name} dialect`, () => {
    it(`${dialect.name}: every schema node is compiled`, () => {
      for (const { name, schemas } of cases) {
        for (const { ast } of schemas) {
          const unknown: Array<string> = []
          const compile = Compiled.make((ast) => {
            unknown.push(ast._tag)
            return () => Parser.refused
          })
          compile(ast)
          compile(SchemaAST.flip(ast))
          assert.deepStrictEqual(unknown, [], name)
        }
      }
    })

    it(`${dialect.name}: compiled codecs convert the goldens as the schemas do, and their results share no object with the input`, () => {
      for (const { goldens, name } of cases) {
        for (const [pair, input] of goldens) {
          assert.isTrue(agrees(pair, input), name)
          const given = new Set(objectsIn(input))
          assert.isFalse(objectsIn(pair.compiled(input)).some((object) => given.has(object)), name)
        }
      }
    })

    it(`${dialect.name}: compiled codecs detect every repeated key in a response`, () => {
      const answers = cases.flatMap(({ codec, name, text }) => [
        { codec, name, text },
        // Includes older forms, for which decoding creates intermediate objects that are not in the response.
        ...(dialect.name === "live" ? entries.find((entry) => entry.endpoint.name === name)?.captured ?? [] : [])
          .flatMap(({ wire }) => wire === undefined ? [] : [{ codec, name, text: Json.stringify(wire as object) }])
      ])
      for (const { codec, name, text } of answers) {
        const read = (text: string) => codec.readResponse(text, Result.getOrThrow(Json.parse(text)))
        assert.isTrue(Result.isSuccess(read(text)), name)
        const twice = [...text.matchAll(/"[a-zA-Z0-9_]+":/gu)].map(({ 0: key, index }) =>
          `${text.slice(0, index)}${key}null,${text.slice(index)}`
        )
        for (const text of twice) assert.deepStrictEqual(read(text), Result.fail(Json.repeatedKey), text)
      }
    })

    it(`${dialect.name}: compiled codecs accept a value that a fixture lists as refused only if the schema accepts it too`, () => {
      for (const { endpoint, refused } of entries) {
        const { keys, schema } = endpoint.request(dialect)
        for (const { bad } of refused?.rows ?? []) {
          const said = Object.entries({ ...refused?.accepted, ...bad }).filter(([, value]) => value !== undefined)
          agrees(encoding(schema), Object.fromEntries(said))
          agrees(decoding(schema), Object.fromEntries(said.map(([name, value]) => [keys[name] ?? name, value])))
        }
      }
    })

    const drawn = fc.constantFrom(...cases)

    for (const what of ["requests", "answers"] as const) {
      property(
        `${dialect.name}: compiled codecs convert all ${what}, even mutated ones, as the schemas do`,
        [
          drawn.chain((it) => fc.tuple(fc.constant(it), it[what]())),
          fc.array(mutation, { minLength: 4, maxLength: 4 })
        ],
        ([{ goldens, name }, value], changes) =>
          Effect.sync(() => {
            const [[encoding], [decoding]] = what === "requests" ? [goldens[0], goldens[1]] : [goldens[2], goldens[3]]
            assert.isTrue(agrees(encoding, value), name)
            const wire = throughJson(Result.getOrThrow(encoding.schema(value)))
            assert.strictEqual(agrees(decoding, wire), Result.isSuccess(decoding.schema(wire)), name)
            for (const change of changes) {
              agrees(encoding, change(value))
              agrees(decoding, change(wire))
            }
          }),
        { runs: 4000, short: 75, timeout: 600_000 }
      )
    }
  })
}

for (const dialect of dialects) suite(dialect)

describe("compiled codecs with unusual objects", () => {
  const { endpoint } = entryOf("StopLimitOrders")
  const pair = encoding(endpoint.request(document).schema)
  const order = { market: "BTC_USDT", side: "buy", amount: "1", price: "2", activationPrice: "3" }
  const oncePerField = (change: (value: string) => string) => {
    const reads = new Map<string | symbol, number>()
    const request = new Proxy(order, {
      get: (target, name) => {
        reads.set(name, (reads.get(name) ?? 0) + 1)
        return (reads.get(name) ?? 0) === 1 ? Reflect.get(target, name) : change(String(Reflect.get(target, name)))
      }
    })
    return { reads, request }
  }

  it("a compiled codec reads each field only once, so it returns exactly the value that it checked", () => {
    const { reads, request } = oncePerField(() => "not a decimal")
    const plain = pair.compiled(order)
    assert.deepStrictEqual(pair.compiled(request), plain)
    assert.deepStrictEqual([...new Set(Object.keys(order).map((name) => reads.get(name)))], [1])
  })

  it("a compiled codec encodes an unusual object as the schema does", () => {
    class Order {
      readonly market = order.market
      readonly side = order.side
      readonly price = order.price
      readonly activationPrice = order.activationPrice
      get amount() {
        return order.amount
      }
    }
    const { market, ...rest } = order
    const inputs: ReadonlyArray<readonly [name: string, input: unknown]> = [
      ["an instance with a getter", new Order()],
      ["no prototype", Object.assign(Object.create(null), order)],
      ["an inherited field", Object.assign(Object.create({ market }), rest)],
      ["a hidden field", Object.defineProperty({ ...rest }, "market", { value: market })],
      ["extra symbols", { ...order, [Symbol("more")]: 1 }],
      ["a list with the fields", Object.assign([], order)],
      ["a field that is undefined", { ...order, clientOrderId: undefined }],
      ["a frozen object", Object.freeze({ ...order })],
      ["a function with the fields", Object.assign(() => undefined, order)]
    ]
    for (const [name, input] of inputs) {
      const accepted = agrees(pair, input)
      // For these inputs, the compiled codec accepts everything that the schema accepts.
      assert.strictEqual(accepted, Result.isSuccess(pair.schema(input)), name)
    }
  })

  it("a compiled codec throws as the schema does when a getter throws", () => {
    const request = {
      ...order,
      get amount(): string {
        throw new Error("no amount")
      }
    }
    const { encodeRequest } = Endpoint.codec(endpoint, document)
    assert.throws(() => encodeRequest(request))
    assert.throws(() => pair.schema(request))
  })
})

describe("compiled codecs of maps", () => {
  const keyed = Wire.keyed(Schema.String, Schema.Int)

  it("a map keeps a key named __proto__", () => {
    const wire: unknown = JSON.parse("{\"a\":1,\"__proto__\":2,\"7\":3}")
    assert.isTrue(agrees(decoding(keyed), wire))
    const map = new Map([["a", 1], ["__proto__", 2], ["7", 3]])
    assert.strictEqual(
      shown(Result.getOrThrow(Compiled.encodeUnknownResult(() => keyed)(map))),
      shown(Result.getOrThrow(Schema.encodeUnknownResult(keyed)(map)))
    )
  })
})

describe("the keys of compiled maps", () => {
  const keyed = Wire.keyed(Ticker, Schema.Int)

  it("a compiled codec checks a map's keys when it decodes and when it encodes", () => {
    for (const key of ["BTC", "", "a b", "_A", "é"]) {
      const isTicker = key === "BTC"
      assert.strictEqual(agrees(decoding(keyed), { [key]: 1 }), isTicker, key)
      assert.strictEqual(agrees(encoding(keyed), new Map([[key, 1]])), isTicker, key)
    }
    assert.isFalse(agrees(encoding(keyed), new Map([[1, 1]])))
  })
})

describe("failures of compiled codecs", () => {
  const struct = Schema.Struct({ a: Schema.Int, b: Schema.optionalKey(Schema.String) })

  it("a compiled codec fails with the schema's message", () => {
    const inputs = [null, {}, { a: "1" }, { a: 1, b: null }, []]
    for (const options of [undefined, { errors: "all" }] as const) {
      const compiled = Compiled.decodeUnknownResult(() => struct as Schema.Codec<unknown>, options)
      const schema = Schema.decodeUnknownResult(struct, options)
      for (const input of inputs) {
        assert.strictEqual(
          Result.getOrThrow(Result.flip(compiled(input))).message,
          Result.getOrThrow(Result.flip(schema(input))).message
        )
      }
    }
  })

  it("a compiled codec leaves unknown kinds of schema nodes to the schema", () => {
    const schemas: ReadonlyArray<readonly [Schema.Codec<unknown>, unknown]> = [
      [Schema.TemplateLiteral(["a", Schema.Int]), "a1"],
      [Schema.Struct({ a: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1))) }), {}],
      [Schema.Record(Schema.TemplateLiteral(["a", Schema.Int]), Schema.Int), { a1: 1 }],
      [Schema.Tuple([Schema.optionalKey(Schema.Int)]), []]
    ]
    for (const [schema, input] of schemas) {
      assert.deepStrictEqual(
        Compiled.decodeUnknownResult(() => schema)(input),
        Schema.decodeUnknownResult(schema)(input)
      )
    }
  })

  it("a compiled union tries no more members after it has passed the input to the schema", () => {
    const some = Wire.answer<{ readonly a?: number }>({ a: Schema.optionalKey(Schema.Int) })
    const many = Wire.answer<{ readonly b: number; readonly c?: number }>({
      b: Schema.Int,
      c: Schema.optionalKey(Schema.Int)
    })
    const anyone = Schema.Union([Schema.Struct({ d: Schema.Unknown }), some.schema])
    const inputs: ReadonlyArray<readonly [Schema.Codec<unknown>, unknown]> = [
      [Schema.Union([many.schema, some.schema]), { b: 1, c: undefined }],
      [Schema.Union([Wire.keyed(Schema.String, many.schema), some.schema]), { x: { b: 1, c: undefined } }],
      [Schema.Union([Schema.Record(Schema.String, Schema.Int), some.schema]), JSON.parse("{\"__proto__\":1}")],
      [anyone, { d: undefined }]
    ]
    for (const [schema, input] of inputs) {
      const pair = decoding(schema)
      assert.isTrue(Result.isSuccess(pair.schema(input)))
      agrees(pair, input)
    }
  })

  it("compiled codecs convert values as the schemas do, even those that no example in the contract contains", () => {
    const optional = Schema.Struct({ a: Schema.optionalKey(Schema.String) })
    const lists = Schema.Array(Schema.Int).check(Schema.isMinLength(1))
    const narrow = Schema.Struct({ a: Schema.Int })
    const wide = Schema.Struct({ a: Schema.Int, b: Schema.Int })
    const nested = Schema.Struct({ in: narrow, b: Schema.Int })
    const schemas: ReadonlyArray<readonly [Schema.Codec<unknown>, ReadonlyArray<unknown>]> = [
      [Schema.Union([nested, Schema.Struct({ in: narrow })]), [{ in: { a: 1 } }, { in: { a: 1 }, b: 2 }]],
      [optional, [{}, { a: "1" }, { a: undefined }, Object.create({ a: "1" })]],
      [lists, [[], [1], [1, 2], [1.5], { 0: 1, length: 1 }]],
      [Schema.Record(Schema.String, Schema.Unknown), [JSON.parse("{\"__proto__\":1,\"a\":2}"), { a: undefined }, []]],
      [Schema.Union([narrow, wide]), [{ a: 1, b: 2 }, { a: 1 }, { b: 1 }]],
      [Schema.Union([wide, narrow]), [{ a: 1, b: 2 }, { a: 1 }, { b: 1 }]],
      [Schema.Union([Schema.Literals(["a"]), Schema.String.check(Schema.isMinLength(2))]), ["a", "b", "bb"]],
      [Schema.Literals([0, 1]), [0, -0, 1, "0", NaN]],
      [Schema.Tuple([Schema.Int, Schema.String]), [[1, "a"], [1], [1, "a", 2]]],
      [Schema.Struct({}), [{}, [], 1, null, undefined]]
    ]
    for (const [schema, inputs] of schemas) {
      for (const input of inputs) {
        agrees(decoding(schema), input)
        agrees(encoding(schema), input)
      }
    }
  })

  it("null means absent in an optional response field, unless null is one of the field's values", () => {
    interface Model {
      readonly a?: string
      readonly b?: string | null
    }
    const { schema } = Wire.answer<Model>({
      a: Schema.optionalKey(Schema.String),
      b: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
    assert.deepStrictEqual(Compiled.compile(schema.ast)({ a: null, b: null }), { b: null })
    assert.isTrue(agrees(decoding(schema), { a: null, b: null }))
  })
})
