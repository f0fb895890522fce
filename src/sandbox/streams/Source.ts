/** The behaviour of a channel: what it pushes to a connection, and how its queries are answered. */
import type * as Result from "effect/Result"
import type { ChannelOf, Name } from "../../channels/all.ts"
import type { MarketName } from "../../domain/Identifiers.ts"
import type { UnixTime } from "../../domain/Time.ts"
import type * as Channel from "../../protocol/Channel.ts"
import * as Frame from "../../protocol/Frame.ts"
import type * as Event from "../engine/Event.ts"
import type { Context } from "../handlers/Handler.ts"

export type { Context } from "../handlers/Handler.ts"

/** A refusal: the code and the exchange's words. */
export type Refusal = Pick<Frame.Refusal, "code" | "message">

/** The refusal of invalid parameters. */
export const invalidArgument: Refusal = { code: Frame.codes.invalidArgument, message: "invalid argument" }

/** A command that was just applied. */
export interface Command {
  /** The command's events, in order. */
  readonly events: ReadonlyArray<Event.Event>
  /** The markets whose orders, trades or prices the command changed. */
  readonly markets: ReadonlySet<MarketName>
}

/** The latest change of a market's book. */
export interface BookChange {
  /** The number of the command that last changed the book. It never decreases. */
  readonly updateId: number
  /** The time of the command that last changed the book. */
  readonly timestamp: UnixTime
}

/** A channel's access to one connection: it reads the state, pushes messages and asks to be woken. */
export interface Outlet<Message> {
  /** The current state, and the account of the connection, which is absent for a public channel. */
  readonly context: () => Context
  /**
   * Pushes a message once the state that it was made from is durable. If the message is a snapshot, `snapshot` names it:
   * a later snapshot with the same name replaces it.
   */
  readonly push: (message: Message, snapshot?: string) => void
  /**
   * Asks to be woken at a time on the venue's clock, in Unix microseconds, or soon after. The request lapses when the
   * subscription is woken for any reason.
   */
  readonly wakeAt: (at: number) => void
  /** The latest change of a market's book. */
  readonly bookChange: (market: MarketName) => BookChange
  /** Ends the connection, because a message that its client expects can't be sent. */
  readonly end: () => void
}

/** A channel of a connection, from its first subscription until the connection leaves the channel. */
export interface Subscription<Topic> {
  /** Called after each subscribe and unsubscribe, with all topics of the connection and those of the request. */
  readonly listen: (topics: ReadonlyArray<Topic>, asked: ReadonlyArray<Topic>) => void
  /** Called after each command that the engine has applied. */
  readonly applied?: (command: Command) => void
  /**
   * Called when time has passed: at the time that was requested by `wakeAt`, or earlier if another subscription
   * requested that. Must call `wakeAt` again for anything still to come.
   */
  readonly woken?: (at: number) => void
}

/** The queries of a channel. */
export type Queries<C extends Channel.Any> = {
  readonly [Q in keyof C["queries"]]: C["queries"][Q] extends Channel.Query<infer Params, infer Answer>
    ? (params: Params, context: Context) => Result.Result<Answer, Refusal>
    : never
}

/** The behaviour of a channel. */
export interface Source<C extends Channel.Any> {
  /** Checks that only the exchange can make, in addition to whether the market exists. None by default. */
  readonly check?: (topic: Channel.Topic<C>, context: Context) => Refusal | undefined
  /** Opens the channel for a connection. */
  readonly open: (outlet: Outlet<Channel.Message<C>>) => Subscription<Channel.Topic<C>>
  /** Answers the channel's queries. */
  readonly queries: Queries<C>
}

/** A source for every channel of the contract. */
export type Sources = { readonly [K in Name]: Source<ChannelOf<K>> }

/** A group of sources, typed by the contract. */
export const group = <K extends Name>(sources: Pick<Sources, K>): Pick<Sources, K> => sources
