import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SubAccountId } from "../../src/domain/Identifiers.ts"
import { DeleteSubAccount } from "../../src/endpoints/DeleteSubAccount.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import { SubAccountApiKeys } from "../../src/endpoints/SubAccountApiKeys.ts"
import { SubAccounts } from "../../src/endpoints/SubAccounts.ts"
import {
  asBob,
  clientOf,
  dialects,
  emptySubAccount,
  exchange,
  fundedSubAccount,
  keyOfEmptySubAccount,
  overHttp,
  subAccountOfBob
} from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"

const remove = (id: SubAccountId) => DeleteSubAccount.use((service) => service.delete({ id }))

const listed = SubAccounts.use((subAccounts) =>
  Effect.map(subAccounts.page(), ({ records }) => records.map(({ id }) => id))
)

describe.each(dialects)("deleting sub-accounts over HTTP in the $name dialect", (dialect) => {
  it.live("a deleted sub-account and its keys disappear from the lists", () =>
    Effect.gen(function*() {
      const keys = SubAccountApiKeys.use((service) =>
        Effect.map(service.page(), ({ records }) => records.map(({ subAccountId }) => subAccountId))
      )
      assert.deepStrictEqual(yield* keys, [emptySubAccount, fundedSubAccount])
      assert.isUndefined(yield* remove(emptySubAccount))
      assert.deepStrictEqual(yield* listed, [fundedSubAccount])
      assert.deepStrictEqual(yield* keys, [fundedSubAccount])
      yield* failsWith("InvalidFields")(remove(emptySubAccount))
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a deleted sub-account's key is refused", () =>
    Effect.gen(function*() {
      const own = yield* Layer.build(clientOf(keyOfEmptySubAccount))
      const balance = Effect.provideContext(MainBalance.use(({ all }) => all), own)
      assert.strictEqual((yield* balance).size, 0)
      yield* remove(emptySubAccount)
      assert.strictEqual((yield* failsWith("NotAuthorized")(balance)).why, "unauthenticated")
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("deleting an unknown sub-account, or another account's sub-account, fails with InvalidFields", () =>
    Effect.gen(function*() {
      for (const id of [SubAccountId.make("none"), subAccountOfBob]) {
        const error = yield* failsWith("InvalidFields")(remove(id))
        assert.deepStrictEqual([error.origin, error.status, error.code], ["exchange", 400, 0])
        assert.deepStrictEqual(error.fields, { id: ["The selected id is invalid."] })
      }
      assert.deepStrictEqual(yield* asBob(listed), [subAccountOfBob])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a sub-account that holds funds can't be deleted", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("InvalidFields")(remove(fundedSubAccount))
      assert.deepStrictEqual(error.fields, { id: ["The selected id still holds funds."] })
      assert.deepStrictEqual(yield* listed, [emptySubAccount, fundedSubAccount])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})
