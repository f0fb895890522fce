/** All semantic mutants. Faults of form are derived; see `Shapes`. */
import * as Accounts from "./Accounts.ts"
import * as Calls from "./Calls.ts"
import * as Conditional from "./Conditional.ts"
import * as Lists from "./Lists.ts"
import * as MarketData from "./MarketData.ts"
import * as MoreOrders from "./MoreOrders.ts"
import type { Mutant } from "./Mutant.ts"
import * as Orders from "./Orders.ts"

export const all: ReadonlyArray<Mutant> = [
  ...Calls.mutants,
  ...Lists.mutants,
  ...Accounts.mutants,
  ...Orders.mutants,
  ...MarketData.mutants,
  ...Conditional.mutants,
  ...MoreOrders.mutants
]
