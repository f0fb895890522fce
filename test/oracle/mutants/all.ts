/** All mutants with semantic faults. Mutants with malformed responses are derived: see `Shapes`. */
import * as Accounts from "./Accounts.ts"
import * as AccountTerms from "./AccountTerms.ts"
import * as AccountValues from "./AccountValues.ts"
import * as Borrowing from "./Borrowing.ts"
import * as Calls from "./Calls.ts"
import * as Comparisons from "./Comparisons.ts"
import * as Conditional from "./Conditional.ts"
import * as DocumentRecords from "./DocumentRecords.ts"
import * as Edges from "./Edges.ts"
import * as Filtered from "./Filtered.ts"
import * as Followed from "./Followed.ts"
import * as LimitOrders from "./LimitOrders.ts"
import * as Lists from "./Lists.ts"
import * as Margin from "./Margin.ts"
import * as MarketData from "./MarketData.ts"
import * as MarketTerms from "./MarketTerms.ts"
import * as MarketValues from "./MarketValues.ts"
import * as MoreOrders from "./MoreOrders.ts"
import type { Mutant } from "./Mutant.ts"
import * as Narrow from "./Narrow.ts"
import * as OrderEffects from "./OrderEffects.ts"
import * as Orders from "./Orders.ts"
import * as OrderTerms from "./OrderTerms.ts"
import * as OwnRecords from "./OwnRecords.ts"
import * as PositionEffects from "./PositionEffects.ts"
import * as PositionSteps from "./PositionSteps.ts"
import * as PublicSeries from "./PublicSeries.ts"
import * as Queues from "./Queues.ts"
import * as RecordPages from "./RecordPages.ts"
import * as Refused from "./Refused.ts"
import * as Replacements from "./Replacements.ts"
import * as Served from "./Served.ts"
import * as StreamAccounts from "./StreamAccounts.ts"
import * as StreamMargin from "./StreamMargin.ts"
import * as Streams from "./Streams.ts"
import * as StreamSteps from "./StreamSteps.ts"
import * as StreamTerms from "./StreamTerms.ts"
import * as Topics from "./Topics.ts"
import * as TradingValues from "./TradingValues.ts"
import * as Values from "./Values.ts"
import * as Waiting from "./Waiting.ts"

export const all: ReadonlyArray<Mutant> = [
  ...Calls.mutants,
  ...Lists.mutants,
  ...Accounts.mutants,
  ...Orders.mutants,
  ...MarketData.mutants,
  ...Conditional.mutants,
  ...MoreOrders.mutants,
  ...Served.mutants,
  ...Values.mutants,
  ...TradingValues.mutants,
  ...AccountValues.mutants,
  ...Margin.mutants,
  ...Borrowing.mutants,
  ...MarketValues.mutants,
  ...LimitOrders.mutants,
  ...Comparisons.mutants,
  ...OrderTerms.mutants,
  ...Narrow.mutants,
  ...OwnRecords.mutants,
  ...Waiting.mutants,
  ...Edges.mutants,
  ...Followed.mutants,
  ...OrderEffects.mutants,
  ...Replacements.mutants,
  ...PositionEffects.mutants,
  ...PositionSteps.mutants,
  ...MarketTerms.mutants,
  ...AccountTerms.mutants,
  ...Refused.mutants,
  ...DocumentRecords.mutants,
  ...RecordPages.mutants,
  ...PublicSeries.mutants,
  ...Queues.mutants,
  ...Filtered.mutants
]

/** All WebSocket faults. */
export const streams: ReadonlyArray<Streams.StreamMutant> = [
  ...Streams.mutants,
  ...StreamAccounts.mutants,
  ...StreamMargin.mutants,
  ...Topics.mutants,
  ...StreamTerms.mutants,
  ...RecordPages.streams,
  ...StreamSteps.mutants,
  ...Queues.streams
]
