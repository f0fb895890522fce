/** The sources of all channels. A missing source is a compile error here that names its channel. */
import { accountSources } from "./AccountSources.ts"
import { bookSources } from "./BookSources.ts"
import { marketSources } from "./MarketSources.ts"
import { orderSources } from "./OrderSources.ts"
import { group, invalidArgument, type Sources } from "./Source.ts"

/**
 * A channel whose subscriptions are acknowledged, but which never pushes, because this exchange has nothing to report
 * there.
 */
const silent = { open: () => ({ listen: () => undefined }), queries: {} }

const silentSources = group({
  PremiumIndexChannel: {
    ...silent,
    check: ({ market }, { state }) =>
      market === undefined || state.markets.get(market)?.type === "futures" ? undefined : invalidArgument
  },
  PositionEventsChannel: silent,
  BorrowsChannel: silent,
  BorrowEventsChannel: silent,
  AdlQuantileChannel: silent
})

/** The sources, by the names of the contract. */
export const sources: Sources = {
  ...marketSources,
  ...bookSources,
  ...accountSources,
  ...orderSources,
  ...silentSources
}
