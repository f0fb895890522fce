/**
 * The exchange's side of a connection: messages in, messages out. It has no clock and no socket. `Streams`, which
 * manages the venue's connections, notifies it of commands and of the passing of time, and a `Wire` carries its
 * messages.
 */
import * as Result from "effect/Result"
import type { Name } from "../../channels/all.ts"
import type { MarketName } from "../../domain/Identifiers.ts"
import * as Frame from "../../protocol/Frame.ts"
import * as Json from "../../protocol/Json.ts"
import type { Key } from "../engine/State.ts"
import type { OpenConnection, Place, SentMessage, Shown } from "../gateway/OpenConnections.ts"
import type { Ending, Wire } from "../gateway/Socket.ts"
import type { Context } from "../handlers/Handler.ts"
import * as MarketFigures from "../handlers/MarketFigures.ts"
import type { Venue } from "../venue/Venue.ts"
import * as Bounds from "./Bounds.ts"
import { type Method, methods, type Served } from "./Methods.ts"
import * as Output from "./Output.ts"
import * as PushFaults from "./PushFaults.ts"
import * as RecentMessages from "./RecentMessages.ts"
import type { Snapshots } from "./Snapshots.ts"
import { type Command, invalidArgument, type Outlet, type Refusal, type Subscription } from "./Source.ts"

/** The parts of the venue and its runtime that a connection uses. */
export interface Surroundings extends Pick<Outlet<never>, "bookChange" | "wakeAt"> {
  readonly venue: Venue["Service"]
  /** The current state, as an account sees it. */
  readonly context: (account: string) => Context
  /** The connection's slot within the venue's limit on connections. */
  readonly place: Place
  /** Called once the connection has closed. */
  readonly ended: () => void
  /** Calls a function after the given number of milliseconds. The returned function cancels this timer. */
  readonly later: (millis: number, run: () => void) => () => void
  /** The first snapshots that connections received, for `Stale` faults. */
  readonly snapshots: Snapshots
  /** Logs an error that only a defect in this program can cause. */
  readonly failed: (message: string, cause: unknown) => void
}

/** A channel to which the connection is subscribed. */
interface Listening {
  readonly served: Served
  readonly subscription: Subscription<unknown>
  /** The subscribed topics, keyed by the result of the channel's `keyOf`. */
  topics: Map<string, unknown>
}

const methodNotFound: Refusal = { code: Frame.codes.methodNotFound, message: "method not found" }

const authenticationRequired: Refusal = {
  code: Frame.codes.authenticationRequired,
  message: "require authentication"
}

const tooManyRequests: Refusal = { code: Frame.codes.tooManyRequests, message: "too many requests" }

const unauthorized: Refusal = { code: Frame.codes.authorizationFailed, message: "unauthorized" }

const unavailable: Refusal = { code: Frame.codes.serviceUnavailable, message: "service unavailable" }

const internalError: Refusal = { code: Frame.codes.internalError, message: "internal error" }

const unknownMarket = (market: string): Refusal => ({
  code: Frame.codes.unknownMarket,
  message: `market ${market} does not exist`
})

/** The market named in a request's parameters or in a topic, if any. */
const marketOf = (asked: unknown): MarketName | undefined => (Object(asked) as { readonly market?: MarketName }).market

/** The exchange's side of one WebSocket connection. */
export class Connection implements Shown {
  private readonly surroundings: Surroundings
  private readonly output: Output.Output
  private readonly pushes: PushFaults.PushFaults
  private readonly listening = new Map<Name, Listening>()
  private readonly wire: Wire
  private readonly since: number
  private readonly recent = RecentMessages.make()
  /** The key that authorized the connection. */
  private key: Key | undefined
  private isOver = false
  /** The current rate-limit window: its start, and the number of messages received in it. */
  private window = { start: 0, count: 0 }

  constructor(surroundings: Surroundings, wire: Wire) {
    this.surroundings = surroundings
    this.wire = wire
    // Times in a restored venue can contain a fraction of a microsecond.
    const now = () => Math.floor(this.context().at)
    this.since = now()
    const { later, venue } = surroundings
    const send = (text: string): void => {
      this.recent.add({ at: now(), text })
      wire.send(text)
    }
    this.output = Output.make(venue, { ...wire, send }, { end: (ending) => this.end(ending), later })
    this.pushes = PushFaults.make(this.output)
    surroundings.place.show(this)
  }

  /** Handles a message from the client. The caller must first apply everything that is due. */
  receive(text: string): void {
    if (this.isOver) return
    const request = Frame.readRequest(text)
    if (Result.isFailure(request)) return this.unreadable(text)
    const { id } = request.success
    if (!this.isWithinRate()) return this.refuse(id, tooManyRequests)
    const refusal = this.answer(request.success)
    if (refusal !== undefined) this.refuse(id, refusal)
  }

