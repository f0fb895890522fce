/**
 * Arbitrary commands. They use few accounts, keys, codes, ids and nonces, so that many commands share them. The tables
 * are complete, because a command or field without an arbitrary does not compile.
 */
import * as fc from "fast-check"
import { leverages } from "../../../src/domain/Margin.ts"
import type { Action, Command } from "../../../src/sandbox/engine/Command.ts"
import * as Listings from "../../../src/sandbox/engine/Listings.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"

const account = fc.constantFrom("alice", "bob", "sub-1", "sub-2")
const subAccount = fc.constantFrom("sub-1", "sub-2", "sub-3")
const apiKey = fc.constantFrom("key-alice", "key-alice", "key-bob", "key-sub")
const ticker = fc.constantFrom("BTC", "ETH", "USDT")
const wallet = fc.constantFrom("main", "trade", "collateral")
const market = fc.oneof(
  { weight: 4, arbitrary: fc.constant("BTC_USDT") },
  fc.constantFrom(...Listings.markets.map(({ name }) => name), "NO_SUCH")
)
const side = fc.constantFrom("buy", "sell")
const amount = fc.constantFrom("0.0000001", "0.1", "0.5", "1", "2.25", "10", "100", "1000")
const price = fc.constantFrom("0.01", "10", "100", "1000", "1000.01")
const code = fc.constantFrom("code-1", "code-2", "code-3")
const clientOrderId = fc.constantFrom("mine", "other")
const passphrase = fc.constantFrom("sesame", "")

type OperationOf<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>
type ActionOf<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

type Optional<A> = { [Key in keyof A]-?: {} extends Pick<A, Key> ? Key : never }[keyof A]

/** The arbitraries of a type's required and optional fields. A missing field is a compile error. */
interface Fields<A> {
  /** The relative frequency with which the command is drawn. 1 by default. */
  readonly weight?: number
  readonly required: { readonly [Key in Exclude<keyof A, Optional<A> | "_tag">]: fc.Arbitrary<unknown> }
  readonly optional?: { readonly [Key in Optional<A>]: fc.Arbitrary<unknown> }
}

/** `Fields`, where `optional` is required if the type has optional fields. */
type Given<A> = [Optional<A>] extends [never] ? Fields<A> : Required<Pick<Fields<A>, "optional">> & Fields<A>

interface AnyFields {
  readonly weight?: number
  readonly required: Readonly<Record<string, fc.Arbitrary<unknown>>>
  readonly optional?: Readonly<Record<string, fc.Arbitrary<unknown>>>
}

const record = (_tag: string, { optional = {}, required }: AnyFields): fc.Arbitrary<object> =>
  fc.record<Record<string, unknown>>({ _tag: fc.constant(_tag), ...required, ...optional }, {
    requiredKeys: ["_tag", ...Object.keys(required)],
    noNullPrototype: true
  })

const oneOf = (all: Readonly<Record<string, AnyFields>>): fc.Arbitrary<object> =>
  fc.oneof(
    ...Object.entries(all).map(([tag, fields]) => ({
      weight: fields.weight ?? 1,
      arbitrary: record(tag, fields)
    }))
  )

const orderId = fc.integer({ min: 1, max: 40 }).map(String)
const otoId = fc.integer({ min: 1, max: 60 }).map(String)
const stp = fc.constantFrom("no", "cancel_both", "cancel_new", "cancel_old")
const types = fc.subarray(["spot", "margin", "futures"], { minLength: 1 })
const exit = { takeProfit: price, stopLoss: price }
const positionSide = fc.constantFrom("LONG", "SHORT", "BOTH")
const order = { clientOrderId, stp, reduceOnly: fc.boolean(), positionSide }

const limit: Given<OperationOf<"PlaceLimit">> = {
  weight: 2,
  required: { market, side, amount, collateral: fc.boolean() },
  optional: {
    ...order,
    ...exit,
    price,
    ioc: fc.boolean(),
    postOnly: fc.boolean(),
    rpi: fc.boolean(),
    retail: fc.boolean(),
    bboRole: fc.constantFrom("queue", "counterparty")
  }
}

const cancel: Given<OperationOf<"Cancel">> = { required: { market }, optional: { orderId, clientOrderId } }

const drawn = fc.uuid()

