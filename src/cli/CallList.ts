/** Groups and describes the contract's calls for the help of `effect-txc call`. */
import * as SchemaAST from "effect/SchemaAST"
import { all, entries, type Name } from "../endpoints/all.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import { account } from "../sandbox/handlers/Account.ts"
import { bulk } from "../sandbox/handlers/Bulk.ts"
import { conditional } from "../sandbox/handlers/Conditional.ts"
import { lending } from "../sandbox/handlers/Lending.ts"
import { margin } from "../sandbox/handlers/Margin.ts"
import { market } from "../sandbox/handlers/Market.ts"
import { marketData } from "../sandbox/handlers/MarketData.ts"
import { moreOrders } from "../sandbox/handlers/MoreOrders.ts"
import { trading } from "../sandbox/handlers/Trading.ts"
import type { Paint } from "./Screen.ts"

/** The names of the calls. */
export const names: ReadonlyArray<string> = all.map(({ name }) => name)

/** The groups of calls. Every call is in exactly one group. */
const faces: ReadonlyArray<readonly [title: string, calls: object]> = [
  ["Markets, fees and time", market],
  ["Prices, trades and futures", marketData],
  ["Balances, codes and sub-accounts", account],
  ["Orders", { ...trading, ...moreOrders, ...conditional, ...bulk }],
  ["Margin and positions", margin],
  ["Interest", lending]
]

const fieldsIn = (endpoint: Endpoint.Any, dialect: Dialect.Dialect) => Endpoint.codec(endpoint, dialect).shape.fields

/** Returns the names of all fields that a request has in at least one dialect. */
export const fieldsOf = (endpoint: Endpoint.Any): ReadonlyArray<string> =>
  Object.keys({ ...fieldsIn(endpoint, Dialect.document), ...fieldsIn(endpoint, Dialect.live) })

/**
 * Returns a call's fields as text. Brackets mark optional fields, and a star marks fields that only the live dialect
 * has.
 */
const writtenFields = (endpoint: Endpoint.Any): string => {
  const documented = fieldsIn(endpoint, Dialect.document)
  return Object.entries({ ...fieldsIn(endpoint, Dialect.live), ...documented }).map(([name, { ast }]) => {
    const marked = Object.hasOwn(documented, name) ? name : `${name}*`
    return SchemaAST.isOptional(ast) ? `[${marked}]` : marked
  }).join(" ")
}

/** Lists all calls with their fields, in groups. */
export const list = ({ bold, cyan, dim }: Paint): string => {
  const width = Math.max(...names.map((name) => name.length)) + 2
  const mark = ({ access, mutates }: Endpoint.Any) => mutates ? "!" : access === "public" ? "-" : " "
  const line = ({ endpoint }: { readonly endpoint: Endpoint.Any }) =>
    `  ${cyan(endpoint.name.padEnd(width))}${mark(endpoint)} ${writtenFields(endpoint)}`.trimEnd()
  const linesOf = (calls: object) =>
    entries.filter(({ name }: { readonly name: Name }) => Object.hasOwn(calls, name)).map(line)
  return [
    bold("CALLS"),
    dim("  ! changes something; - needs no key; [field] is optional; * is for the live dialect only"),
    ...faces.flatMap(([title, calls]) => ["", `  ${bold(title)}`, ...linesOf(calls)])
  ].join("\n")
}

/** Returns a command line that makes this call with its endpoint's example request. */
export const example = (endpoint: Endpoint.Any): string => {
  const request: object = endpoint.example(Dialect.document)
  const fields = Object.keys(request).length === 0 ? "" : ` '${JSON.stringify(request)}'`
  return `effect-txc call ${endpoint.name}${fields}`
}
