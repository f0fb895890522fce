/**
 * The handlers of all endpoints. If a handler is missing, this file does not compile, and the error names the endpoint.
 */
import { account } from "./Account.ts"
import { bulk } from "./Bulk.ts"
import { conditional } from "./Conditional.ts"
import type { Handlers } from "./Handler.ts"
import { lending } from "./Lending.ts"
import { margin } from "./Margin.ts"
import { market } from "./Market.ts"
import { marketData } from "./MarketData.ts"
import { moreOrders } from "./MoreOrders.ts"
import { trading } from "./Trading.ts"

/** The handlers, keyed by their names in the contract. */
export const handlers: Handlers = {
  ...trading,
  ...conditional,
  ...moreOrders,
  ...bulk,
  ...account,
  ...lending,
  ...margin,
  ...market,
  ...marketData
}
