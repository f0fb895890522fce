import { describe, expect, it } from "tstyche"
import type { ChannelOf } from "../../src/channels/all.ts"
import type * as Fees from "../../src/endpoints/Fees.ts"
import type * as Transfers from "../../src/endpoints/Transfers.ts"
import { type Fixtures as ChannelFixtures, fixtures as channelFixtures } from "../channels/fixtures/all.ts"
import type { Fixture as ChannelFixture } from "../channels/fixtures/Fixture.ts"
import { type Fixtures, fixtures } from "../endpoints/fixtures/all.ts"
import type { Fixture, Required, Row, Rows } from "../endpoints/fixtures/Fixture.ts"

declare const use: (value: unknown) => void

describe("the list of fixtures", () => {
  it("every endpoint has a fixture", () => {
    expect(fixtures).type.toBeAssignableTo<Fixtures>()
  })

  it("the list of fixtures does not compile if a fixture is missing, and the compiler names its endpoint", () => {
    const { Transfers: _, ...others } = fixtures
    // @ts-expect-error Property 'Transfers' is missing in type
    const forgotten: Fixtures = others
    use(forgotten)
  })

  it("the list of fixtures does not compile with one endpoint's fixture under another endpoint's name", () => {
    expect({ ...fixtures, Transfers: fixtures.Codes }).type.not.toBeAssignableTo<Fixtures>()
  })
})

describe("the list of channel fixtures", () => {
  it("the list of channel fixtures does not compile if a fixture is missing, and the compiler names its channel", () => {
    const { DepthChannel: _, ...others } = channelFixtures
    // @ts-expect-error Property 'DepthChannel' is missing in type
    const forgotten: ChannelFixtures = others
    use(forgotten)
  })

  it("a channel's fixture does not compile if one of the channel's queries is missing", () => {
    type OfTrades = ChannelFixture<ChannelOf<"TradesChannel">>
    const { TradesChannel: trades } = channelFixtures
    expect(trades).type.toBeAssignableTo<OfTrades>()
    expect({ ...trades, queries: {} }).type.not.toBeAssignableTo<OfTrades>()
  })
})

describe("the type of a fixture", () => {
  type OfTransfers = Fixture<typeof Transfers.endpoint>
  type OfFees = Fixture<typeof Fees.endpoint>
  const { Fees: fees, Transfers: transfers } = fixtures

  it("a fixture does not compile if any of its parts is missing", () => {
    const { documented: _, ...undocumented } = transfers
    const { golden: __, ...withoutGolden } = transfers
    const { mayLack: ___, ...withoutMayLack } = transfers
    expect(transfers).type.toBeAssignableTo<OfTransfers>()
    expect(undocumented).type.not.toBeAssignableTo<OfTransfers>()
    expect(withoutGolden).type.not.toBeAssignableTo<OfTransfers>()
    expect(withoutMayLack).type.not.toBeAssignableTo<OfTransfers>()
  })

  it("a fixture has refused values if and only if its endpoint refuses fields", () => {
    const { refused, ...accepting } = transfers
    expect(accepting).type.not.toBeAssignableTo<OfTransfers>()
    expect(fees).type.toBeAssignableTo<OfFees>()
    expect({ ...fees, refused }).type.not.toBeAssignableTo<OfFees>()
  })

  it("a fixture's list of refused values does not compile if it is empty", () => {
    expect<[]>().type.not.toBeAssignableTo<Rows<Transfers.Request>>()
  })

  it("a fixture's invalid requests change only fields that the request has", () => {
    type Broken = Row<{ readonly market: string; readonly limit?: number }>
    expect({ name: "x", bad: { market: 5 }, fields: { limit: "words" } }).type.toBeAssignableTo<Broken>()
    // @ts-expect-error 'offset' does not exist in type
    const unknown: Broken = { name: "x", bad: { offset: 5 }, fields: {} }
    use(unknown)
  })

  it("a fixture lists every required field, and may also list an optional field", () => {
    type Marks = Required<{ readonly market: string; readonly email?: string }>
    expect<{ market: "always" }>().type.toBeAssignableTo<Marks>()
    expect<{ market: "always"; email: "in the golden" }>().type.toBeAssignableTo<Marks>()
    expect<{ email: "in the golden" }>().type.not.toBeAssignableTo<Marks>()
    expect<{ market: "always"; email: "always" }>().type.not.toBeAssignableTo<Marks>()
  })
})
