/** The accounts that a check opens in a sandbox, with their initial funds. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Verdict from "../Verdict.ts"
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

/** Initial balances of a funded account. */
const funds = [
  { wallet: "main", ticker: "USDT", amount: "1000" },
  { wallet: "trade", ticker: "BTC", amount: "1000" },
  { wallet: "trade", ticker: "USDT", amount: "100000000" },
  { wallet: "collateral", ticker: "USDT", amount: "100000000" }
]

/** Opens an account with a key, funded by default. */
export const open = Effect.fnUntraced(function*(
  { control, unique }: Control,
  { b2b = true, endpoints, isFunded = true }: Opening = {}
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
  if (isFunded) { for (const fund of funds) yield* control("Fund", { account: id, ...fund }) }
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
