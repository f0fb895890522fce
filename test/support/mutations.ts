/** Small changes to values, for tests that compare two decoders of the same values. */
import * as fc from "fast-check"
import * as Json from "../../src/protocol/Json.ts"

/** Values of many types that can replace any value. */
const odd: ReadonlyArray<unknown> = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  1,
  2,
  -1,
  0.5,
  NaN,
  Infinity,
  1e21,
  2 ** 53,
  2 ** 53 - 1,
  0n,
  -1n,
  2n ** 53n,
  10n ** 40n,
  "",
  "0",
  "-0",
  "-1.5",
  "00",
  "1.",
  "1e3",
  "margin limit",
  "margin market",
  "OPEN",
  "cb",
  "constructor",
  "__proto__",
  "\uD800",
  "é",
  "9".repeat(64),
  "9".repeat(65),
  "x".repeat(300),
  [],
  {},
  [[]],
  new Map(),
  new Map([["BTC", "1"]]),
  /x/u,
  Symbol("odd"),
  () => "0"
]

type Change = (value: unknown) => unknown

/** Applies a change to the value itself, or to a value nested in it. */
const anywhere = (change: Change): fc.Arbitrary<Change> =>
  fc.infiniteStream(fc.nat()).map((choices) => {
    const next = (count: number): number => Number(choices.next().value) % count
    const descend = (value: unknown): unknown => {
      const keys = Json.isObject(value) && !(value instanceof Map) ? Object.keys(value) : []
      if (Array.isArray(value) && value.length > 0 && next(4) > 0) {
        const at = next(value.length)
        return value.map((item, index) => index === at ? descend(item) : item)
      }
      if (value instanceof Map && value.size > 0 && next(4) > 0) {
        const at = next(value.size)
        return new Map([...value].map(([key, item], index) => index === at ? [key, descend(item)] : [key, item]))
      }
      if (Json.isObject(value) && keys.length > 0 && next(4) > 0) {
        const at = keys[next(keys.length)] ?? ""
        return { ...value, [at]: descend(value[at]) }
      }
      return change(value)
    }
    return descend
  })

const withEntries =
  (change: (entries: ReadonlyArray<readonly [string, unknown]>) => Iterable<readonly [string, unknown]>): Change =>
  (value) => Json.isObject(value) && !(value instanceof Map) ? Object.fromEntries(change(Object.entries(value))) : value

/** One to three small changes to a value, which may be JSON or a value that a caller passes. */
export const mutation: fc.Arbitrary<Change> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...odd).map((value): Change => () => value) },
    {
      weight: 3,
      arbitrary: fc.nat(30).map((at): Change => withEntries((all) => all.filter((_, index) => index !== at)))
    },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.nat(30),
        fc.constantFrom("type", "margin", "market", "__proto__", "toString", "price", "x")
      )
        .map(([at, name]): Change =>
          withEntries((all) => all.map(([key, value], index) => [index === at ? name : key, value]))
        )
    },
    { weight: 1, arbitrary: fc.constant<Change>(withEntries((all) => all.toReversed())) },
    { weight: 1, arbitrary: fc.constant<Change>((value) => [value]) },
    { weight: 1, arbitrary: fc.constant<Change>((value) => ({ value })) },
    { weight: 1, arbitrary: fc.constant<Change>((value) => Array.isArray(value) ? [...value, ...value] : value) },
    {
      weight: 1,
      arbitrary: fc.constant<Change>((value) => typeof value === "number" ? String(value) : Number(value as never))
    }
  ).chain((change) =>
    anywhere((value) => {
      try {
        return change(value)
      } catch {
        return null
      }
    })
  ),
  { minLength: 1, maxLength: 3 }
).map((changes) => (value) => changes.reduce((changed, change) => change(changed), value))
