/** Creates and applies codes in a sandbox. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Paths from "./Paths.ts"
import type { Account, World } from "./World.ts"

/** Opens an account that creates a code for this amount of a currency, by default of ETH. */
export const issue = Effect.fnUntraced(function*(
  world: World,
  amount: string,
  passphrase?: string,
  ticker: string = "ETH"
) {
  const creator = yield* world.open({ isFunded: false })
  yield* world.control("Fund", { account: creator.id, wallet: "main", ticker, amount })
  const code = world.unique("WB")
  yield* world.control("CreateCode", {
    account: creator.id,
    code,
    ticker,
    amount,
    ...(passphrase === undefined ? {} : { passphrase })
  })
  return { code, creator }
})

/** Returns the balance of a currency, by default of ETH, in an account's main wallet. */
export const balanceOf = Effect.fnUntraced(function*(world: World, account: Account, ticker: string = "ETH") {
  const { json } = yield* world.call(account, Paths.mainBalance)
  const entry = Json.isObject(json) ? json[ticker] : undefined
  return Json.isObject(entry) ? Number(entry["main_balance"]) : 0
})
