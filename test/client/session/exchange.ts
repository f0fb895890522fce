/**
 * An in-memory exchange for the session tests. It keeps the complete history of everything that it pushes.
 *
 * On each connection, requests wait until the test lets the exchange handle them, and frames wait until the test
 * delivers them. This way, a test decides how requests and frames overtake each other. With `isPrompt`, neither kind
 * waits.
 */
import * as Effect from "effect/Effect"
import * as Socket from "effect/socket/Socket"
import * as Dialer from "../../../src/client/session/Dialer.ts"

interface Request {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** An order as the exchange stores it. The modification time is the version of its last change. */
interface Order {
  readonly id: number
  readonly version: number
}

const closed = (code: number) => new Socket.SocketError({ reason: new Socket.SocketCloseError({ code }) })

/** A client's connection. */
export class Link {
  readonly exchange: Exchange
  readonly requests: Array<Request> = []
  /** The methods of all requests, in order of arrival. */
  readonly methods: Array<string> = []
  readonly frames: Array<string> = []
  readonly answers: Array<object> = []
  isOpen = true
  isAuthorized = false
  /** The parameters of the latest subscribe request, keyed by channel. */
  readonly sets = new Map<string, ReadonlyArray<unknown>>()
  readonly #arrived: Array<string> = []
  #wake: (() => void) | undefined

  constructor(exchange: Exchange) {
    this.exchange = exchange
  }

  readonly pull: Socket.Reader["pull"] = Effect.callback((resume) => {
    this.#wake = () => {
      if (this.#arrived.length === 0 && this.isOpen) return
      // A pull resumes only once: with all frames that have arrived, or with a failure if the connection is closed.
      this.#wake = undefined
      const [first, ...more] = this.#arrived.splice(0)
      resume(first === undefined ? Effect.fail(closed(1006)) : Effect.succeed([first, ...more]))
    }
    this.#wake()
  })

  write(text: string): void {
    const request: Request = JSON.parse(text)
    this.methods.push(request.method)
    if (!this.isOpen) this.exchange.faults.push(`${request.method} was written after the connection had ended`)
    if (isPrivate(request.method) && !this.isAuthorized) {
      this.exchange.faults.push(`${request.method} was sent before the connection was authorized`)
    }
    this.requests.push(request)
    if (this.exchange.isPrompt) this.handle(1)
  }

  /** Lets the exchange handle requests. */
  handle(count: number): void {
    for (const request of this.requests.splice(0, count)) this.exchange.answer(this, request)
  }

  send(frame: object): void {
    if (!this.isOpen) return
    this.frames.push(JSON.stringify(frame))
    if (this.exchange.isPrompt) this.deliver(1)
  }

  push(method: string, params: unknown): void {
    this.send({ method, params, id: null })
  }

  /** Delivers frames to the client in one batch. */
  deliver(count: number): void {
    if (!this.isOpen) return
    this.#arrived.push(...this.frames.splice(0, count))
    this.#wake?.()
  }

  /** Sends the responses to queries. Each response shows the state at the time of the query. */
  reply(count: number): void {
    for (const answer of this.answers.splice(0, count)) this.send(answer)
  }

  /** Closes the connection. Undelivered messages are lost. */
  cut(): void {
    this.isOpen = false
    this.frames.length = 0
    this.requests.length = 0
    this.answers.length = 0
    this.exchange.links.delete(this)
    this.#wake?.()
  }
}

const isPrivate = (method: string): boolean => /^(?:balance|orders|deals)/u.test(method)

const success = { status: "success" }

const market = "BTC_USDT"

/** The history of an exchange with a single market and a single asset. */
export class Exchange {
  readonly links = new Set<Link>()
  /** Every connection that was opened. */
  readonly opened: Array<Link> = []
  /** The protocol rules that clients have broken. */
  readonly faults: Array<string> = []
  isPrompt = false
  isReachable = true
  /** The number of issued tokens, and the tokens that were used. */
  tokens = 0
  readonly used = new Set<string>()
  /** The markets of the exchange. */
  markets: ReadonlyArray<string> = [market, "ETH_USDT"]
  /** The methods that the exchange refuses, and the error code for each. */
  readonly refuses = new Map<string, number>()

