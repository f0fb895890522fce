/**
 * A second small exchange for the oracle's tests, written independently of the first, in both dialects. It behaves as
 * strangely as the documentation allows: its clock is slow, it throttles calls, its order lists and balances are late,
 * and its ids, decimals, keys, statuses and messages are unusual.
 */
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import { createHmac } from "node:crypto"
import * as Json from "../../../src/protocol/Json.ts"
import type { Asked, Fields, Reply } from "./Exchange.ts"

/** How far the clock is behind this machine's clock, in milliseconds. */
const behind = 95 * 60_000

/** One call in this many is throttled. */
const throttledEach = 61

/** A value with its history, so that late lists can show an earlier version. */
class Timeline<A> {
  readonly #versions: Array<readonly [at: number, value: A]>
  constructor(at: number, value: A) {
    this.#versions = [[at, value]]
  }
  get now(): A | undefined {
    return this.#versions.at(-1)?.[1]
  }
  set(at: number, value: A): void {
    this.#versions.push([at, value])
  }
  /** The value at this time, or undefined before it was created. */
  at(time: number): A | undefined {
    return this.#versions.findLast(([from]) => from <= time)?.[1]
  }
}

interface Key {
  readonly secret: string
  readonly owner: string
  readonly title: string
  readonly only: ReadonlyArray<Fields> | undefined
  isOn: boolean
  readonly nonces: Set<string>
  greatest: number
  usedAt: number
}

interface State {
  readonly status: "NEW" | "FILLED" | "CANCELED"
  readonly isActivated: boolean
}

interface Order {
  readonly id: bigint
  readonly owner: string
  readonly pair: bigint | undefined
  readonly fields: Fields
  readonly createdAt: number
  readonly state: Timeline<State>
}

interface Account {
  readonly isPartner: boolean
  readonly money: Map<string, Timeline<bigint>>
  readonly paid: Array<Fields>
  readonly subs: Map<string, Fields>
}

type Wrong = ReadonlyArray<readonly [key: string, code: number]>

const digitsOf = (value: unknown): number => (String(value).split(".")[1] ?? "").length

const isDecimal = (value: unknown): value is string =>
  typeof value === "string" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/u.test(value)

const scale = 10n ** 18n

const parse = (text: string): bigint => {
  const [whole = "0", part = ""] = text.split(".")
  return BigInt(whole) * scale + BigInt(part.padEnd(18, "0"))
}

/** Formats an amount with all eighteen decimal places, whether they are needed or not. */
const whole = (units: bigint): string => `${units / scale}.${(units % scale).toString().padStart(18, "0")}`

/** Adds superfluous zeros to a decimal. */
const padded = (text: unknown): string => `${String(text)}${String(text).includes(".") ? "00" : ".000"}`

const idOf = (count: number): bigint => 2n ** 63n - 7n * BigInt(count)

/** Returns an id that looks random. */
const uuidOf = (text: string): string => {
  const hex = createHmac("sha256", "id").update(text).digest("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-"
  )
}

/** Returns the object with its keys in reverse order, and with an unexpected additional field. */
const backwards = (value: Fields): Fields => ({
  "x-node": null,
  ...Object.fromEntries(Object.entries(value).toReversed())
})

const market = { name: "BTC_USDT", stock: "BTC", money: "USDT", stockPrec: 6, moneyPrec: 2 }

const bounds = { minAmount: 0.00001, minTotal: 5, maxTotal: 10_000_000 }

const root = "/api/v4"

const paths = {
  interest: `${root}/main-account/smart/interest-payment-history`,
  oco: `${root}/order/collateral/oco`,
  stopLimit: `${root}/order/stop_limit`,
  cancelAll: `${root}/order/cancel/all`,
  fees: `${root}/main-account/fee`,
  code: `${root}/main-account/codes/apply`,
  balance: `${root}/main-account/balance`,
  subs: `${root}/sub-account/list`,
  keys: `${root}/sub-account/api-key/list`,
  remove: `${root}/sub-account/delete`,
  open: `${root}/orders`,
  ended: `${root}/trade-account/order/history`,
  cancel: `${root}/order/cancel`,
  cancelOco: `${root}/order/oco-cancel`
} as const