  /** Notifies the channels of a command that was applied. */
  applied(command: Command): void {
    for (const { subscription } of this.listening.values()) subscription.applied?.(command)
  }

  /** Notifies the channels of the venue's current time, in Unix microseconds. */
  woken(at: number): void {
    for (const { subscription } of this.listening.values()) subscription.woken?.(at)
  }

  readonly show = (): Omit<OpenConnection, "id"> => ({
    from: this.wire.from,
    ...(this.key === undefined ? {} : { account: this.key.account, apiKey: this.key.apiKey }),
    since: this.since,
    subscriptions: Array.from(this.listening.values(), ({ served: { channel }, topics }) => ({
      channel: channel.wire,
      topics: [...topics.values()].flatMap((topic) => {
        const encoded = channel["~codec"].encodeTopics([topic])
        return Result.isSuccess(encoded) ? [encoded.success] : []
      })
    })),
    sent: this.recent.count(),
    waiting: this.output.waiting()
  })

  readonly latest = (): ReadonlyArray<SentMessage> => this.recent.all()

  /** Whether to reply to a ping. */
  pinged(): boolean {
    if (this.isOver) return false
    const { faults } = this.surroundings.venue
    return !this.output.isStalled() && faults.hit(["ping"], { account: this.account }) === undefined
  }

  /** Closes the connection. */
  end(ending: Ending = "abrupt"): void {
    if (this.isOver) return
    this.isOver = true
    this.listening.clear()
    this.output.drop()
    this.surroundings.place.leave()
    this.wire.end(ending)
    this.surroundings.ended()
  }

  /**
   * Handles a message that is not a valid request. JSON with a valid id gets a refusal in reply; any other such message
   * closes the connection.
   */
  private unreadable(text: string): void {
    const json = Result.getOrUndefined(Json.parse(text))
    const { id } = Object(json) as { readonly id?: unknown }
    if (typeof id === "number" && Number.isSafeInteger(id) && id >= 0) this.refuse(id, invalidArgument)
    else this.output.endAfter("abrupt")
  }

  private isWithinRate(): boolean {
    const { at } = this.context()
    const { count, perMillis } = Bounds.messages
    const { start } = this.window
    if (at < start || at >= start + perMillis * 1000) this.window = { start: at, count: 0 }
    return ++this.window.count <= count
  }

  /** The account for which the connection is authorized. */
  private get account(): string | undefined {
    return this.key?.account
  }

  private context(): Context {
    return this.surroundings.context(this.account ?? "")
  }

  private refuse(id: number, { code, message }: Refusal): void {
    this.output.send(Frame.writeReceived({ _tag: "Refusal", id, code, message }))
  }

  private succeed(id: number, result: unknown): undefined {
    this.output.send(Frame.writeReceived({ _tag: "Answer", id, result }))
  }

  private answer(request: Frame.Request): Refusal | undefined {
    const { id, method } = request
    switch (method) {
      case Frame.methods.ping:
        return this.pinged() ? this.succeed(id, "pong") : undefined
      case Frame.methods.time:
        return this.succeed(id, MarketFigures.seconds(this.context().serverTime))
      case Frame.methods.authorize:
        return this.authorize(request)
      default: {
        const found = methods.get(method)
        if (found === undefined) return methodNotFound
        const isOpen = found.served.channel.access === "public" || this.account !== undefined
        return isOpen ? this.answerMethod(request, found) : authenticationRequired
      }
    }
  }

  private answerMethod(request: Frame.Request, method: Method): Refusal | undefined {
    switch (method._tag) {
      case "Subscribe":
        return this.subscribe(request, method.served)
      case "Unsubscribe":
        return this.unsubscribe(request, method.served)
      case "Query":
        return this.query(request, method)
    }
  }

  /** Authorizes the connection until it closes. The exchange does not check the second parameter. */
  private authorize({ id, params: [token] }: Frame.Request): Refusal | undefined {
    if (typeof token !== "string") return invalidArgument
    const { place, venue } = this.surroundings
    const key = venue.streamTokens.admit(venue.state, token, this.context().serverTime)
    if (key === undefined || (this.account ?? key.account) !== key.account) return unauthorized
    const fault = venue.faults.hit(["authorize"], { account: key.account })
    if (fault !== undefined) return fault.kind === "unauthorized" ? unauthorized : unavailable
    if (!place.authorize(key.apiKey)) return tooManyRequests
    this.key = key
    return this.succeed(id, Frame.success)
  }

