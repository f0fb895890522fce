/**
 * What a property may do with its target: calls, signed rightly or wrongly; accounts of its own where a sandbox gives
 * them; and a market to trade on.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Target from "../Target.ts"
import * as Signing from "./Signing.ts"
import * as Spelling from "./Spelling.ts"

/**
 * An account that can be called for. `id` is what the control plane knows it by; nonces of a key that nobody else uses
 * need no clock.
 *
 * @category models
 * @since 0.1.0
 */
export interface Account extends Target.Keys {
  readonly id: string
  readonly isOwn: boolean
}

/**
 * - `b2b`: whether it may call what is for business partners, which it may unless said otherwise
 * - `endpoints`: the paths that its key is restricted to
 * - `isPoor`: without funds
 *
 * @category models
 * @since 0.1.0
 */
export interface Opening {
  readonly b2b?: boolean
  readonly endpoints?: ReadonlyArray<string>
  readonly isPoor?: boolean
}

/**
 * A market and where its price is, as numbers of this program: they choose orders, and are compared with nothing.
 *
 * @category models
 * @since 0.1.0
 */
export interface Market {
  readonly name: string
  readonly stock: string
  readonly money: string
  readonly stockPrecision: number
  readonly moneyPrecision: number
  readonly minAmount: number
  readonly minTotal: number
  readonly maxTotal: number
  readonly price: number
}

/**
 * - `send`: a request as it is
 * - `call`: a signed call, with a nonce of its own; `but` says what is done wrongly
 * - `nonce`: the envelope's nonce of an account, the next one
 * - `now`: the target's clock in milliseconds, as far as it is known; `advance` moves a sandbox's on
 * - `get`: a public call
 * - `reader`: an account to read with; `lender` has interest payments and `parent` sub-accounts with keys, when a
 *   sandbox gives them
 * - `trader`: an account with funds to place orders with
 * - `open`: an account of this run alone
 * - `control`: an action of the control plane
 * - `market`: where to trade; `markets` are all
 * - `warn`: tells whoever checks what was left behind
 * - `onEnd`: what is done after the run, whatever became of it
 * - `unique`: a text that no run before had
 *
 * @category models
 * @since 0.1.0
 */
export interface World {
  readonly dialect: Dialect
  readonly profile: Rule.Profile
  readonly baseUrl: string
  readonly send: (request: Target.Request) => Effect.Effect<Target.Answer, Target.TargetError>
  readonly call: (
    account: Account,
    path: string,
    fields?: Readonly<Record<string, unknown>>,
    but?: Signing.Tampering
  ) => Effect.Effect<Target.Answer, Target.TargetError>
  readonly nonce: (account: Account) => Effect.Effect<Readonly<Record<string, unknown>>>
  readonly now: Effect.Effect<number>
  readonly advance: (millis: number) => Effect.Effect<void, Rule.Stop>
  readonly get: (path: string, query?: string) => Effect.Effect<Target.Answer, Target.TargetError>
  readonly reader: Effect.Effect<Account, Rule.Stop>
  readonly lender: Effect.Effect<Account, Rule.Stop>
  readonly parent: Effect.Effect<Account, Rule.Stop>
  readonly trader: Effect.Effect<Account, Rule.Stop>
  readonly open: (opening?: Opening) => Effect.Effect<Account, Rule.Stop>
  readonly control: (action: string, fields: object) => Effect.Effect<void, Rule.Stop>
  readonly markets: Effect.Effect<ReadonlyArray<Market>, Rule.Stop>
  readonly market: Effect.Effect<Market, Rule.Stop>
  readonly warn: (text: string) => Effect.Effect<void>
  readonly onEnd: (effect: Effect.Effect<unknown, Rule.Stop>) => Effect.Effect<void>
  readonly unique: (prefix: string) => string
}

/** The plans, tickers and sub-accounts that an account of a sandbox begins with. */
export const plans: ReadonlyArray<readonly [planId: string, ticker: string]> = [
  ["oracle-plan-a", "USDT"],
  ["oracle-plan-b", "BTC"]
]

/** How many interest payments a lender has. */
export const payments = 9

/** How many sub-accounts a parent has; each but the last has a key. */
export const subAccounts = 5

/** The price from which a market of a sandbox begins. */
export const basePrice = 40_000

const marketsPath = "/api/v4/public/markets"
const tickersPath = "/api/v4/public/ticker"
const cancelAllPath = "/api/v4/order/cancel/all"

