/** Creates and applies codes in a sandbox. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Paths from "./Paths.ts"
import type { Account, World } from "./World.ts"

/** Opens an account that creates a code for this amount of ETH. */
export const issue = Effect.fnUntraced(function*(world: World, amount: string, passphrase?: string) {
  const creator = yield* world.open({ isFunded: false })
  yield* world.control("Fund", { account: creator.id, wallet: "main", ticker: "ETH", amount })
  const code = world.unique("WB")
  yield* world.control("CreateCode", {
    account: creator.id,
    code,
    ticker: "ETH",
    amount,
    ...(passphrase === undefined ? {} : { passphrase })
  })
  return { code, creator }
})

/** Returns the ETH balance in an account's main wallet. */
export const ethOf = Effect.fnUntraced(function*(world: World, account: Account) {
  const { json } = yield* world.call(account, Paths.mainBalance)
  const entry = Json.isObject(json) ? json["ETH"] : undefined
  return Json.isObject(entry) ? Number(entry["main_balance"]) : 0
})
