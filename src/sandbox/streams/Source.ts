/** A channel's behavior: what the channel pushes to a connection, and how it replies to queries. */
import type * as Result from "effect/Result"
import type { ChannelOf, Name } from "../../channels/all.ts"
import type { MarketName } from "../../domain/Identifiers.ts"
import type { UnixTime } from "../../domain/Time.ts"
import type * as Channel from "../../protocol/Channel.ts"
import * as Frame from "../../protocol/Frame.ts"
import type * as Event from "../engine/Event.ts"
import type { Context } from "../handlers/Handler.ts"

export type { Context } from "../handlers/Handler.ts"

/** A refusal: the code and the exchange's message. */
export type Refusal = Pick<Frame.Refusal, "code" | "message">

/** The refusal of invalid parameters. */
export const invalidArgument: Refusal = { code: Frame.codes.invalidArgument, message: "invalid argument" }

/** A command that was just applied. */
export interface Command {
  /** The command's events, in order. */
  readonly events: ReadonlyArray<Event.Event>
  /** The markets that the command's events are about. */
  readonly markets: ReadonlySet<MarketName>
}

/** The latest command that may have changed a market's book. */
export interface BookChange {
  /** The command's number, which never decreases. */
  readonly updateId: number
  /** The command's time on the venue's clock. */
  readonly timestamp: UnixTime
}

/** A channel's access to one connection, through which the channel reads the state, pushes messages and is woken. */
export interface Outlet<Message> {
  /** The current state and the connection's account, which is empty if the connection is not authorized. */
  readonly context: () => Context
  /**
   * Pushes a message once the state from which it was made is durable. If the message is a snapshot, `snapshot` is its
   * name; a later snapshot with the same name replaces it for the client.
   */
  readonly push: (message: Message, snapshot?: string) => void
  /**
   * Asks to be woken at a time on the venue's clock, in Unix microseconds, or shortly afterwards. The request lapses
   * when the subscription is woken for any reason.
   */
  readonly wakeAt: (at: number) => void
  /** The latest command that may have changed a market's book. */
  readonly bookChange: (market: MarketName) => BookChange
  /** Closes the connection, because a message that the client expects can't be sent. */
  readonly end: () => void
}

/** A connection's use of a channel, from its first subscription until it has unsubscribed from all topics. */
export interface Subscription<Topic> {
  /**
   * Called after each subscribe and unsubscribe request, with all of the connection's topics and the request's topics.
   */
  readonly listen: (topics: ReadonlyArray<Topic>, asked: ReadonlyArray<Topic>) => void
  /** Called after each command that the engine has applied. */
  readonly applied?: (command: Command) => void
  /**
   * Called when time has passed: at the time that was requested by `wakeAt`, or earlier if another subscription
   * requested that. This function must call `wakeAt` again if it has to be woken later.
   */
  readonly woken?: (at: number) => void
}

/** A channel's queries. */
export type Queries<C extends Channel.Any> = {
  readonly [Q in keyof C["queries"]]: C["queries"][Q] extends Channel.Query<infer Params, infer Answer>
    ? (params: Params, context: Context) => Result.Result<Answer, Refusal>
    : never
}

/** A channel's behavior. */
export interface Source<C extends Channel.Any> {
  /**
   * Checks a topic against the exchange's state. The topic's market has already been checked to exist. By default there
   * are no checks.
   */
  readonly check?: (topic: Channel.Topic<C>, context: Context) => Refusal | undefined
  /** Opens the channel for a connection. */
  readonly open: (outlet: Outlet<Channel.Message<C>>) => Subscription<Channel.Topic<C>>
  /** Replies to the channel's queries. */
  readonly queries: Queries<C>
}

/** A source for every channel in the contract. */
export type Sources = { readonly [K in Name]: Source<ChannelOf<K>> }

/** A group of sources, typed by the contract. */
export const group = <K extends Name>(sources: Pick<Sources, K>): Pick<Sources, K> => sources
