/** The sources of all channels. A missing source is a compile error here that names its channel. */
import { accountSources } from "./AccountSources.ts"
import { bookSources } from "./BookSources.ts"
import { marginSources } from "./MarginSources.ts"
import { marketSources } from "./MarketSources.ts"
import { orderSources } from "./OrderSources.ts"
import type { Sources } from "./Source.ts"

/** The sources, by the names of the contract. */
export const sources: Sources = {
  ...marketSources,
  ...bookSources,
  ...accountSources,
  ...orderSources,
  ...marginSources
}
