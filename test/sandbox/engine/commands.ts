/** Arbitrary commands about few accounts, keys, codes, identifiers and nonces, so that many concern the same ones. */
import * as fc from "fast-check"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Listings from "../../../src/sandbox/engine/Listings.ts"

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

const record = (
  _tag: string,
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}
): fc.Arbitrary<object> =>
  fc.record<Record<string, unknown>>({ _tag: fc.constant(_tag), ...fields, ...optional }, {
    requiredKeys: ["_tag", ...Object.keys(fields)],
    noNullPrototype: true
  })

const orderId = fc.integer({ min: 1, max: 40 }).map(String)

const limit = record("PlaceLimit", { market, side, amount, price, collateral: fc.boolean() }, {
  clientOrderId,
  ioc: fc.boolean(),
  postOnly: fc.boolean(),
  reduceOnly: fc.boolean()
})

const operation = fc.oneof(
  record("Nothing", {}),
  {
    weight: 4,
    arbitrary: record("PlaceStopLimit", { market, side, amount, price, activationPrice: price }, {
      clientOrderId,
      stp: fc.constantFrom("no", "cancel_both"),
      bboRole: fc.constantFrom("queue", "counterparty")
    })
  },
  {
    weight: 2,
    arbitrary: record("PlaceOco", { market, side, amount, price, activationPrice: price, stopLimitPrice: price }, {
      clientOrderId,
      reduceOnly: fc.boolean()
    })
  },
  record("PlaceStopMarket", { market, side, amount, activationPrice: price, collateral: fc.boolean() }, {
    clientOrderId,
    reduceOnly: fc.boolean()
  }),
  {
    weight: 2,
    arbitrary: record("Modify", { market }, { orderId, clientOrderId, amount, price, activationPrice: price })
  },
  {
    weight: 2,
    arbitrary: record("PlaceBulk", { orders: fc.array(limit, { maxLength: 3 }) }, { stopOnFail: fc.boolean() })
  },
  record("CancelBulk", {
    orders: fc.array(record("Cancel", { market }, { orderId, clientOrderId }), { maxLength: 3 })
  }),
  record("CancelAll", {}, { market, type: fc.subarray(["spot", "margin", "futures"], { minLength: 1 }) }),
  {
    weight: 2,
    arbitrary: record("PlaceLimit", { market, side, amount, price, collateral: fc.constant(true) }, {
      clientOrderId,
      takeProfit: price,
      stopLoss: price
    })
  },
  record("CancelOto", { market, otoId: fc.integer({ min: 1, max: 60 }).map(String) }),
  record("CancelConditional", { market, id: fc.integer({ min: 1, max: 60 }).map(String) }),
  record("SetKillSwitch", { market }, {
    seconds: fc.integer({ min: 5, max: 600 }),
    types: fc.subarray(["spot", "margin", "futures"], { minLength: 1 })
  }),
  { weight: 2, arbitrary: record("ApplyCode", { code }, { passphrase }) },
  record("DeleteSubAccount", { id: subAccount })
)

const nonce = fc.record({ value: fc.bigInt({ min: 0n, max: 6000n }), window: fc.boolean() })

const action = fc.oneof(
  { weight: 8, arbitrary: record("Call", { apiKey, operation }, { nonce }) },
  record("OpenAccount", { account, b2b: fc.boolean() }),
  record("OpenSubAccount", {
    id: subAccount,
    parent: account,
    alias: fc.string(),
    email: fc.constant("s***@e***e.com"),
    color: fc.constant("#FFFFFF"),
    shareKyc: fc.boolean(),
    kycStatus: fc.string(),
    spotEnabled: fc.boolean(),
    collateralEnabled: fc.boolean()
  }),
  record("AddKey", {
    account,
    apiKey,
    apiSecret: fc.string(),
    title: fc.string(),
    type: fc.string(),
    enabled: fc.boolean()
  }, { endpoints: fc.constant([{ name: "/api/v4/order/stop_limit", title: "orders" }]) }),
  record("SetKey", { apiKey, enabled: fc.boolean() }),
  record("SetIdentity", { identity: fc.constantFrom("1f2e3d4c-5b6a", "0a1b2c3d-4e5f") }),
  record("SetCurrency", { ticker }, {
    canDeposit: fc.boolean(),
    withdraw: fc.constantFrom({ fixed: "0.5" }, { fixed: "-1" })
  }),
  { weight: 4, arbitrary: record("Fund", { account, wallet, ticker, amount }) },
  { weight: 2, arbitrary: record("CreateCode", { account, code, ticker, amount }, { passphrase }) },
  record("SetCounterparty", { market }, {
    enabled: fc.boolean(),
    spread: fc.constantFrom("0.1", "3", "51"),
    levels: fc.integer({ min: 0, max: 4 }),
    amount,
    refill: fc.boolean(),
    credit: fc.boolean(),
    seed: fc.integer()
  }),
  record("MovePrice", { market, price }),
  record("PayInterest", {
    account,
    planId: fc.constantFrom("plan-1", "plan-2"),
    investmentId: fc.constant("investment"),
    ticker,
    amount
  })
)

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

/** Commands in the order of their times: first two accounts with keys, one of them funded, then anything. */
export const commands: fc.Arbitrary<ReadonlyArray<Command>> = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 2_000_000 }), action),
  { minLength: 5, maxLength: 80, size: "max" }
).map((steps) => {
  let at = 1_000_000
  return [...opening.map((action) => [0, action] as const), ...steps].map(([later, action]) => ({
    at: at += later,
    action
  })) as unknown as ReadonlyArray<Command>
})