/** A number in decimal digits. */
export const digits = (value: number, precision: number): string => value.toFixed(precision)

/**
 * Everything that runs of one check have in common.
 *
 * @category models
 * @since 0.1.0
 */
export interface Session {
  readonly target: Target.Target
  readonly profile: Rule.Profile
  /** What was left behind on the target, in words. */
  readonly warnings: ReadonlyArray<string>
  /** A world for one rule, and how a run of it ends. */
  readonly world: () => { readonly world: World; readonly end: Effect.Effect<void> }
}

/** @category constructors */
export const session = (target: Target.Target, profile: Rule.Profile, startedAt: number): Session => {
  const { control, dialect, keys } = target
  const warnings: Array<string> = []
  let count = 0
  const unique = (prefix: string): string => `${prefix}-${startedAt.toString(36)}-${(++count).toString(36)}`

  let ahead = 0
  const now = Effect.map(Target.now, (now) => now + ahead)

  // A key of somebody's own sees nonces of today's milliseconds; a key of ours sees whatever comes after the last one.
  let last = startedAt
  let lastOwn = startedAt * 1000
  const nonce = ({ isOwn }: Account): Effect.Effect<Readonly<Record<string, unknown>>> =>
    Effect.flatMap(now, (now) => {
      if (isOwn) return Effect.succeed(Spelling.nonce(dialect, ++lastOwn, false))
      last = Math.max(now, last + 1)
      const early = last - now
      const spelled = Spelling.nonce(dialect, last, true)
      return early > 1000 ? Effect.delay(Effect.succeed(spelled), early - 1000) : Effect.succeed(spelled)
    })

  const call: World["call"] = (account, path, fields = {}, but = {}) =>
    Effect.flatMap(nonce(account), (nonce) => target.send(Signing.request(account, path, fields, nonce, but)))

  const get: World["get"] = (path, query) =>
    target.send({ method: "GET", path, headers: {}, ...(query === undefined ? {} : { query }) })

  const act: World["control"] = (action, fields) => {
    if (control === undefined || profile !== "control") return Rule.skip("needs the control plane of a sandbox")
    return Effect.flatMap(
      target.send({
        method: "POST",
        path: control.url + action,
        headers: { "content-type": "application/json", authorization: `Bearer ${Redacted.value(control.token)}` },
        body: JSON.stringify(fields)
      }),
      (answer): Effect.Effect<void, Rule.Stop> => {
        if (answer.status < 300) return Effect.void
        if (answer.status === 404) return Rule.skip(`the control plane has no ${action}`)
        const reason = `the control plane refused ${action}: HTTP ${answer.status} ${answer.text.slice(0, 200)}`
        return Effect.fail(new Target.TargetError({ reason }))
      }
    )
  }

  const ownKeys: Effect.Effect<Account, Rule.Stop> = keys === undefined
    ? Rule.skip("needs an API key and its secret")
    : Effect.succeed({ ...keys, id: "", isOwn: false })

  const open: World["open"] = Effect.fnUntraced(function*({ b2b = true, endpoints, isPoor = false } = {}) {
    const id = unique("oracle")
    const apiSecret = `${id}-secret`
    yield* act("OpenAccount", { account: id, b2b })
    yield* act("AddKey", {
      account: id,
      apiKey: `${id}-key`,
      apiSecret,
      title: "oracle",
      type: "1",
      enabled: true,
      ...(endpoints === undefined ? {} : { endpoints: endpoints.map((name) => ({ name, title: name })) })
    })
    const account = { id, apiKey: Redacted.make(`${id}-key`), apiSecret: Redacted.make(apiSecret), isOwn: true }
    if (!isPoor) {
      yield* act("Fund", { account: id, wallet: "main", ticker: "USDT", amount: "1000" })
      yield* act("Fund", { account: id, wallet: "trade", ticker: "BTC", amount: "1000" })
      yield* act("Fund", { account: id, wallet: "trade", ticker: "USDT", amount: "100000000" })
      yield* act("Fund", { account: id, wallet: "collateral", ticker: "USDT", amount: "100000000" })
    }
    return account
  })

  const createLender = Effect.fnUntraced(function*({ id }: Account) {
    for (let index = 0; index < payments; index++) {
      const [planId, ticker] = plans[index % plans.length] ?? ["", ""]
      const amount = `0.${index + 1}`
      yield* act("PayInterest", { account: id, planId, investmentId: `oracle-investment-${index}`, ticker, amount })
    }
  })

  const createParent = Effect.fnUntraced(function*({ id: parent }: Account) {
    for (let index = 0; index < subAccounts; index++) {
      const id = unique("sub")
      yield* act("OpenSubAccount", {
        id,
        parent,
        alias: `desk ${index} of ${parent}`,
        email: "d***@e***e.com",
        color: "#1D9A6C",
        shareKyc: index % 2 === 0,
        kycStatus: "shared",
        spotEnabled: true,
        collateralEnabled: index % 2 === 1
      })
      if (index + 1 < subAccounts) {
        yield* act("AddKey", {
          account: id,
          apiKey: `${id}-key`,
          apiSecret: `${id}-secret`,
          title: `key ${index}`,
          type: "1",
          enabled: index !== 1,
          ...(index === 0 ? { endpoints: [{ name: "/api/v4/order/stop_limit", title: "Stop-limit orders" }] } : {})
        })
      }
    }
  })

  const readMarkets: World["markets"] = Effect.gen(function*() {
    const answer = yield* get(marketsPath)
    const listed = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
    const tickers = profile === "control" ? undefined : (yield* get(tickersPath)).json
    return listed.flatMap((market): ReadonlyArray<Market> => {
      const name = String(market["name"])
      const ticker = Json.isObject(tickers) ? tickers[name] : undefined
      const price = profile === "control" ? basePrice : Number(Json.isObject(ticker) ? ticker["last_price"] : 0)
      if (market["tradesEnabled"] !== true || market["isCollateral"] !== true || market["type"] !== "spot") return []
      return [{
        name,
        stock: String(market["stock"]),
        money: String(market["money"]),
        stockPrecision: Number(market["stockPrec"]),
        moneyPrecision: Number(market["moneyPrec"]),
        minAmount: Number(market["minAmount"]),
        minTotal: Number(market["minTotal"]),
        maxTotal: Number(market["maxTotal"]),
        price
      }]
    })
  })

  let known: ReadonlyArray<Market> | undefined
  const markets: World["markets"] = Effect.suspend(() =>
    known === undefined
      ? Effect.tap(readMarkets, (markets) => Effect.sync(() => known = markets))
      : Effect.succeed(known)
  )

  const market: World["market"] = Effect.gen(function*() {
    const all = yield* markets
    const found = all.find(({ name, price }) => name === "BTC_USDT" && price > 0) ?? all.find(({ price }) => price > 0)
    if (found === undefined) {
      return yield* Rule.skip(`needs ${marketsPath} and ${tickersPath} to list a market that trades on margin`)
    }
    if (profile === "control") yield* act("MovePrice", { market: found.name, price: String(basePrice) })
    return found
  })

  const world: Session["world"] = () => {
    let endings: Array<Effect.Effect<unknown, Rule.Stop>> = []
    const onEnd: World["onEnd"] = (effect) => Effect.sync(() => endings.push(effect))

    /** An account that is made for a rule once, and serves all its runs. */
    const once = (make: Effect.Effect<Account, Rule.Stop>): Effect.Effect<Account, Rule.Stop> => {
      let made: Account | undefined
      return Effect.suspend(() =>
        made === undefined ? Effect.tap(make, (account) => Effect.sync(() => made = account)) : Effect.succeed(made)
      )
    }
    const isControl = profile === "control"
    const openTrader: World["open"] = (opening) =>
      Effect.tap(open(opening), (account) => onEnd(call(account, cancelAllPath)))
    return {
      world: {
        dialect,
        profile,
        baseUrl: target.baseUrl,
        send: target.send,
        call,
        nonce,
        now,
        advance: (millis) => Effect.andThen(act("AdvanceClock", { millis }), Effect.sync(() => void (ahead += millis))),
        get,
        reader: isControl ? once(open()) : ownKeys,
        lender: isControl ? once(Effect.tap(open(), createLender)) : ownKeys,
        parent: isControl ? once(Effect.tap(open(), createParent)) : ownKeys,
        trader: profile === "read-only"
          ? Rule.skip("places orders: needs the profile mutating")
          : isControl
          ? openTrader()
          : ownKeys,
        open: openTrader,
        control: act,
        markets,
        market,
        warn: (text) => Effect.sync(() => warnings.push(text)),
        onEnd,
        unique
      },
      end: Effect.suspend(() => {
        const now = endings.toReversed()
        endings = []
        return Effect.forEach(now, (ending) => Effect.ignore(ending), { discard: true })
      })
    }
  }
  return { target, profile, warnings, world }
}
