import { describe, expect, it } from "tstyche"
import type * as Fees from "../../src/endpoints/Fees.ts"
import type * as Transfers from "../../src/endpoints/Transfers.ts"
import { type Fixtures, fixtures } from "../endpoints/fixtures/all.ts"
import type { Fixture, Required, Row, Rows } from "../endpoints/fixtures/Fixture.ts"

declare const use: (value: unknown) => void

describe("the fixtures", () => {
  it("there is a fixture for every endpoint", () => {
    expect(fixtures).type.toBeAssignableTo<Fixtures>()
  })

  it("a missing fixture does not compile, and the compiler names its endpoint", () => {
    const { Transfers: _, ...others } = fixtures
    // @ts-expect-error Property 'Transfers' is missing in type
    const forgotten: Fixtures = others
    use(forgotten)
  })

  it("a fixture of another endpoint does not compile", () => {
    expect({ ...fixtures, Transfers: fixtures.Codes }).type.not.toBeAssignableTo<Fixtures>()
  })
})

describe("a fixture", () => {
  type OfTransfers = Fixture<typeof Transfers.endpoint>
  type OfFees = Fixture<typeof Fees.endpoint>
  const { Fees: fees, Transfers: transfers } = fixtures

  it("a fixture has every part", () => {
    const { documented: _, ...undocumented } = transfers
    const { golden: __, ...withoutGolden } = transfers
    const { mayLack: ___, ...withoutMayLack } = transfers
    expect(transfers).type.toBeAssignableTo<OfTransfers>()
    expect(undocumented).type.not.toBeAssignableTo<OfTransfers>()
    expect(withoutGolden).type.not.toBeAssignableTo<OfTransfers>()
    expect(withoutMayLack).type.not.toBeAssignableTo<OfTransfers>()
  })

  it("a fixture has refused values exactly if its endpoint refuses fields", () => {
    const { refused, ...accepting } = transfers
    expect(accepting).type.not.toBeAssignableTo<OfTransfers>()
    expect(fees).type.toBeAssignableTo<OfFees>()
    expect({ ...fees, refused }).type.not.toBeAssignableTo<OfFees>()
  })

  it("a fixture's refused values are not empty", () => {
    expect<[]>().type.not.toBeAssignableTo<Rows<Transfers.Request>>()
  })

  it("a fixture names only fields of the request", () => {
    type Broken = Row<{ readonly market: string; readonly limit?: number }>
    expect({ name: "x", bad: { market: 5 }, fields: { limit: "words" } }).type.toBeAssignableTo<Broken>()
    // @ts-expect-error 'offset' does not exist in type
    const unknown: Broken = { name: "x", bad: { offset: 5 }, fields: {} }
    use(unknown)
  })

  it("a fixture marks every required field, and may mark an optional one", () => {
    type Marks = Required<{ readonly market: string; readonly email?: string }>
    expect<{ market: "always" }>().type.toBeAssignableTo<Marks>()
    expect<{ market: "always"; email: "in the golden" }>().type.toBeAssignableTo<Marks>()
    expect<{ email: "in the golden" }>().type.not.toBeAssignableTo<Marks>()
    expect<{ market: "always"; email: "always" }>().type.not.toBeAssignableTo<Marks>()
  })
})