const operations: { readonly [Tag in Operation["_tag"]]: Given<OperationOf<Tag>> } = {
  Nothing: { required: {} },
  PlaceLimit: limit,
  PlaceMarket: {
    required: { market, side, amount, quoteAmount: fc.boolean(), collateral: fc.boolean() },
    optional: { ...order, ...exit }
  },
  PlaceStopLimit: {
    weight: 8,
    required: { market, side, amount, price, activationPrice: price },
    optional: { ...order, ...exit, bboRole: fc.constantFrom("queue", "counterparty"), collateral: fc.boolean() }
  },
  PlaceStopMarket: {
    required: { market, side, amount, activationPrice: price, collateral: fc.boolean() },
    optional: { ...order, ...exit }
  },
  PlaceOco: {
    weight: 2,
    required: { market, side, amount, price, activationPrice: price, stopLimitPrice: price },
    optional: order
  },
  PlaceBulk: {
    weight: 2,
    required: { orders: fc.array(record("PlaceLimit", limit), { maxLength: 3 }) },
    optional: { stopOnFail: fc.boolean() }
  },
  Modify: {
    weight: 2,
    required: { market },
    optional: { orderId, clientOrderId, amount, total: amount, price, activationPrice: price, stp }
  },
  Cancel: cancel,
  CancelBulk: { required: { orders: fc.array(record("Cancel", cancel), { maxLength: 3 }) } },
  CancelOco: cancel,
  CancelOto: { required: { market, otoId } },
  CancelConditional: { required: { market, id: otoId } },
  CancelAll: {
    required: {},
    optional: { market, type: types, positionSide }
  },
  SetKillSwitch: { required: { market }, optional: { seconds: fc.integer({ min: 5, max: 600 }), types } },
  Transfer: { required: { from: wallet, to: wallet, ticker, amount } },
  CreateCode: {
    required: { ticker, amount },
    optional: { passphrase, description: fc.constantFrom("", "a gift"), drawn }
  },
  ApplyCode: { weight: 2, required: { code }, optional: { passphrase } },
  CreateSubAccount: {
    required: {
      alias: fc.constantFrom("one", "two"),
      shareKyc: fc.boolean(),
      spotEnabled: fc.boolean(),
      collateralEnabled: fc.boolean()
    },
    optional: { email: fc.constant("sub@example.com") }
  },
  CreateSubAccountKey: {
    required: { subAccountId: subAccount, title: fc.constantFrom("one", "two"), type: fc.constantFrom("1", "2") },
    optional: { drawn }
  },
  DeleteSubAccount: { required: { id: subAccount } },
  SetLeverage: { required: { leverage: fc.constantFrom(...leverages) } },
  SetHedgeMode: { required: { hedgeMode: fc.boolean() } },
  ClosePosition: { required: { market, positionId: orderId }, optional: { positionSide } }
}

const nonce = fc.record({ value: fc.bigInt({ min: 0n, max: 6000n }), window: fc.boolean() })
const planId = fc.constantFrom("plan-1", "plan-2")
const investmentId = fc.constantFrom("investment-1", "investment-2")
const endpoints = fc.constant([{ name: "/api/v4/order/stop_limit", title: "orders" }])
const ratio = fc.constantFrom("0.01", "-0.02", "0")
const terms = fc.constantFrom({ fixed: "0.5" }, { fixed: "-1" })