  price = 0
  /** The sequence number of the book's current state. */
  updateId = 1
  /**
   * The current version of the book, and the version at each sequence number. The amount of the book's only bid is the
   * version.
   */
  version = 1
  readonly versions = new Map([[1, 1]])
  /** The number of trades. Their ids count up from 1. */
  trades = 0
  /** The available balance. It equals the number of changes to the balance. */
  balance = 0
  /** The events of all orders. The order's version is the event's index plus one. */
  readonly orderEvents: Array<{ readonly kind: 1 | 2 | 3; readonly id: number }> = []

  readonly dialer: Dialer.Dialer["Service"] = { dial: Effect.sync(() => this.#socket()) }

  #socket(): Socket.Socket {
    let link: Link | undefined
    const write = (chunk: string | Uint8Array | Socket.CloseEvent) =>
      Effect.sync(() => {
        if (typeof chunk === "string") link?.write(chunk)
      })
    return Socket.make({
      reader: Effect.acquireRelease(
        Effect.suspend(() => {
          if (!this.isReachable) return Effect.fail(closed(1006))
          const opened = new Link(this)
          link = opened
          this.links.add(opened)
          this.opened.push(opened)
          return Effect.succeed({ pull: opened.pull, upgrade: Socket.SocketUpgradeError.unsupported })
        }),
        () => Effect.sync(() => link?.cut())
      ),
      writer: Effect.succeed({
        write,
        writeAll: (chunks) => Effect.forEach(chunks, write, { discard: true })
      })
    })
  }

  /** Returns the orders that are still open after the given number of events. */
  openAfter(events: number): ReadonlyArray<Order> {
    const open = new Map<number, Order>()
    for (const [at, { id, kind }] of this.orderEvents.slice(0, events).entries()) {
      if (kind === 3) open.delete(id)
      else open.set(id, { id, version: at + 1 })
    }
    return [...open.values()]
  }

  answer(link: Link, { id, method, params }: Request): void {
    const refuse = (code: number, message: string) => link.send({ error: { code, message }, result: null, id })
    const reply = (result: unknown) => link.send({ error: null, result, id })
    const code = this.refuses.get(method)
    if (code !== undefined) return refuse(code, "refused")
    if (isPrivate(method) && !link.isAuthorized) return refuse(6, "require authentication")
    const [channel = "", action = ""] = method.split("_")
    if (method === "ping") return reply("pong")
    if (method === "authorize") return this.#authorize(link, String(params[0]), reply, refuse)
    if (action === "request") {
      link.answers.push({ error: null, result: this.#queried(channel, params), id })
      return this.isPrompt ? link.reply(1) : undefined
    }
    if (action === "unsubscribe") {
      link.sets.delete(channel)
      return reply(success)
    }
    if (action !== "subscribe") return refuse(4, "method not found")
    const names = params.filter((name) => typeof name === "string")
    const unknown = names.find((name) => name.includes("_") && !this.markets.includes(name))
    if (unknown !== undefined) {
      // The documentation does not say that the previous subscription stays in force, so this exchange ends it.
      if (channel !== "depth") link.sets.delete(channel)
      return refuse(9, `market ${unknown} does not exist`)
    }
    link.sets.set(channel, params)
    reply(success)
    if (channel === "depth") link.push("depth_update", [true, this.#book(), market])
    if (channel === "trades" && this.trades > 0) link.push("trades_update", [market, this.#latestTrades(100)])
  }

  #authorize(
    link: Link,
    token: string,
    reply: (result: unknown) => void,
    refuse: (code: number, message: string) => void
  ): void {
    if (this.used.has(token)) this.faults.push(`${token} was used for a second connection`)
    this.used.add(token)
    if (this.refuses.has("token")) return refuse(11, `unknown token ${token}`)
    link.isAuthorized = true
    reply(success)
  }

  #queried(channel: string, [, offset]: ReadonlyArray<unknown>): unknown {
    if (channel === "lastprice") return `${this.price}`
    if (channel === "balanceSpot") return { USDT: { available: `${this.balance}`, freeze: "0" } }
    const open = this.openAfter(this.orderEvents.length)
    const from = Number(offset)
    return { limit: 100, offset: from, total: open.length, records: open.slice(from, from + 100).map(wireOrder) }
  }

  #book(): object {
    return { ...times, asks: [], bids: [["1", `${this.version}`]], update_id: this.updateId }
  }

  /** Closes all connections, and makes the exchange unreachable, or reachable again if it was unreachable. */
  restart(): void {
    for (const link of this.links) link.cut()
    this.isReachable = !this.isReachable
  }

  #latestTrades(count: number): ReadonlyArray<object> {
    const ids = Array.from({ length: Math.min(count, this.trades) }, (_, at) => this.trades - at)
    return ids.map((id) => ({ id, time: id, price: "1", amount: "1", type: "buy" }))
  }

  #publish(channel: string, params: unknown, isFor: (set: ReadonlyArray<unknown>) => boolean = () => true): void {
    for (const link of this.links) {
      const set = link.sets.get(channel)
      if (set !== undefined && isFor(set)) link.push(`${channel}_update`, params)
    }
  }

  /** Changes the book without pushing the change. */
  happensUnseen(): void {
    const links = [...this.links]
    this.links.clear()
    this.happens.depth()
    for (const link of links) this.links.add(link)
  }

  readonly happens = {
    price: (): void => {
      this.price++
      this.#publish("lastprice", [market, `${this.price}`], (set) => set.includes(market))
    },
    depth: (): void => {
      const past = this.updateId
      this.updateId += 1 + past % 3
      this.version++
      this.versions.set(this.updateId, this.version)
      const body = { ...times, bids: [["1", `${this.version}`]], update_id: this.updateId, past_update_id: past }
      this.#publish("depth", [false, body, market])
    },
    /** The exchange sends the book again with a new sequence number. */
    repeat: (): void => {
      this.updateId++
      this.versions.set(this.updateId, this.version)
      this.#publish("depth", [true, this.#book(), market])
    },
    trades: (): void => {
      this.trades++
      this.#publish("trades", [market, this.#latestTrades(1)], (set) => set.includes(market))
    },
    balance: (): void => {
      this.balance++
      this.#publish("balanceSpot", [{ USDT: { available: `${this.balance}`, freeze: "0" } }])
    },
    /** An order is created, changes or closes. Some orders are filled immediately and have only a closing event. */
    orders: (choice: number): void => {
      const open = this.openAfter(this.orderEvents.length)
      const known = open[choice % (open.length + 1)]
      const kind = known === undefined ? (choice % 5 === 0 ? 3 : 1) : choice % 2 === 0 ? 2 : 3
      const id = known?.id ?? this.orderEvents.length + 1
      this.orderEvents.push({ kind, id })
      const order = wireOrder({ id, version: this.orderEvents.length })
      this.#publish("ordersPending", [kind, order], (set) => set.includes(market))
    }
  }
}

const times = { timestamp: 1, event_time: 1 }

export const wireOrder = ({ id, version }: Order) => ({
  id,
  market,
  type: 1,
  side: 2,
  post_only: false,
  ioc: false,
  ctime: 1,
  mtime: version,
  price: "1",
  amount: "1",
  left: "1",
  deal_stock: "0",
  deal_money: "0",
  deal_fee: "0",
  client_order_id: "",
  stp: "no",
  status: "OPEN"
})
