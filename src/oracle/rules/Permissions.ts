/**
 * Rules about a sub-account's trading permissions (document, "Sub-account" and "Authentication"). The document names
 * the permissions; which calls each one allows is this project's stance.
 */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import type { Body, World } from "../world/World.ts"

const clause = "Authentication"

/** The permissions of a sub-account. */
const permissions = ["spotEnabled", "collateralEnabled"] as const

type Permission = (typeof permissions)[number]

/** Opens a sub-account with funds and these permissions. */
const open = Effect.fnUntraced(function*(world: World, allowed: Readonly<Record<Permission, boolean>>) {
  const id = yield* SubAccounts.create(world, yield* world.open({ isFunded: false }), allowed)
  const account = yield* SubAccounts.addKey(world, id)
  for (const wallet of ["trade", "collateral"]) {
    yield* world.control("Fund", { account: id, wallet, ticker: "USDT", amount: "100000" })
  }
  return account
})

const rule = (permission: Permission, id: string, statement: string, path: string, draft: (typeof Orders)["oco"]) =>
  Rule.forEach({
    id,
    statement,
    clause,
    level: "SHOULD",
    values: [true, false],
    check: Effect.fnUntraced(function*(world, isAllowed) {
      const other = permissions.find((other) => other !== permission) ?? permission
      const allowed = { [permission]: isAllowed, [other]: !isAllowed } as Record<Permission, boolean>
      const account = yield* open(world, allowed)
      const fields: Body = draft(yield* world.market, "buy")
      const answer = yield* Orders.submit(world, account, path, fields)
      yield* isAllowed
        ? Verdict.expect(answer, `HTTP 200, because ${permission} is true`, answer.status === 200)
        : Refusals.any(answer, `because ${permission} is false`)
    })
  })

export const rules: ReadonlyArray<Rule.Rule> = [
  rule(
    "spotEnabled",
    "auth.permissions.spot",
    "Accepts a sub-account's spot stop-limit orders only with the permission spotEnabled",
    Paths.stopLimit,
    Orders.stopLimit
  ),
  rule(
    "collateralEnabled",
    "auth.permissions.collateral",
    "Accepts a sub-account's collateral orders only with the permission collateralEnabled",
    Paths.oco,
    Orders.oco
  )
]
