/** The WebSocket methods that a connection can call, for every channel in the contract. */
import { entries, type Name } from "../../channels/all.ts"
import type * as Channel from "../../protocol/Channel.ts"
import { sources } from "./all.ts"
import type { Source } from "./Source.ts"

/** A channel and its source. */
export interface Served {
  /** The channel's name. */
  readonly name: Name
  readonly channel: Channel.Any
  readonly source: Source<Channel.Any>
}

/** A method that a channel provides. */
export type Method =
  | { readonly _tag: "Subscribe" | "Unsubscribe"; readonly served: Served }
  | {
    readonly _tag: "Query"
    readonly served: Served
    readonly query: Channel.AnyQuery
    /** The query's key in the channel's `queries`. */
    readonly asked: string
  }

const methodsOf = (served: Served): ReadonlyArray<readonly [string, Method]> => {
  const { channel } = served
  return [
    [channel.subscribe, { _tag: "Subscribe", served }],
    [channel.unsubscribe, { _tag: "Unsubscribe", served }],
    ...Object.entries(channel.queries).map(([asked, query]) =>
      [query.method, { _tag: "Query", served, query, asked }] as const
    )
  ]
}

/** The methods, keyed by name, such as `depth_subscribe`. */
export const methods: ReadonlyMap<string, Method> = new Map(
  // The cast is safe: each channel is paired with the source that has the same name.
  entries.flatMap(({ channel, name }) => methodsOf({ name, channel, source: sources[name] as never }))
)