/** The paths that the server serves. */
export const served: ReadonlyArray<string> = [
  ...Object.values(paths),
  `${root}/public/ping`,
  `${root}/public/markets`
]

/** Creates the exchange. It speaks one dialect, and its order lists and balances are `lag` milliseconds late. */
export const make = (speaks: "document" | "live", lag: number) => {
  const isLive = speaks === "live"
  const names = isLive
    ? { id: "orderId", client: "clientOrderId", money: "dealMoney", stock: "dealStock", fee: "dealFee" }
    : { id: "order_id", client: "client_order_id", money: "deal_money", stock: "deal_stock", fee: "deal_fee" }
  const accounts = new Map<string, Account>()
  const keys = new Map<string, Key>()
  const codes = new Map<
    string,
    {
      readonly ticker: string
      readonly amount: string
      readonly secret: unknown
      readonly creator: string
      isUsed: boolean
    }
  >()
  const orders: Array<Order> = []
  const usedIds = new Set<string>()
  let [machine, advanced, calls, made] = [0, 0, 0, 0]
  let last: number | undefined

  const clock = () => machine - behind + advanced
  const ok = (body: unknown, status = 200): Reply => ({ status, body })
  const error = (status: number, code: number, message: string, errors: Fields = {}): Reply => ({
    status,
    body: { hint: "see the manual", errors, message, code }
  })
  const messages = (wrong: Wrong) => Object.fromEntries(wrong.map(([key]) => [key, ["¡No!", `${key}?`]]))

  const accountOf = (id: string): Account => {
    const found = accounts.get(id) ?? { isPartner: true, money: new Map(), paid: [], subs: new Map() }
    accounts.set(id, found)
    return found
  }
  const credit = (id: string, ticker: string, amount: string) => {
    const { money } = accountOf(id)
    const held = money.get(ticker)
    if (held === undefined) money.set(ticker, new Timeline(machine, parse(amount)))
    else held.set(machine, (held.now ?? 0n) + parse(amount))
  }

  // Refusals. The live exchange documents their forms, but the document shows only some of them.

  const refuseOrder = (isShown: boolean, wrong: Wrong): Reply =>
    isLive
      ? error(422, wrong[0]?.[1] ?? 30, "Validation failed", messages(wrong))
      : isShown
      ? error(418, 30, "Validation failed", messages(wrong))
      : error(200, 8_000_017, "order?", {})

  const refuseFields = (...fields: ReadonlyArray<string>): Reply =>
    isLive
      ? error(400, 0, "Validation failed", messages(fields.map((key) => [key, 0])))
      : error(451, -70, "", { "": [] })

  const denials: Readonly<Record<string, readonly [status: number, code: number]>> = {
    disabled: [401, 2],
    endpoint: [401, 4],
    nonce: [429, 0],
    window: [400, 9],
    envelope: [400, 9],
    partner: [403, 0]
  }

  const deny = (why: string): Reply => {
    if (!isLive) return error(417, 65_535, `no: ${why}`)
    const [status, code] = denials[why] ?? [401, 10]
    return error(status, code, status === 429 ? "Too many requests." : why)
  }

  // Orders

  const numeric = (value: unknown): unknown => isLive && typeof value === "number" ? String(value) : value

  const wrongIn = (owner: string, fields: Fields, prices: ReadonlyArray<string>, limits: ReadonlyArray<string>) => {
    const wrong: Array<readonly [string, number]> = []
    if (fields["market"] !== market.name) wrong.push(["market", 31])
    if (fields["side"] !== "buy" && fields["side"] !== "sell") wrong.push(["side", 30])
    const valid = (key: string, places: number, least: number) => {
      const value = key === "activation_price" ? fields[key] : numeric(fields[key])
      return isDecimal(value) && digitsOf(value) <= places && Number(value) > 0 && Number(value) >= least
    }
    if (!valid("amount", market.stockPrec, bounds.minAmount)) wrong.push(["amount", 32])
    for (const key of prices) if (!valid(key, market.moneyPrec, 0)) wrong.push([key, 33])
    const totals = limits.map((key) => Number(fields["amount"]) * Number(fields[key]))
    if (wrong.length === 0 && totals.some((total) => total < bounds.minTotal || total > bounds.maxTotal)) {
      wrong.push(["total", 30])
    }
    const id = fields[names.client]
    const known = `${owner} ${String(id)}`
    const isOpen = orders.some(({ fields, owner: other, state }) =>
      other === owner && fields["client"] === id && state.now?.status === "NEW"
    )
    if (id !== undefined) {
      const isId = typeof id === "string" && /^[A-Za-z0-9._-]+$/u.test(id)
      if (!isId || (isLive ? isOpen : usedIds.has(known))) wrong.push([names.client, 36])
      else if (wrong.length === 0) usedIds.add(known)
    }
    return wrong
  }

  const words = { NEW: isLive ? "OPEN" : "NEW", FILLED: "FILLED", CANCELED: "CANCELED" }

  const sides = (fields: Fields) => fields["side"] === "buy" ? "gte" : "lte"

  const seconds = (millis: number) => Math.round(millis * 1000) / 1e6

  const isStop = ({ fields }: Order) => fields["activation_price"] !== undefined

  const common = (order: Order, { status }: State): Fields => ({
    [names.id]: order.id,
    market: market.name,
    side: order.fields["side"],
    timestamp: seconds(order.createdAt),
    amount: padded(order.fields["amount"]),
    price: padded(order.fields["price"]),
    [names.money]: status === "FILLED"
      ? whole(parse(String(order.fields["price"])) * parse(String(order.fields["amount"])) / scale)
      : "0",
    [names.stock]: status === "FILLED" ? padded(order.fields["amount"]) : "0",
    [names.fee]: "0.0000000000",
    left: status === "FILLED" ? "0" : padded(padded(order.fields["amount"])),
    status: words[status],
    stp: order.fields["stp"] ?? "no",
    ...(isStop(order) ? { activated: Number(order.state.now?.isActivated) } : {})
  })

  const legOf = (order: Order, state: State = order.state.now ?? { status: "NEW", isActivated: false }): Fields =>
    backwards({
      ...common(order, state),
      [names.client]: isLive ? "" : order.fields["client"] ?? "",
      type: `${isLive ? "margin " : ""}${isStop(order) ? "stop limit" : "limit"}`,
      ...(isLive ? {} : { takerFee: "0.00100", makerFee: "-0.00010" }),
      post_only: false,
      mtime: seconds(order.createdAt),
      positionSide: isLive ? undefined : "NET",
      ...(isStop(order)
        ? {
          activation_price: padded(order.fields["activation_price"]),
          activation_condition: sides(order.fields),
          activated: state.isActivated ? 1 : 0
        }
        : {})
    })

  const stopOf = (order: Order, state: State = order.state.now ?? { status: "NEW", isActivated: false }): Fields =>
    backwards({
      ...common(order, state),
      [names.client]: order.fields["client"] ?? "",
      type: isStop(order) ? "stop limit" : "limit",
      postOnly: false,
      ioc: false,
      rpi: true,
      reduceOnly: false,
      positionSide: "",
      activationCondition: sides(order.fields),
      activation_price: order.fields["activation_price"],
      activated: state.isActivated ? 1 : 0
    })

  const change = (order: Order, state: Partial<State>) => {
    const before = order.state.now ?? { status: "NEW", isActivated: false }
    order.state.set(machine, { ...before, ...state })
  }

  const cancelOthers = ({ id, pair }: Order) => {
    if (pair === undefined) return
    for (const other of orders) {
      if (other.pair === pair && other.id !== id && other.state.now?.status === "NEW")
        change(other, { status: "CANCELED" })
    }
  }

  const move = (to: number) => {
    last = to
    for (const order of orders) {
      if (order.state.now?.status !== "NEW") continue
      const { fields } = order
      const trigger = Number(fields["activation_price"])
      if (isStop(order) && !order.state.now.isActivated) {
        if (fields["side"] === "buy" ? to < trigger : to > trigger) continue
        change(order, { isActivated: true })
        cancelOthers(order)
      }
      if (fields["side"] === "buy" ? to > Number(fields["price"]) : to < Number(fields["price"])) continue
      change(order, { status: "FILLED" })
      cancelOthers(order)
    }
  }

  const place = (owner: string, given: Fields, more: Fields, pair?: bigint): Order => {
    const { market: _market, [names.client]: client, ...rest } = given
    // Ids count down from a number that no double can represent.
    const id = idOf(++made)
    const createdAt = clock() + 0.1234
    const fields: Fields = { ...rest, client, ...more }
    const order = {
      id,
      owner,
      pair,
      fields,
      createdAt,
      state: new Timeline<State>(machine, { status: "NEW", isActivated: false })
    }
    orders.push(order)
    return order
  }

  const modes = isLive
    ? ["no", "cn", "co", "cb", "cancel_both", "cancel_new", "cancel_old"]
    : ["no", "cancel_both", "cancel_new", "cancel_old"]

  const stopLimit = (owner: string, fields: Fields): Reply => {
    const wrong = [
      ...wrongIn(owner, fields, ["price", "activation_price"], ["price"]),
      ...([undefined, 1, 2].includes(fields["bboRole"] as number) ? [] : [["bboRole", 30] as const]),
      ...([undefined, ...modes].includes(fields["stp"] as string) ? [] : [["stp", 30] as const])
    ]
    return wrong.length > 0 ? refuseOrder(false, wrong) : ok(stopOf(place(owner, fields, {})))
  }

  const oco = (owner: string, fields: Fields): Reply => {
    const wrong = wrongIn(owner, fields, ["price", "activation_price", "stop_limit_price"], [
      "price",
      "stop_limit_price"
    ])
    if (fields["reduceOnly"] !== undefined && fields["reduceOnly"] !== false) wrong.push(["reduceOnly", 30])
    if (wrong.length > 0) return refuseOrder(true, wrong)
    const away = (last ?? Number.NaN) - Number(fields["activation_price"])
    if (isLive && (fields["side"] === "buy" ? away > 0 : away < 0)) return error(400, 151, "Inner validation failed")
    const { activation_price, stop_limit_price, ...rest } = fields
    // An OCO order may have the same id as another order, because OCO orders are numbered separately.
    const pair = idOf(made + 1)
    const limit = place(owner, rest, {}, pair)
    const stop = place(owner, rest, { activation_price, price: stop_limit_price }, pair)
    return ok(pairOf(limit, stop))
  }

  const pairOf = (limit: Order, stop: Order): Fields => ({
    take_profit: legOf(limit),
    extra: [],
    stop_loss: legOf(stop),
    reduceOnly: false,
    id: limit.pair
  })

  const cancel = (chosen: ReadonlyArray<Order>): void => {
    for (const order of chosen) if (order.state.now?.status === "NEW") change(order, { status: "CANCELED" })
  }

  const cancelAll = (owner: string, { market: name, type }: Fields): Reply => {
    const isTypes = type === undefined || (Array.isArray(type) && type.length > 0 &&
      type.every((one) => ["spot", "margin", "futures"].includes(one as string)))
    const isMarket = name === undefined || name === market.name || (!isLive && typeof name === "string")
    if (!isTypes || !isMarket) {
      return refuseOrder(true, [
        ...(isTypes ? [] : [["type", 30] as const]),
        ...(isMarket ? [] : [["market", 31] as const])
      ])
    }
    const kinds: ReadonlyArray<unknown> = Array.isArray(type) ? type : ["spot", "margin", "futures"]
    const chosen = orders.filter((order) =>
      order.owner === owner && kinds.includes(order.pair === undefined ? "spot" : "margin") &&
      (name === undefined || name === market.name)
    )
    cancel(chosen)
    return ok(isLive ? [] : { queued: { status: "later", code: "none" } })
  }

  const listed = (owner: string, isOpen: boolean): ReadonlyArray<Fields> =>
    orders.flatMap((order) => {
      const state = order.state.at(machine - lag)
      return order.owner === owner && state !== undefined && (state.status === "NEW") === isOpen
        ? [stopOf(order, state)]
        : []
    })

  // Lists

  const integer = (value: unknown, least: number, most: number, absent: number): number | undefined =>
    value === undefined
      ? absent
      : Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? Number(value)
      : undefined

  /** Sorts records by the hash of their text. The order looks random, but is always the same. */
  const shuffled = (records: ReadonlyArray<Fields>): ReadonlyArray<Fields> =>
    records.toSorted((one, two) => uuidOf(Json.stringify(one)) < uuidOf(Json.stringify(two)) ? -1 : 1)

  /** Returns a page of the records in the given order. */
  const page = (fields: Fields, key: string, absent: number, records: ReadonlyArray<Fields>): Reply => {
    const [limit, offset] = [integer(fields["limit"], 1, 100, absent), integer(fields["offset"], 0, 10_000, 0)]
    if (limit === undefined || offset === undefined) {
      return refuseFields(...(limit === undefined ? ["limit"] : []), ...(offset === undefined ? ["offset"] : []))
    }
    return ok(backwards({ limit, offset, total: null, [key]: records.slice(offset, offset + limit).map(backwards) }))
  }

  const isText = (value: unknown) => value === undefined || typeof value === "string"

  const interest = (owner: string, fields: Fields): Reply => {
    const { isPartner, paid } = accountOf(owner)
    if (!isPartner) return deny("partner")
    const chosen = (["planId", "ticker"] as const).filter((key) => fields[key] !== undefined)
    const wrong = chosen.filter((key) => !paid.some((payment) => payment[key] === fields[key]))
    if (wrong.length > 0) return error(400, 0, "Validation failed", messages(wrong.map((key) => [key, 0])))
    const isChosen = (payment: Fields) => chosen.every((key) => payment[key] === fields[key])
    return page(fields, "records", 100, shuffled(paid.filter(isChosen)))
  }

  const subAccounts = (owner: string, fields: Fields): Reply => {
    const { search } = fields
    if (!isText(search)) return refuseFields("search")
    const subs = [...accountOf(owner).subs.values()]
    const isFound = ({ alias, id }: Fields) => [alias, id].some((text) => String(text).includes(String(search)))
    return page(fields, "data", 30, shuffled(subs.filter((sub) => search === undefined || isFound(sub))))
  }

  const apiKeys = (owner: string, fields: Fields): Reply => {
    const { subs } = accountOf(owner)
    const { subAccountId } = fields
    if (!isText(subAccountId)) return refuseFields("subAccountId")
    if (isLive && subAccountId !== undefined && !subs.has(subAccountId)) return refuseFields("subAccountId")
    const chosen = [...keys].filter(([, key]) =>
      subs.has(key.owner) && (subAccountId === undefined || subAccountId === key.owner)
    )
    const shown = chosen.map(([apiKey, key]) => ({
      subAccountId: key.owner,
      id: uuidOf(apiKey),
      title: key.title,
      isEnabled: key.isOn,
      apiKey,
      apiSecret: "",
      type: "",
      lastActivity: key.usedAt,
      restrictAccess: key.only !== undefined,
      accessEndpoints: key.only ?? []
    }))
    // Only the live exchange documents how keys are sorted: the newest first.
    return page(fields, "data", 30, isLive ? shown.toReversed() : shuffled(shown))
  }

  const applyCode = (owner: string, { code, passphrase }: Fields): Reply => {
    const isShort = isText(passphrase) && [...passphrase ?? ""].length <= 25
    if (typeof code !== "string" || !isShort) {
      return refuseFields(...(typeof code === "string" ? [] : ["code"]), ...(isShort ? [] : ["passphrase"]))
    }
    const found = codes.get(code)
    if (found === undefined || found.isUsed || found.secret !== passphrase || (isLive && found.creator === owner))
      return refuseFields("code")
    found.isUsed = true
    credit(owner, found.ticker, found.amount)
    const body = { external_id: uuidOf(code), amount: padded(found.amount), ticker: found.ticker, message: "" }
    return ok(body, isLive ? 201 : 200)
  }

  const remove = (owner: string, { id }: Fields): Reply => {
    const { subs } = accountOf(owner)
    if (typeof id !== "string" || !subs.has(id)) return refuseFields("id")
    subs.delete(id)
    return ok({})
  }

  const limits = {
    minAmount: "0.010",
    maxAmount: "0.00",
    fixed: "0",
    percentFlex: "0.00",
    maxFlex: "0.0",
    minFlex: "0"
  }

  const fees = ["USDT", "1INCH", "ETH", "XMR.b", "BTC", "SHIB2"].map((ticker) =>
    backwards({ ticker, name: "", can_deposit: false, can_withdraw: true, deposit: limits, withdraw: limits })
  )

  const balances = (owner: string): Fields => {
    const entries = [...accountOf(owner).money].map(([ticker, money]) =>
      [ticker, money.at(machine - lag) ?? 0n] as const
    )
    const held: ReadonlyArray<readonly [string, bigint]> = [...entries, ["XMR.b", 0n]]
    return Object.fromEntries(
      held.filter(([ticker, units]) => units > 0n || ticker === "XMR.b").map((
        [ticker, units]
      ) => [ticker, backwards({ main_balance: whole(units), main_frozen: null })])
    )
  }

  const cancelOne = (owner: string, fields: Fields, key: "id" | "pair"): Reply => {
    const wanted = fields[names.id]
    const chosen = orders.filter((order) => order.owner === owner && order[key] === wanted)
    const [first] = chosen
    if (first === undefined) return refuseOrder(false, [[names.id, 30]])
    cancel(chosen)
    if (key === "id") return ok(stopOf(first))
    const [limit, stop] = [chosen.find((order) => !isStop(order)), chosen.find(isStop)]
    return limit === undefined || stop === undefined ? ok({}) : ok(pairOf(limit, stop))
  }

  /**
   * Returns an order as the live dialect's history shows it. This exchange closes every order when its call returns.
   */
  const inHistory = ({ left: _left, orderId, timestamp, ...order }: Fields): Fields => ({
    ...order,
    id: orderId,
    ctime: timestamp,
    ftime: timestamp
  })

  /**
   * Returns a list of orders. In the live dialect, the list has the documented filters, and this exchange's own limits
   * where none are documented.
   */
  const listOf = (owner: string, fields: Fields, isOpen: boolean): Reply => {
    const { clientOrderId: client, endDate, market: name, orderId, startDate, status } = isLive ? fields : {}
    const isWithin = (key: string, least: number, most: number) => {
      const value = isLive ? fields[key] ?? least : least
      return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most
    }
    const all = listed(owner, isOpen).filter((order) =>
      (orderId === undefined || (order["orderId"] ?? order["id"]) === orderId) &&
      (client === undefined || orderId !== undefined || order["clientOrderId"] === client) &&
      (status === undefined || status === "ALL" || order["status"] === status) &&
      (startDate === undefined || Number(order["timestamp"]) >= Number(startDate)) &&
      (endDate === undefined || Number(order["timestamp"]) <= Number(endDate))
    )
    const isMissing = !isOpen && client !== undefined && orderId === undefined && all.length === 0
    const wrong: Wrong = [
      ...(name === undefined || name === market.name ? [] : [["market", 31] as const]),
      ...(isWithin("limit", 1, isOpen ? 100 : 500) ? [] : [["limit", 30] as const]),
      ...(isWithin("offset", 0, 2 ** 32 - 1) ? [] : [["offset", 30] as const]),
      ...(isMissing ? [["orderHistory", 30] as const] : [])
    ]
    if (wrong.length > 0) return refuseOrder(true, wrong)
    const offset = isLive ? Number(fields["offset"] ?? 0) : 0
    const page = (isLive && !isOpen ? all.toReversed().map(inHistory) : all)
      .slice(offset, isLive ? offset + Number(fields["limit"] ?? 50) : undefined)
    return ok(isOpen ? page : { [market.name]: page })
  }

  const privately: Readonly<Record<string, (owner: string, fields: Fields) => Reply>> = {
    [paths.interest]: interest,
    [paths.oco]: oco,
    [paths.stopLimit]: stopLimit,
    [paths.cancelAll]: cancelAll,
    [paths.fees]: () => ok(fees),
    [paths.code]: applyCode,
    [paths.balance]: (owner, { ticker }) => {
      if (isLive && !isText(ticker)) return error(422, 0, "Validation failed", messages([["ticker", 0]]))
      return ok(
        isLive && typeof ticker === "string" ? balances(owner)[ticker] ?? { main_balance: "0.00" } : balances(owner)
      )
    },
    [paths.subs]: subAccounts,
    [paths.keys]: apiKeys,
    [paths.remove]: remove,
    [paths.open]: (owner, fields) => listOf(owner, fields, true),
    [paths.ended]: (owner, fields) => listOf(owner, fields, false),
    [paths.cancel]: (owner, fields) => cancelOne(owner, fields, "id"),
    [paths.cancelOco]: (owner, fields) => cancelOne(owner, fields, "pair")
  }

  // Authentication

  const toFields = (body: string): Fields | undefined => {
    try {
      const json: unknown = Result.getOrThrow(Json.parse(body))
      return typeof json === "object" && json !== null && !Array.isArray(json) ? json as Fields : undefined
    } catch {
      return undefined
    }
  }

  const nonceOf = ({ nonce }: Fields): string => typeof nonce === "string" ? nonce : JSON.stringify(nonce)

  /**
   * Returns the reason why the nonce is refused, or undefined if it is accepted. The document only requires a string
   * that was not used before.
   */
  const nonceFault = (key: Key, { nonce, nonceWindow }: Fields): string | undefined => {
    if (isLive ? !Number.isSafeInteger(Number(nonce)) || nonce === "" : typeof nonce !== "string" || nonce === "")
      return "envelope"
    if (key.nonces.has(nonceOf({ nonce }))) return "nonce"
    if (!isLive) return undefined
    if (nonceWindow === true) return Math.abs(Number(nonce) - clock()) > 5000 ? "window" : undefined
    return Number(nonce) > key.greatest ? undefined : "nonce"
  }

  const accept = ({ body, headers, path }: Asked): { readonly owner: string; readonly fields: Fields } | string => {
    const [name, payload, signature] = ["apikey", "payload", "signature"].map((name) => headers[`x-txc-${name}`])
    const key = keys.get(name ?? "")
    if (key === undefined) return "unknown"
    if (payload === undefined || Buffer.from(payload, "base64").toString("utf8") !== body) return "payload"
    if (Buffer.from(body).toString("base64") !== payload) return "payload"
    if (createHmac("sha512", key.secret).update(payload).digest("hex") !== signature) return "signature"
    const fields = toFields(body)
    if (fields === undefined) return "envelope"
    // The document does not say whether cancel-all and the sub-account calls need the envelope, so it is optional here.
    const isOptional = !isLive &&
      [paths.cancelAll, paths.subs, paths.keys, paths.remove].some((other) => other === path)
    if (!(isOptional && fields["request"] === undefined) && fields["request"] !== path) return "envelope"
    const fault = isOptional && fields["nonce"] === undefined ? undefined : nonceFault(key, fields)
    if (fault !== undefined) return fault
    if (!key.isOn) return "disabled"
    if (key.only !== undefined && !key.only.some(({ name }) => name === path)) return "endpoint"
    if (fields["nonce"] !== undefined) key.nonces.add(nonceOf(fields))
    key.greatest = Math.max(key.greatest, Number(fields["nonce"] ?? 0))
    key.usedAt = Math.floor(clock() / 1000)
    return { owner: key.owner, fields }
  }

  const nothing = (): Reply =>
    isLive ? error(404, 0, "Not found") : { status: 302, body: "gone", type: "text/x-nothing" }

  const call = (asked: Asked): Reply => {
    const serve = privately[asked.path]
    if (serve === undefined) return nothing()
    const accepted = accept(asked)
    return typeof accepted === "string" ? deny(accepted) : serve(accepted.owner, accepted.fields)
  }

  const publicly = (path: string): Reply => {
    if (path === `${root}/public/ping`) return ok(["pong"])
    if (path !== `${root}/public/markets`) {
      return { status: isLive ? 404 : 410, body: { params: [], message: "?", success: false } }
    }
    const listing = {
      ...market,
      ...Object.fromEntries(Object.entries(bounds).map(([key, bound]) => [key, padded(bound.toFixed(6))])),
      stockPrec: String(market.stockPrec),
      moneyPrec: String(market.moneyPrec),
      feePrec: "9",
      makerFee: "-0.010",
      takerFee: "0.100",
      tradesEnabled: true,
      type: "spot"
    }
    const only = {
      ...listing,
      name: "ETH_BTC",
      stock: "ETH",
      money: "BTC",
      tradesEnabled: false,
      isCollateral: false
    }
    return ok([backwards(only), backwards({ ...listing, isCollateral: true })])
  }

  // Control plane

  const text = (value: unknown) => typeof value === "string" ? value : ""

  const actions: Readonly<Record<string, (fields: Fields) => void>> = {
    OpenAccount: ({ account, b2b }) => {
      accounts.set(text(account), { isPartner: b2b === true, money: new Map(), paid: [], subs: new Map() })
    },
    AddKey: ({ account, apiKey, apiSecret, enabled, endpoints, title }) => {
      keys.set(text(apiKey), {
        secret: text(apiSecret),
        owner: text(account),
        title: text(title),
        only: Array.isArray(endpoints) ? endpoints as ReadonlyArray<Fields> : undefined,
        isOn: enabled === true,
        nonces: new Set(),
        greatest: 0,
        usedAt: 0
      })
    },
    SetKey: ({ apiKey, enabled }) => {
      const key = keys.get(text(apiKey))
      if (key !== undefined) key.isOn = enabled === true
    },
    Fund: ({ account, amount, ticker, wallet }) => {
      if (wallet === "main") credit(text(account), text(ticker), text(amount))
    },
    PayInterest: ({ account, ...payment }) => {
      accountOf(text(account)).paid.push({ ...payment, timestamp: Math.floor(clock() / 1000) })
    },
    OpenSubAccount: ({ alias, collateralEnabled, color, email, id, parent, shareKyc, spotEnabled }) => {
      accountOf(text(parent)).subs.set(text(id), {
        id,
        alias,
        userId: uuidOf(text(id)),
        email,
        status: "in good standing",
        color,
        kyc: { shareKyc, kycStatus: "niveau 2" },
        permissions: { spotEnabled, collateralEnabled }
      })
    },
    CreateCode: ({ account, amount, code, passphrase, ticker }) => {
      codes.set(text(code), {
        creator: text(account),
        ticker: text(ticker),
        amount: text(amount),
        secret: passphrase,
        isUsed: false
      })
    },
    MovePrice: (fields) => {
      if (fields["market"] === market.name) move(Number(fields["price"]))
    },
    AdvanceClock: ({ millis }) => {
      advanced += Number(millis)
    }
  }

  const prefix = "/control/v1/"

  const operate = ({ body, method, path }: Asked): Reply => {
    const name = path.slice(prefix.length)
    if (method === "GET" && name === "Clock") return ok({ at: clock() * 1000 })
    const action = actions[name]
    if (action === undefined) return { status: 404, body: {} }
    action(toFields(body) ?? {})
    return { status: 204, body: undefined }
  }

  /** Responds to a request received at `at`, in Unix milliseconds. The `date` header shows the slow clock. */
  return (asked: Asked, at: number): Reply & { readonly headers: Readonly<Record<string, string>> } => {
    machine = at
    const headers = { date: DateTime.toDateUtc(DateTime.makeUnsafe(clock())).toUTCString() }
    if (asked.path.startsWith(prefix)) return { ...operate(asked), headers }
    if (++calls % throttledEach === 0) {
      return { ...error(429, 0, "Slow down."), headers: { ...headers, "retry-after": "1" } }
    }
    const isPublic = asked.path.startsWith(`${root}/public/`)
    if (asked.method === "GET" && isPublic) return { ...publicly(asked.path), headers }
    return { ...(asked.method === "POST" ? call(asked) : nothing()), headers }
  }
}
