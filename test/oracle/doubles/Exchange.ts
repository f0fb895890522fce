/**
 * A small exchange for the oracle's tests. It follows only the document, and shares no code with the sandbox, the
 * client or the oracle. `Choices` decide every point that the document leaves open.
 */
import { createHmac } from "node:crypto"

export type Fields = Readonly<Record<string, unknown>>

/** A response: its status, and a body as JSON or as text of another type. */
export interface Reply {
  readonly status: number
  readonly body: unknown
  readonly type?: string
}

/** The reasons for refusing a signed call. */
export type Denied =
  | "header"
  | "key"
  | "disabled"
  | "payload"
  | "signature"
  | "body"
  | "request"
  | "nonce"
  | "used"
  | "endpoint"
  | "partner"

/** The kinds of calls that refuse invalid fields. The document shows refusals only for the first two kinds. */
export type Family = "filter" | "oco" | "stop-limit" | "page" | "account"

/** A server's decisions on the points that the document leaves open. */
export interface Choices {
  readonly name: string
  /** How far the server's clock is ahead of this machine's clock, in milliseconds. */
  readonly ahead: number
  readonly deny: (why: Denied) => Reply
  readonly refuse: (family: Family, wrong: ReadonlyArray<string>) => Reply
  readonly unknownPath: (method: string) => Reply
  /** The sequence of the server's checks of a signed call. */
  readonly checks: ReadonlyArray<Denied>
  readonly needsEnvelope: (path: string) => boolean
  readonly isNonce: (nonce: unknown, last: string | undefined, now: number) => boolean
  readonly canceled: (count: number) => unknown
  readonly isNewestFirst: boolean
  readonly matches: (alias: string, search: string) => boolean
  readonly isCoercing: boolean
  readonly unusedActivity: number
  readonly unknownId: "refused" | "ignored"
  readonly unknownFilter: "refused" | "empty"
  readonly reduceOnly: "ignored" | "refused"
  readonly metTrigger: "activates" | "waits"
  readonly positionSide: (side: string) => string
  readonly mtime: (created: number) => number
  readonly digits: (count: number) => unknown
}

interface Key {
  readonly apiKey: string
  readonly secret: string
  readonly account: string
  readonly title: string
  readonly endpoints: ReadonlyArray<Fields> | undefined
  enabled: boolean
  last: string | undefined
  readonly used: Set<string>
  activity: number
}

interface Order {
  readonly id: number
  readonly owner: string
  readonly pair?: number
  readonly isStop: boolean
  readonly trigger: number | undefined
  activated: boolean
  status: string
  dealt: number
  readonly fields: Fields
}

interface Account {
  readonly b2b: boolean
  readonly main: Map<string, bigint>
  readonly payments: Array<Fields>
  readonly subs: Array<Fields>
}

const unit = 10n ** 18n

const toUnits = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole) * unit + BigInt(fraction.padEnd(18, "0"))
}

const toText = (units: bigint): string => {
  const fraction = (units % unit).toString().padStart(18, "0").replace(/0+$/u, "")
  return `${units / unit}${fraction === "" ? "" : `.${fraction}`}`
}

const decimal = /^(?:0|[1-9]\d*)(?:\.\d+)?$/u

const isPositive = (value: unknown): value is string =>
  typeof value === "string" && decimal.test(value) && Number(value) > 0

const digitsOf = (value: unknown): number => String(value).split(".")[1]?.length ?? 0

const market = { name: "BTC_USDT", stockPrec: 6, moneyPrec: 2, minAmount: 0.00001, minTotal: 5, maxTotal: 10_000_000 }

const spotOnly = "ETH_BTC"

const paths = {
  interest: "/api/v4/main-account/smart/interest-payment-history",
  oco: "/api/v4/order/collateral/oco",
  stopLimit: "/api/v4/order/stop_limit",
  cancelAll: "/api/v4/order/cancel/all",
  cancel: "/api/v4/order/cancel",
  cancelOco: "/api/v4/order/oco-cancel",
  fees: "/api/v4/main-account/fee",
  code: "/api/v4/main-account/codes/apply",
  balance: "/api/v4/main-account/balance",
  subs: "/api/v4/sub-account/list",
  keys: "/api/v4/sub-account/api-key/list",
  remove: "/api/v4/sub-account/delete",
  orders: "/api/v4/orders",
  history: "/api/v4/trade-account/order/history"
} as const

