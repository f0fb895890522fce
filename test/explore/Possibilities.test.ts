import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Possibilities from "../../src/explore/Possibilities.ts"

const surroundings: Possibilities.Surroundings = {
  markets: ["BTC_USDT", "BTC_PERP"],
  millis: 60_000,
  paths: ["/api/v4/order/new"],
  channels: ["depth"],
  calls: 10,
  busyMillis: 1000
}

const drawn = (possible: Possibilities.Possibilities, around: Possibilities.Surroundings) =>
  fc.sample(Possibilities.scenarios(possible, around), { seed: 36, numRuns: 2000 }).flatMap(({ events }) => events)

const symptomsOf = (around: Possibilities.Surroundings) =>
  new Set(
    drawn({ ...Possibilities.of("Fault") }, around).flatMap((event) =>
      event._tag === "Fault" ? [event.fault.symptom._tag] : []
    )
  )

const ofCalls = [
  "Answer",
  "BadGateway",
  "Delay",
  "Late",
  "Malformed",
  "Refuse",
  "Reset",
  "Slow",
  "Truncate",
  "Unreadable"
]

const ofStreams = [
  "Cut",
  "Duplicate",
  "Garble",
  "HoldBack",
  "IgnorePing",
  "Lose",
  "RefuseConnection",
  "RefuseToken",
  "Stale",
  "Stall",
  "Throttle"
]

describe("Possibilities", () => {
  it("Possibilities generate every symptom, but stream symptoms only for a program that uses streams", () => {
    assert.sameMembers([...symptomsOf(surroundings)], [...ofCalls, ...ofStreams])
    assert.sameMembers([...symptomsOf({ ...surroundings, channels: [] })], ofCalls)
  })

  it("Possibilities generate funding and liquidations only on futures markets", () => {
    const of = (markets: ReadonlyArray<string>) =>
      drawn(Possibilities.futures, { ...surroundings, markets }).flatMap((event) =>
        event._tag === "Funding" || event._tag === "Liquidation" ? [`${event._tag} ${event.market}`] : []
      )
    assert.sameMembers([...new Set(of(["BTC_USDT", "BTC_PERP"]))], ["Funding BTC_PERP", "Liquidation BTC_PERP"])
    assert.deepEqual(of(["BTC_USDT"]), [])
  })
})
