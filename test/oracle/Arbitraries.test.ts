import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { all } from "../../src/endpoints/all.ts"
import * as Arbitraries from "../../src/oracle/Arbitraries.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"

const dialects = [Dialect.document, Dialect.live]

describe("arbitraries for the contract", () => {
  for (const dialect of dialects) {
    it(`every brand in every endpoint has an arbitrary (${dialect.name})`, () => {
      for (const endpoint of all) {
        const brands = [
          ...Arbitraries.identifiersIn(endpoint.request(dialect).schema.ast).keys(),
          ...Arbitraries.identifiersIn(endpoint.response(dialect).ast).keys()
        ]
        assert.includeMembers(Object.keys(Arbitraries.brands), brands, endpoint.name)
      }
    })

    it(`the arbitraries generate valid requests and responses for every endpoint (${dialect.name})`, () => {
      for (const endpoint of all) {
        const { encodeRequest } = Endpoint.codec(endpoint, dialect)
        for (const request of fc.sample(Arbitraries.anyRequest(endpoint, dialect), { numRuns: 10, seed: 1 })) {
          assert.isTrue(Result.isSuccess(encodeRequest(request)), `${endpoint.name} ${fc.stringify(request)}`)
        }
        assert.lengthOf(fc.sample(Arbitraries.response(endpoint, dialect), { numRuns: 3, seed: 1 }), 3, endpoint.name)
      }
    })
  }
})

describe("the paths that rules call", () => {
  it("the oracle's paths and the contract's paths are the same", () => {
    const {
      all: called,
      alwaysTried,
      depth,
      documentCalls,
      fundingRates,
      liveCalls,
      liveReads,
      ofMarkets,
      ofSeveral,
      moneyless,
      ofCollateral,
      ofMainBalance,
      ofTradeBalance,
      orderBook,
      reads,
      trades,
      unchanging,
      unenveloped,
      unknown,
      unknownOrderBook,
      version,
      ...paths
    } = Paths
    const known: ReadonlyArray<string> = all.map(({ path }) => path)
    assert.includeMembers([...known], Object.values(paths))
    for (const path of known) assert.match(path, /^\/api\/v[14]\//u)
    assert.isTrue(known.some((path) => path.startsWith(`${version}/`)))
    for (const path of [...Object.values(unknown), unknownOrderBook]) assert.notInclude(known, path)
    assert.sameMembers([...ofMarkets], [orderBook, depth, fundingRates, trades])
    assert.sameMembers([...called], [...Object.values(paths), ...ofMarkets])
    for (const path of ofMarkets) assert.include(known, `${path}/{market}`)
    assert.includeMembers([...documentCalls], [...reads, ...unenveloped])
    assert.includeMembers([...liveCalls], [...liveReads, ...alwaysTried, ...ofSeveral])
    assert.includeMembers([...unchanging], [...reads])
    assert.includeMembers([...called], [...moneyless, ...ofMainBalance, ...ofCollateral, ...ofTradeBalance])
    const isPrivate = new Set<string>(all.filter(({ access }) => access === "private").map(({ path }) => path))
    for (const path of documentCalls) assert.isTrue(isPrivate.has(path), path)
  })

  it("the calls that a check may repeat are exactly the private calls that change nothing", () => {
    const reads = all.filter(({ access, mutates }) => access === "private" && !mutates).map(({ path }) => path)
    assert.sameMembers([...Paths.unchanging], reads.filter((path) => Paths.all.includes(path)))
  })
})
