/**
 * Faults of the calls that only the live exchange's documentation describes: the deals of an order.
 *
 * @since 0.1.0
 */
import * as OrderDeals from "../../../src/endpoints/OrderDeals.ts"
import { answering, asking, changing, type Fields, type Mutant, unnamed, without, withStatus } from "./Mutant.ts"

const deals = OrderDeals.endpoint.path

const dialects = ["live"] as const

const dealMutants: ReadonlyArray<Mutant> = [
  {
    id: "deals-own-order",
    fault: "dealOrderId is the order that was asked for",
    breaks: ["deals.counterparty"],
    make: () => {
      let asked: unknown
      return {
        ...asking(deals, (fields) => {
          asked = fields["orderId"]
          return fields
        }).make?.(),
        ...changing(deals, ["records", "*", "dealOrderId"], () => asked).make?.()
      }
    }
  },
  {
    id: "deals-all-makers",
    fault: "every deal says that the order rested in the book",
    breaks: ["deals.trade"],
    ...changing(deals, ["records", "*", "role"], () => 1)
  },
  {
    id: "deals-total-in-base",
    fault: "the total of a deal is its amount",
    breaks: ["deals.trade"],
    ...answering(deals, "success", (json) => mapRecords(json, (deal) => ({ ...deal, deal: deal["amount"] })))
  },
  {
    id: "deals-ids-of-sides",
    fault: "each side of a trade has another id of it",
    breaks: ["deals.trade"],
    ...answering(
      deals,
      "success",
      (json) => mapRecords(json, (deal) => ({ ...deal, id: Number(deal["id"]) * 10 + Number(deal["role"]) }))
    )
  },
  {
    id: "deals-of-everybody",
    fault: "whoever names an order is shown a deal",
    breaks: ["deals.isolation", "deals.unknown"],
    ...answering(deals, "success", (json) => ({ ...json as Fields, records: [{ id: 1 }] }))
  },
  {
    id: "deals-unknown-order",
    fault: "an order that has no deals is not found",
    breaks: ["deals.unknown"],
    ...withStatus(422, ({ body }, { path }) => path === deals && body.includes("\"records\":[]"))
  },
  {
    id: "deals-offset-ignored",
    fault: "every page is the first one",
    breaks: ["deals.pages"],
    ...asking(deals, (fields) => without(fields, "offset"))
  },
  {
    id: "deals-limit-100",
    fault: "a page has 100 deals unless asked otherwise",
    breaks: ["deals.pages"],
    ...asking(deals, (fields) => ({ limit: 100, ...fields }))
  },
  {
    id: "deals-refusal-unnamed",
    fault: "a refusal does not name the field",
    breaks: ["deals.refusal"],
    ...unnamed(deals, "orderId", "limit", "offset")
  },
  {
    id: "deals-refusal-400",
    fault: "a wrong field is refused with HTTP 400",
    breaks: ["deals.refusal"],
    ...withStatus(400, ({ status }, { path }) => path === deals && status === 422)
  }
]

/** Changes the records of a page. */
const mapRecords = (json: unknown, change: (record: Fields) => Fields): unknown => {
  const page = json as Fields & { readonly records: ReadonlyArray<Fields> }
  return { ...page, records: page.records.map(change) }
}

export const mutants: ReadonlyArray<Mutant> = dealMutants.map((mutant) => ({ ...mutant, dialects }))
