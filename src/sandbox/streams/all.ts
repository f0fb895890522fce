/** The sources of all channels. If a source is missing, this file does not compile, and the error names the channel. */
import { accountSources } from "./AccountSources.ts"
import { bookSources } from "./BookSources.ts"
import { marginSources } from "./MarginSources.ts"
import { marketSources } from "./MarketSources.ts"
import { orderSources } from "./OrderSources.ts"
import type { Sources } from "./Source.ts"

/** The sources, keyed by their names in the contract. */
export const sources: Sources = {
  ...marketSources,
  ...bookSources,
  ...accountSources,
  ...orderSources,
  ...marginSources
}
