import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Decimal from "../../src/domain/Decimal.ts"
import { SubAccountId } from "../../src/domain/Identifiers.ts"
import { Alias, KeyTitle } from "../../src/domain/SubAccount.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import { SubAccountApiKeyCreation } from "../../src/endpoints/SubAccountApiKeyCreation.ts"
import { SubAccountApiKeys } from "../../src/endpoints/SubAccountApiKeys.ts"
import { SubAccountCreation } from "../../src/endpoints/SubAccountCreation.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import { asBob, dialects, failsWith, raw, same, traders, usdt } from "../support/trading.ts"

const main = MainBalance.use((balance) => Effect.map(balance.of(usdt), Decimal.normalize))

const subAccount = SubAccountCreation.use((accounts) =>
  accounts.create({
    alias: Alias.make("training"),
    shareKyc: true,
    permissions: { spotEnabled: true, collateralEnabled: false }
  })
)

const key = (subAccountId: SubAccountId, type: 1 | 2 = 1) =>
  SubAccountApiKeyCreation.use((keys) => keys.create({ subAccountId, title: KeyTitle.make("a bot"), type }))

describe.each(dialects)("creating sub-account API keys in the $name dialect", (dialect) => {
  const created = dialect === Dialect.document ? 200 : 201

  it.live("a new API key works, and its secret is shown only once", () =>
    Effect.gen(function*() {
      const { id } = yield* subAccount
      const { apiSecret, ...shown } = yield* key(id, 2)
      same([shown.type, shown.isEnabled, shown.restrictAccess, shown.subAccountId], ["2", true, false, id])
      assert.notInclude(JSON.stringify({ apiSecret }), Redacted.value(apiSecret))
      const own = Exchange.layer({
        baseUrl: InProcess.baseUrl,
        dialect,
        credentials: { apiKey: Redacted.make(shown.apiKey), apiSecret }
      }).pipe(Layer.orDie)
      same(yield* Effect.provide(main, own), "0")
      const [listed] = (yield* SubAccountApiKeys.use((keys) => keys.page())).records
      assert.notProperty(listed ?? {}, "apiSecret")
      same({ ...listed, lastActivity: 0 }, { ...shown, lastActivity: 0 })
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the new API key's type is sent as a number", () =>
    Effect.gen(function*() {
      const { id } = yield* subAccount
      const request = { subAccountId: id, title: "a bot", type: 2 }
      const { body, status } = yield* raw("/api/v4/sub-account/api-key/create", request)
      const { apiSecret, type } = body as { readonly apiSecret: string; readonly type: unknown }
      same([status, type, apiSecret.length > 8], [created, 2, true])
      const wrong = yield* raw("/api/v4/sub-account/api-key/create", { ...request, type: 3 })
      same([wrong.status, (wrong.body as { readonly errors: unknown }).errors], [400, {
        type: ["The selected type is invalid."]
      }])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("creating an API key for an unknown sub-account, or for another account's sub-account, is refused", () =>
    Effect.gen(function*() {
      const { id } = yield* subAccount
      const refused = failsWith("InvalidFields")
      const errors = [yield* refused(key(SubAccountId.make("no such"))), yield* asBob(refused(key(id)))]
      for (const { fields } of errors) same(fields, { subAccountId: ["The selected subAccountId is invalid."] })
    }).pipe(Effect.provide(traders(dialect))))
})