/** The paths of the sub-account calls. The document does not say whether they need an envelope. */
export const subAccountPaths: ReadonlyArray<string> = [paths.subs, paths.keys, paths.remove]

const ok = (body: unknown): Reply => ({ status: 200, body })

/** A request as it was received. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Creates an exchange with these choices. */
export const make = (choices: Choices) => {
  const accounts = new Map<string, Account>()
  const keys = new Map<string, Key>()
  const codes = new Map<string, { ticker: string; amount: string; passphrase: unknown; isApplied: boolean }>()
  const clientIds = new Map<string, Set<string>>()
  const orders: Array<Order> = []
  let price = 40_000
  let advanced = 0
  let count = 1000

  let machine = 0
  const now = () => machine + choices.ahead + advanced
  const seconds = () => Math.floor(now() / 1000)
  const accountOf = (id: string): Account => {
    const found = accounts.get(id)
    if (found !== undefined) return found
    const made: Account = { b2b: true, main: new Map(), payments: [], subs: [] }
    accounts.set(id, made)
    return made
  }
  const credit = (id: string, ticker: string, amount: string) => {
    const { main } = accountOf(id)
    main.set(ticker, (main.get(ticker) ?? 0n) + toUnits(amount))
  }

  // ---------------------------------------------------------------------------
  // Orders
  // ---------------------------------------------------------------------------

  const wrongOrder = (
    account: string,
    fields: Fields,
    prices: ReadonlyArray<string>,
    limits: ReadonlyArray<string>
  ) => {
    const wrong: Array<string> = []
    if (fields["market"] !== market.name) wrong.push("market")
    if (fields["side"] !== "buy" && fields["side"] !== "sell") wrong.push("side")
    const { amount } = fields
    if (!isPositive(amount) || digitsOf(amount) > market.stockPrec || Number(amount) < market.minAmount) {
      wrong.push("amount")
    }
    for (const key of prices) {
      if (!isPositive(fields[key]) || digitsOf(fields[key]) > market.moneyPrec) wrong.push(key)
    }
    const totals = limits.map((key) => Number(amount) * Number(fields[key]))
    if (wrong.length === 0 && totals.some((total) => total < market.minTotal || total > market.maxTotal)) {
      wrong.push("amount")
    }
    const id = fields["client_order_id"]
    const used = clientIds.get(account) ?? new Set()
    const isId = typeof id === "string" && /^[A-Za-z0-9._-]+$/u.test(id)
    if (id !== undefined && (!isId || used.has(id))) wrong.push("client_order_id")
    if (wrong.length === 0 && isId) clientIds.set(account, used.add(id))
    return wrong
  }

  const shownLeg = (order: Order): Fields => {
    const { fields, isStop } = order
    const created = Number(fields["created"])
    return {
      order_id: order.id,
      client_order_id: fields["client_order_id"] ?? "",
      market: market.name,
      side: fields["side"],
      type: isStop ? "stop limit" : "limit",
      timestamp: created,
      deal_money: order.dealt === 0 ? "0" : String(Number((order.dealt * Number(fields["price"])).toFixed(8))),
      deal_stock: String(order.dealt),
      amount: fields["amount"],
      takerFee: "0.001",
      makerFee: "0.001",
      left: order.dealt === 0 ? fields["amount"] : "0",
      deal_fee: "0",
      post_only: false,
      mtime: choices.mtime(created),
      price: fields["price"],
      ...(isStop
        ? {
          activation_price: fields["activation_price"],
          activation_condition: fields["side"] === "buy" ? "gte" : "lte",
          activated: order.activated ? 1 : 0
        }
        : {}),
      status: order.status,
      stp: fields["stp"] ?? "no",
      positionSide: choices.positionSide(String(fields["side"]))
    }
  }

  const shownStop = (order: Order): Fields => {
    const { activation_condition, post_only, ...leg } = shownLeg(order)
    return {
      ...leg,
      postOnly: post_only,
      ioc: false,
      rpi: false,
      reduceOnly: false,
      activationCondition: activation_condition
    }
  }

  const isMet = ({ fields, trigger = 0 }: Order) => fields["side"] === "buy" ? price >= trigger : price <= trigger

  const others = ({ id, pair }: Order) =>
    pair === undefined ? [] : orders.filter((order) => order.pair === pair && order.id !== id && order.status === "NEW")

  const settle = (order: Order) => {
    if (order.status !== "NEW") return
    if (order.isStop && !order.activated) {
      if (!isMet(order)) return
      order.activated = true
      for (const other of others(order)) other.status = "CANCELED"
    }
    const limit = Number(order.fields["price"])
    if (order.fields["side"] === "buy" ? price > limit : price < limit) return
    order.status = "FILLED"
    order.dealt = Number(order.fields["amount"])
    for (const other of others(order)) other.status = "CANCELED"
  }

  const place = (owner: string, fields: Fields, isStop: boolean, pair?: number): Order => {
    const created = Number((now() / 1000).toFixed(6))
    const order: Order = {
      id: ++count,
      owner,
      ...(pair === undefined ? {} : { pair }),
      isStop,
      trigger: isStop ? Number(fields["activation_price"]) : undefined,
      activated: false,
      status: "NEW",
      dealt: 0,
      fields: { ...fields, created }
    }
    orders.push(order)
    if (isStop && choices.metTrigger === "activates") settle(order)
    return order
  }

  // ---------------------------------------------------------------------------
  // Pages
  // ---------------------------------------------------------------------------

  const integerOf = (value: unknown, least: number, most: number, absent: number): number | undefined => {
    const number = choices.isCoercing && typeof value === "string" && /^\d+$/u.test(value) ? Number(value) : value
    if (number === undefined) return absent
    return typeof number === "number" && Number.isInteger(number) && number >= least && number <= most
      ? number
      : undefined
  }

  const page = (fields: Fields, records: ReadonlyArray<Fields>, key: string, absent: number): Reply => {
    const limit = integerOf(fields["limit"], 1, 100, absent)
    const offset = integerOf(fields["offset"], 0, 10_000, 0)
    if (limit === undefined || offset === undefined) {
      return choices.refuse("page", [
        ...(limit === undefined ? ["limit"] : []),
        ...(offset === undefined ? ["offset"] : [])
      ])
    }
    const inOrder = choices.isNewestFirst ? records.toReversed() : records
    return ok({ offset, limit, [key]: inOrder.slice(offset, offset + limit) })
  }

  const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string"

  const interest = (account: string, fields: Fields): Reply => {
    const { payments } = accountOf(account)
    const wrong = (["planId", "ticker"] as const).filter((key) =>
      fields[key] !== undefined && !payments.some((payment) => payment[key] === fields[key])
    )
    if (wrong.length > 0) return choices.refuse("filter", wrong)
    const chosen = payments.filter((payment) =>
      (["planId", "ticker"] as const).every((key) => fields[key] === undefined || payment[key] === fields[key])
    )
    return page(fields, chosen, "records", 100)
  }

  const subAccounts = (account: string, fields: Fields): Reply => {
    const { search } = fields
    if (!isText(search)) return choices.refuse("account", ["search"])
    const chosen = accountOf(account).subs.filter(({ alias }) =>
      search === undefined || choices.matches(String(alias), search)
    )
    return page(fields, chosen, "data", 30)
  }

  const apiKeys = (account: string, fields: Fields): Reply => {
    const { subAccountId } = fields
    if (!isText(subAccountId)) return choices.refuse("account", ["subAccountId"])
    const subs = accountOf(account).subs.map(({ id }) => id)
    if (subAccountId !== undefined && !subs.includes(subAccountId) && choices.unknownFilter === "refused") {
      return choices.refuse("account", ["subAccountId"])
    }
    const chosen = [...keys.values()].filter((key) =>
      subs.includes(key.account) && (subAccountId === undefined || key.account === subAccountId)
    )
    const shown = chosen.map((key) => ({
      subAccountId: key.account,
      id: `record-${key.apiKey}`,
      title: key.title,
      isEnabled: key.enabled,
      apiKey: key.apiKey,
      apiSecret: "",
      type: "trade",
      lastActivity: key.activity === 0 ? choices.unusedActivity : key.activity,
      restrictAccess: key.endpoints !== undefined,
      accessEndpoints: key.endpoints ?? []
    }))
    return page(fields, shown, "data", 30)
  }

  // ---------------------------------------------------------------------------
  // Other private calls
  // ---------------------------------------------------------------------------

  const stopLimit = (account: string, fields: Fields): Reply => {
    const wrong = [
      ...wrongOrder(account, fields, ["price", "activation_price"], ["price"]),
      ...(fields["bboRole"] === undefined || fields["bboRole"] === 1 || fields["bboRole"] === 2 ? [] : ["bboRole"]),
      ...([undefined, "no", "cancel_both", "cancel_new", "cancel_old"].includes(fields["stp"] as string) ? [] : ["stp"])
    ]
    return wrong.length > 0 ? choices.refuse("stop-limit", wrong) : ok(shownStop(place(account, fields, true)))
  }

  const oco = (account: string, fields: Fields): Reply => {
    const prices = ["price", "activation_price", "stop_limit_price"]
    const wrong = wrongOrder(account, fields, prices, ["price", "stop_limit_price"])
    if (wrong.length > 0) return choices.refuse("oco", wrong)
    if (fields["reduceOnly"] === true && choices.reduceOnly === "refused") return choices.refuse("oco", ["reduceOnly"])
    const pair = ++count
    const { activation_price, stop_limit_price, ...limit } = fields
    const takeProfit = place(account, limit, false, pair)
    const stop = place(account, { ...limit, activation_price, price: stop_limit_price }, true, pair)
    return ok({ id: pair, reduceOnly: false, stop_loss: shownLeg(stop), take_profit: shownLeg(takeProfit) })
  }

  const cancelAll = (account: string, fields: Fields): Reply => {
    const { market: name, type } = fields
    const types = ["spot", "margin", "futures"]
    const isTypes = type === undefined ||
      (Array.isArray(type) && type.every((one) => typeof one === "string" && types.includes(one)))
    const wrong = [...(isTypes ? [] : ["type"]), ...(isText(name) ? [] : ["market"])]
    if (wrong.length > 0) return choices.refuse("oco", wrong)
    const chosen = orders.filter(({ owner, pair, status }) =>
      owner === account && status === "NEW" && (name === undefined || name === market.name) &&
      (!Array.isArray(type) || type.includes(pair === undefined ? "spot" : "margin"))
    )
    for (const order of chosen) order.status = "CANCELED"
    return ok(choices.canceled(chosen.length))
  }

  /** Cancels a single order, or both legs of an OCO order. */
  const cancelOne = (account: string, fields: Fields, key: "id" | "pair"): Reply => {
    const chosen = orders.filter((order) =>
      order.owner === account && order.status === "NEW" && order[key] === fields["order_id"]
    )
    const [first] = chosen
    if (first === undefined) return choices.refuse("oco", ["order_id"])
    for (const order of chosen) order.status = "CANCELED"
    return ok(shownStop(first))
  }

  const applyCode = (account: string, { code, passphrase }: Fields): Reply => {
    const isPassphrase = isText(passphrase) && [...(passphrase ?? "")].length <= 25
    if (typeof code !== "string" || !isPassphrase) {
      return choices.refuse("account", [
        ...(typeof code === "string" ? [] : ["code"]),
        ...(isPassphrase ? [] : ["passphrase"])
      ])
    }
    const issued = codes.get(code)
    if (issued === undefined || issued.isApplied || issued.passphrase !== passphrase) {
      return choices.refuse("account", ["code"])
    }
    issued.isApplied = true
    credit(account, issued.ticker, issued.amount)
    return ok({ message: "started", ticker: issued.ticker, amount: issued.amount, external_id: `t-${++count}` })
  }

  const remove = (account: string, { id }: Fields): Reply => {
    if (typeof id !== "string") return choices.refuse("account", ["id"])
    const { subs } = accountOf(account)
    const at = subs.findIndex((sub) => sub["id"] === id)
    if (at < 0 && choices.unknownId === "refused") return choices.refuse("account", ["id"])
    if (at >= 0) subs.splice(at, 1)
    return ok({})
  }

  const bounds = { minFlex: "0", maxFlex: "0", percentFlex: "0", fixed: "0.1", minAmount: "0.01", maxAmount: "0" }

  const privateCalls: Readonly<Record<string, (account: string, fields: Fields) => Reply>> = {
    [paths.interest]: (account, fields) => accountOf(account).b2b ? interest(account, fields) : choices.deny("partner"),
    [paths.oco]: oco,
    [paths.stopLimit]: stopLimit,
    [paths.cancelAll]: cancelAll,
    [paths.cancel]: (account, fields) => cancelOne(account, fields, "id"),
    [paths.cancelOco]: (account, fields) => cancelOne(account, fields, "pair"),
    [paths.fees]: () =>
      ok(["BTC", "ETH", "USDT"].map((ticker) => ({
        ticker,
        name: ticker,
        can_deposit: true,
        can_withdraw: false,
        deposit: bounds,
        withdraw: bounds
      }))),
    [paths.code]: applyCode,
    [paths.balance]: (account) =>
      ok(
        Object.fromEntries(
          [...accountOf(account).main].map(([ticker, units]) => [ticker, { main_balance: toText(units) }])
        )
      ),
    [paths.subs]: subAccounts,
    [paths.keys]: apiKeys,
    [paths.remove]: remove,
    [paths.orders]: (account) =>
      ok(orders.filter(({ owner, status }) => owner === account && status === "NEW").map(shownStop)),
    [paths.history]: (account) =>
      ok({ [market.name]: orders.filter(({ owner, status }) => owner === account && status !== "NEW").map(shownStop) })
  }

  // ---------------------------------------------------------------------------
  // Authentication
  // ---------------------------------------------------------------------------

  const bodyOf = ({ body }: Asked): Fields | undefined => {
    try {
      const json: unknown = JSON.parse(body)
      return typeof json === "object" && json !== null && !Array.isArray(json) ? json as Fields : undefined
    } catch {
      return undefined
    }
  }

  /** Whether a call has this fault. Each server checks for faults in a different sequence. */
  const has = (fault: Denied, asked: Asked): boolean => {
    const { body, headers, path } = asked
    const [apiKey, payload, signature] = ["x-txc-apikey", "x-txc-payload", "x-txc-signature"].map((name) =>
      headers[name]
    )
    const key = apiKey === undefined ? undefined : keys.get(apiKey)
    const fields = bodyOf(asked)
    const { nonce, request } = fields ?? {}
    const needs = choices.needsEnvelope(path)
    switch (fault) {
      case "header":
        return apiKey === undefined || payload === undefined || signature === undefined
      case "key":
        return key === undefined
      case "disabled":
        return key !== undefined && !key.enabled
      case "payload":
        return payload !== Buffer.from(body).toString("base64")
      case "signature":
        return key !== undefined && signature !== createHmac("sha512", key.secret).update(payload ?? "").digest("hex")
      case "body":
        return fields === undefined
      case "request":
        return needs && fields !== undefined && request !== path
      case "nonce":
        return needs && fields !== undefined && (nonce === undefined || !choices.isNonce(nonce, key?.last, now()))
      case "used":
        return needs && key !== undefined && key.used.has(String(nonce))
      case "endpoint":
        return key?.endpoints !== undefined && !key.endpoints.some(({ name }) => name === path)
      case "partner":
        return false
    }
  }

  const call = (asked: Asked): Reply => {
    const serve = privateCalls[asked.path]
    if (serve === undefined) return choices.unknownPath(asked.method)
    const fault = choices.checks.find((check) => has(check, asked))
    if (fault !== undefined) return choices.deny(fault)
    const key = keys.get(asked.headers["x-txc-apikey"] ?? "")
    const fields = bodyOf(asked)
    if (key === undefined || fields === undefined) return choices.deny("key")
    key.activity = seconds()
    if (choices.needsEnvelope(asked.path)) {
      key.used.add(String(fields["nonce"]))
      key.last = String(fields["nonce"])
    }
    return serve(key.account, fields)
  }

  // ---------------------------------------------------------------------------
  // Control plane and public calls
  // ---------------------------------------------------------------------------

  const text = (value: unknown): string => typeof value === "string" ? value : ""

  const actions: Readonly<Record<string, (fields: Fields) => unknown>> = {
    OpenAccount: ({ account, b2b }) =>
      accounts.set(text(account), { b2b: b2b === true, main: new Map(), payments: [], subs: [] }),
    AddKey: ({ account, apiKey, apiSecret, enabled, endpoints, title }) =>
      keys.set(text(apiKey), {
        apiKey: text(apiKey),
        secret: text(apiSecret),
        account: text(account),
        title: text(title),
        endpoints: Array.isArray(endpoints) ? endpoints as ReadonlyArray<Fields> : undefined,
        enabled: enabled === true,
        last: undefined,
        used: new Set(),
        activity: 0
      }),
    SetKey: ({ apiKey, enabled }) => Object.assign(keys.get(text(apiKey)) ?? {}, { enabled }),
    Fund: ({ account, amount, ticker, wallet }) =>
      wallet === "main" ? credit(text(account), text(ticker), text(amount)) : undefined,
    PayInterest: ({ account, ...payment }) =>
      accountOf(text(account)).payments.push({ ...payment, timestamp: seconds() }),
    OpenSubAccount: ({ alias, collateralEnabled, color, email, id, kycStatus, parent, shareKyc, spotEnabled }) =>
      accountOf(text(parent)).subs.push({
        id,
        alias,
        userId: `user-${text(id)}`,
        email,
        status: "active",
        color,
        kyc: { shareKyc, kycStatus },
        permissions: { spotEnabled, collateralEnabled }
      }),
    CreateCode: ({ amount, code, passphrase, ticker }) =>
      codes.set(text(code), { ticker: text(ticker), amount: text(amount), passphrase, isApplied: false }),
    MovePrice: (fields) => {
      if (fields["market"] !== market.name) return
      price = Number(fields["price"])
      for (const order of orders) settle(order)
    },
    AdvanceClock: ({ millis }) => advanced += Number(millis)
  }

  const publicCall = (path: string): Reply => {
    switch (path) {
      case "/api/v4/public/ping":
        return ok(["pong"])
      case "/api/v4/public/time":
        return ok({ time: seconds() })
      case "/api/v4/public/markets": {
        const { minAmount, minTotal, maxTotal, moneyPrec, stockPrec } = market
        const listed = {
          stock: "BTC",
          money: "USDT",
          stockPrec: choices.digits(stockPrec),
          moneyPrec: choices.digits(moneyPrec),
          minAmount: minAmount.toFixed(5),
          minTotal: String(minTotal),
          maxTotal: String(maxTotal),
          tradesEnabled: true,
          type: "spot"
        }
        return ok([{ ...listed, name: market.name, isCollateral: true }, {
          ...listed,
          name: spotOnly,
          tradesEnabled: false,
          isCollateral: false
        }])
      }
      default:
        return choices.unknownPath("GET")
    }
  }

  const control = "/control/v1/"

  const owner = ({ body, method, path }: Asked): Reply => {
    const name = path.slice(control.length)
    if (method === "GET" && name === "Clock") return ok({ at: now() * 1000, frozen: false, skewMillis: 0 })
    const action = actions[name]
    if (action === undefined) return { status: 404, body: {} }
    action(JSON.parse(body) as Fields)
    return { status: 204, body: undefined }
  }

  /** Responds to a request received at `at`, in Unix milliseconds. */
  return (asked: Asked, at: number): Reply => {
    machine = at
    if (asked.path.startsWith(control)) return owner(asked)
    if (asked.method === "GET" && asked.path.startsWith("/api/v4/public/")) return publicCall(asked.path)
    return asked.method === "POST" ? call(asked) : choices.unknownPath(asked.method)
  }
}