  private subscribe({ id, params }: Frame.Request, served: Served): Refusal | undefined {
    const { channel, name } = served
    const decoded = channel["~codec"].decodeTopics(params)
    if (Result.isFailure(decoded)) return invalidArgument
    const asked = decoded.success
    for (const topic of asked) {
      const refusal = this.refusalOf(served, topic)
      if (refusal !== undefined) return refusal
    }
    const topics = new Map(channel.replaces(params) ? [] : this.listening.get(name)?.topics)
    for (const topic of asked) topics.set(channel.keyOf(topic), topic)
    if (this.topicsOfOthers(name) + topics.size > Bounds.maxTopics) return tooManyRequests
    // The acknowledgement must precede the first message of the channel.
    this.succeed(id, Frame.success)
    const listening = this.listening.get(name) ?? this.open(served)
    listening.topics = topics
    listening.subscription.listen([...listening.topics.values()], asked)
    if (listening.topics.size === 0) this.listening.delete(name)
    return undefined
  }

  /** The number of subscribed topics in all channels except the named one. */
  private topicsOfOthers(name: Name): number {
    let count = 0
    for (const [other, { topics }] of this.listening) if (other !== name) count += topics.size
    return count
  }

  /** Ends the channel's subscriptions to the markets that the parameters name; without parameters, all of them. */
  private unsubscribe({ id, params }: Frame.Request, { name }: Served): undefined {
    this.succeed(id, Frame.success)
    const listening = this.listening.get(name)
    if (listening === undefined) return
    for (const [key, topic] of listening.topics) {
      if (params.length === 0 || params.includes(marketOf(topic))) listening.topics.delete(key)
    }
    if (listening.topics.size === 0) this.listening.delete(name)
    else listening.subscription.listen([...listening.topics.values()], [])
  }

  private query(
    { id, params }: Frame.Request,
    { asked, query, served }: Method & { _tag: "Query" }
  ): Refusal | undefined {
    const decoded = query["~codec"].decodeParams(params)
    if (Result.isFailure(decoded)) return invalidArgument
    const refusal = this.refusalOfMarket(marketOf(decoded.success))
    if (refusal !== undefined) return refusal
    const answered = served.source.queries[asked]?.(decoded.success, this.context())
    if (answered === undefined) return methodNotFound
    if (Result.isFailure(answered)) return answered.failure
    const encoded = query["~codec"].encodeResult(answered.success)
    if (Result.isSuccess(encoded)) {
      const old = this.staleOf(served, JSON.stringify([query.method, params]), encoded.success)
      return this.succeed(id, old === undefined ? encoded.success : old.snapshot)
    }
    this.surroundings.failed(`The reply to ${query.method} could not be written`, encoded.failure)
    return internalError
  }

  private refusalOfMarket(market: MarketName | undefined): Refusal | undefined {
    return market === undefined || this.context().state.markets.has(market) ? undefined : unknownMarket(market)
  }

  private refusalOf({ source }: Served, topic: unknown): Refusal | undefined {
    return this.refusalOfMarket(marketOf(topic)) ?? source.check?.(topic, this.context())
  }

  private open(served: Served): Listening {
    const { bookChange, wakeAt } = this.surroundings
    const subscription = served.source.open({
      context: () => this.context(),
      push: (message, snapshot) => this.push(served, message, snapshot),
      wakeAt,
      bookChange,
      end: () => this.end()
    })
    const listening = { served, subscription, topics: new Map() }
    this.listening.set(served.name, listening)
    return listening
  }

  /** The older snapshot with this name, if a fault causes it to be sent again. */
  private staleOf({ channel: { wire } }: Served, name: string, current: unknown) {
    const { snapshots, venue } = this.surroundings
    const old = snapshots.first(`${this.account ?? ""} ${wire} ${name}`, current)
    if (old === undefined) return undefined
    return venue.faults.hit(["snapshot"], { account: this.account, channel: wire }) && old
  }

  private push(served: Served, message: unknown, snapshot: string | undefined): void {
    // A message that is not sent must not use up a fault.
    if (this.isOver || this.output.isStalled()) return
    const { channel } = served
    const encoded = channel["~codec"].encodeMessage(message)
    if (Result.isFailure(encoded)) {
      // A client must be able to notice that a message is missing, so the connection is closed.
      this.surroundings.failed(`A message of ${channel.pushed} could not be written`, encoded.failure)
      return this.end()
    }
    const current = encoded.success
    const old = snapshot === undefined ? undefined : this.staleOf(served, snapshot, current)
    const params = old === undefined ? current : old.snapshot
    const text = Frame.writeReceived({ _tag: "Push", method: channel.pushed, params })
    const about = { account: this.account, channel: channel.wire }
    this.pushes.send(channel.wire, text, this.surroundings.venue.faults.hit(["message"], about))
  }
}