/** All actions except `Begin` and `Restore`, which make sense only in a history. Another test draws those. */
const actions: { readonly [Tag in Exclude<Action["_tag"], "Begin" | "Restore">]: Given<ActionOf<Tag>> } = {
  Call: { weight: 16, required: { apiKey, operation: oneOf(operations) }, optional: { nonce } },
  OpenAccount: { required: { account, b2b: fc.boolean() } },
  OpenSubAccount: {
    required: {
      id: subAccount,
      parent: account,
      alias: fc.string(),
      email: fc.constant("s***@e***e.com"),
      color: fc.constant("#FFFFFF"),
      shareKyc: fc.boolean(),
      kycStatus: fc.string(),
      spotEnabled: fc.boolean(),
      collateralEnabled: fc.boolean()
    }
  },
  SetAccount: { required: { account }, optional: { rpi: fc.boolean(), retail: fc.boolean() } },
  SetSubAccount: {
    required: { id: subAccount },
    optional: { kycStatus: fc.string(), spotEnabled: fc.boolean(), collateralEnabled: fc.boolean() }
  },
  AddKey: {
    required: {
      account,
      apiKey,
      apiSecret: fc.string(),
      title: fc.string(),
      type: fc.string(),
      enabled: fc.boolean()
    },
    optional: { endpoints }
  },
  SetKey: { required: { apiKey }, optional: { enabled: fc.boolean(), endpoints: fc.option(endpoints) } },
  SetCurrency: {
    required: { ticker },
    optional: { canDeposit: fc.boolean(), canWithdraw: fc.boolean(), deposit: terms, withdraw: terms }
  },
  Fund: { weight: 4, required: { account, wallet, ticker, amount } },
  CreateCode: { weight: 2, required: { account, code, ticker, amount }, optional: { passphrase } },
  OpenPlan: {
    required: { planId, ticker, dailyPercent: fc.constantFrom("0.5", "3"), days: fc.integer({ min: 1, max: 4 }) },
    optional: { interestTicker: ticker, interestRatio: amount }
  },
  Invest: { required: { account, planId, investmentId, amount } },
  PayInterest: { required: { account, planId, investmentId, ticker, amount } },
  MovePrice: { required: { market, price } },
  StepPrice: { required: { market, by: fc.constantFrom("-1", "0.5", "10") } },
  PlayPrices: {
    required: {
      market,
      steps: fc.array(fc.record({ afterMillis: fc.integer({ min: 0, max: 3000 }), price }), { maxLength: 3 })
    }
  },
  OpenPosition: { required: { account, market, side, amount }, optional: { price } },
  SetCounterparty: {
    required: { market },
    optional: {
      enabled: fc.boolean(),
      spread: fc.constantFrom("0.1", "3", "51"),
      levels: fc.integer({ min: 0, max: 4 }),
      step: fc.constantFrom("0", "0.3", "2"),
      amount,
      variation: fc.constantFrom("0", "30", "101"),
      refill: fc.boolean(),
      credit: fc.boolean(),
      seed: fc.integer()
    }
  },
  MoveIndex: { required: { market, price: fc.option(price) } },
  MoveMark: { required: { market, price: fc.option(price) } },
  SetFunding: {
    required: { market: fc.constantFrom("BTC_PERP", "BTC_USDT") },
    optional: {
      rate: fc.option(ratio),
      intervalMinutes: fc.integer({ min: 1, max: 5 }),
      cap: ratio,
      floor: ratio
    }
  },
  SetMargin: {
    required: {},
    optional: {
      defaultLeverage: fc.constantFrom(5, 7, 100),
      marginMaxLeverage: fc.constantFrom(10, 20),
      leverageChange: fc.constantFrom("allowed", "refused"),
      bracketSpan: fc.constantFrom("whole", "marginal"),
      maintenanceShare: fc.constantFrom("0.5", "0.9", "1.1"),
      callRatio: fc.constantFrom("1", "1.5", "0.5"),
      partialShare: fc.constantFrom("0.25", "1"),
      liquidationFee: fc.constantFrom("0", "0.01"),
      liquidity: fc.constantFrom("outside", "book"),
      fundingClamp: ratio,
      borrowRate: fc.constantFrom("0", "0.000585", "0.2"),
      oneWaySides: fc.constantFrom("ignored", "refused"),
      opposite: fc.constantFrom("allowed", "refused"),
      weights: fc.array(fc.record({ ticker, weight: fc.constantFrom("0", "0.5", "1", "2") }), { maxLength: 2 })
    }
  },
  SetInsurance: { required: { ticker, amount: fc.constantFrom("0", "10", "-1") } },
  SetClock: {
    required: { clock: fc.record({ _tag: fc.constant("Running"), ahead: fc.integer({ min: 0, max: 9000 }) }) }
  },
  SetSkew: { required: { skew: fc.integer({ min: -5000, max: 5000 }) } },
  SetIdentity: { required: { identity: fc.constantFrom("1f2e3d4c-5b6a", "0a1b2c3d-4e5f") } },
  Pass: { required: {} }
}

const opening: ReadonlyArray<object> = [
  { _tag: "OpenAccount", account: "alice", b2b: true },
  { _tag: "OpenAccount", account: "bob", b2b: false },
  ...["alice", "bob"].map((account) => ({
    _tag: "AddKey",
    account,
    apiKey: `key-${account}`,
    apiSecret: "secret",
    title: "",
    type: "1",
    enabled: true
  })),
  ...["main", "trade", "collateral"].flatMap((wallet) =>
    ["BTC", "USDT"].map((ticker) => ({ _tag: "Fund", account: "alice", wallet, ticker, amount: "1000" }))
  )
]

/**
 * Commands sorted by time. The first commands open two accounts with keys and fund one of them, and the other commands
 * are of any kind.
 */
export const commands: fc.Arbitrary<ReadonlyArray<Command>> = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 2_000_000 }), oneOf(actions)),
  { minLength: 5, maxLength: 80, size: "max" }
).map((steps) => {
  let at = 1_000_000
  return [...opening.map((action) => [0, action] as const), ...steps].map(([later, action]) => ({
    at: at += later,
    action
  })) as unknown as ReadonlyArray<Command>
})
