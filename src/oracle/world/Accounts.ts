/** The accounts that a check opens in a sandbox, with their initial funds. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type * as Verdict from "../Verdict.ts"
import * as Paths from "./Paths.ts"
import * as SubAccounts from "./SubAccounts.ts"
import type { Account, Opening, World } from "./World.ts"

type Control = Pick<World, "control" | "unique">

/** The plans that pay interest to a lender, each with the ticker of its payments. */
export const plans: ReadonlyArray<readonly [planId: string, ticker: string]> = [
  ["oracle-plan-a", "USDT"],
  ["oracle-plan-b", "BTC"]
]

/** The number of interest payments that a lender has received. */
const payments = 9

type Wallet = "main" | "trade" | "collateral"

/** Initial balances of a funded account. */
export const funds: ReadonlyArray<{ readonly wallet: Wallet; readonly ticker: string; readonly amount: string }> = [
  { wallet: "main", ticker: "USDT", amount: "1000" },
  { wallet: "trade", ticker: "BTC", amount: "1000" },
  { wallet: "trade", ticker: "USDT", amount: "100000000" },
  { wallet: "collateral", ticker: "USDT", amount: "100000000" }
]

/** Whether the initial trade balance of a funded account covers an amount. */
export const canPay = (money: string, total: number): boolean =>
  funds.some(({ amount, ticker, wallet }) => wallet === "trade" && ticker === money && Number(amount) >= total)

/** The wallets that each call may use or show. A call that is not listed may use or show all wallets. */
const walletsOf: ReadonlyMap<string, ReadonlyArray<Wallet>> = new Map<string, ReadonlyArray<Wallet>>([
  ...Paths.moneyless.map((path) => [path, []] as const),
  ...Paths.ofMainBalance.map((path) => [path, ["main"]] as const),
  ...Paths.ofTradeBalance.map((path) => [path, ["trade"]] as const),
  ...Paths.ofCollateral.map((path) => [path, ["collateral"]] as const)
])

/**
 * Credits the initial balances of the accounts that a check opens: each wallet just before the first call that may use
 * it. Most accounts need only one wallet, and crediting all wallets would take a third of a check's requests.
 */
export const makeFunding = (control: World["control"]) => {
  const due = new Map<string, { readonly wallets: Set<Wallet>; readonly one: Semaphore.Semaphore }>()
  const credit = Effect.fnUntraced(function*(account: string, wallets: Set<Wallet>, used: ReadonlyArray<Wallet>) {
    const missing = used.filter((wallet) => wallets.has(wallet))
    const credits = funds.filter(({ wallet }) => missing.includes(wallet))
    yield* Effect.forEach(credits, (fund) => control("Fund", { account, ...fund }), {
      concurrency: "unbounded",
      discard: true
    })
    for (const wallet of missing) wallets.delete(wallet)
  })
  return {
    /** Records that an account has yet to be credited with its initial balances. */
    promise: ({ id }: Account): void => {
      due.set(id, { wallets: new Set(funds.map(({ wallet }) => wallet)), one: Semaphore.makeUnsafe(1) })
    },
    /** Credits the wallets that a call of an account may use or show. */
    before: ({ id }: Account, path: string): Effect.Effect<void, Verdict.CheckError> => {
      const promised = due.get(id)
      const used = walletsOf.get(path) ?? ["main", "trade", "collateral"]
      if (promised === undefined || !used.some((wallet) => promised.wallets.has(wallet))) return Effect.void
      // Concurrent calls wait for the same credit.
      return promised.one.withPermit(Effect.suspend(() => credit(id, promised.wallets, used)))
    }
  }
}

/** Opens an account with a key, but without funds. */
export const open = Effect.fnUntraced(function*(
  { control, unique }: Control,
  { b2b = true, endpoints }: Omit<Opening, "isFunded"> = {}
): Effect.fn.Return<Account, Verdict.CheckError> {
  const id = unique("oracle")
  const [apiKey, apiSecret] = [`${id}-key`, `${id}-secret`]
  yield* control("OpenAccount", { account: id, b2b })
  yield* control("AddKey", {
    account: id,
    apiKey,
    apiSecret,
    title: "oracle",
    type: "2",
    enabled: true,
    ...(endpoints === undefined ? {} : { endpoints: endpoints.map((name) => ({ name, title: name })) })
  })
  return { id, apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret), isExclusive: true }
})

/** Opens an account that has received interest payments from all plans. */
export const openLender = Effect.fnUntraced(function*(world: Control) {
  const lender = yield* open(world)
  for (let index = 0; index < payments; index++) {
    const [planId, ticker] = plans[index % plans.length] ?? ["", ""]
    const amount = `0.${index + 1}`
    const investmentId = `oracle-investment-${index}`
    yield* world.control("PayInterest", { account: lender.id, planId, investmentId, ticker, amount })
  }
  return lender
})

/** Opens an account with sub-accounts. All but the last have a key. */
export const openParent = Effect.fnUntraced(function*(world: Control) {
  const parent = yield* open(world)
  yield* SubAccounts.populate(world, parent)
  return parent
})
