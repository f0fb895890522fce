import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { SubAccountId } from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { SubAccounts } from "../../src/endpoints/SubAccounts.ts"
import {
  asBob,
  dialects,
  emptySubAccount,
  exchange,
  fundedSubAccount,
  openSubAccount,
  overHttp,
  subAccountOfBob
} from "../support/exchange.ts"

const ids = (records: ReadonlyArray<{ readonly id: SubAccountId }>) => records.map(({ id }) => id)

describe.each(dialects)("listing sub-accounts over HTTP in the $name dialect", (dialect) => {
  it.live("a page of sub-accounts contains only the account's own sub-accounts", () =>
    Effect.gen(function*() {
      const page = yield* SubAccounts.use((subAccounts) => subAccounts.page())
      assert.deepStrictEqual([page.limit, page.offset], [30, 0])
      assert.deepStrictEqual(ids(page.records), [emptySubAccount, fundedSubAccount])
      const { userId, ...first } = page.records[0] ?? assert.fail("no record")
      assert.isNotEmpty(userId)
      assert.deepStrictEqual(first as unknown, {
        id: "sub-empty",
        alias: "Archive",
        email: "s***@e***e.com",
        status: "active",
        color: "#1D9A6C",
        kyc: { shareKyc: true, kycStatus: "shared" },
        permissions: { spotEnabled: true, collateralEnabled: false }
      })
      const bobs = yield* asBob(SubAccounts.use((subAccounts) => subAccounts.page()))
      assert.deepStrictEqual(ids(bobs.records), [subAccountOfBob])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a search for sub-accounts matches part of the alias or the id, ignoring case", () =>
    Effect.gen(function*() {
      const search = (term: string) =>
        SubAccounts.use((subAccounts) => Effect.map(subAccounts.page({ search: term }), ({ records }) => ids(records)))
      assert.deepStrictEqual(yield* search("MAKING"), [fundedSubAccount])
      assert.deepStrictEqual(yield* search("sub-emp"), [emptySubAccount])
      assert.deepStrictEqual(yield* search("nothing"), [])
      assert.deepStrictEqual(yield* search(""), [emptySubAccount, fundedSubAccount])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a stream of sub-accounts emits every sub-account once", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(Array.from({ length: 33 }, (_, n) => SubAccountId.make(`sub-${n}`)), (id) =>
        openSubAccount("alice", id))
      const subAccounts = yield* SubAccounts
      const whole = (yield* subAccounts.page({ limit: Limit.make(100) })).records
      assert.strictEqual(whole.length, 35)
      assert.deepStrictEqual((yield* subAccounts.page()).records, whole.slice(0, 30))
      assert.deepStrictEqual(
        (yield* subAccounts.page({ limit: Limit.make(10), offset: Offset.make(30) })).records,
        whole.slice(30)
      )
      assert.deepStrictEqual(yield* Stream.runCollect(subAccounts.stream()), whole)
      assert.deepStrictEqual(yield* Stream.runCollect(subAccounts.stream({ limit: Limit.make(7) })), whole)
      const found = yield* Stream.runCollect(subAccounts.stream({ search: "sub-1", limit: Limit.make(3) }))
      assert.deepStrictEqual(
        found,
        whole.filter(({ id }) =>
          id.includes("sub-1")
        )
      )
      assert.strictEqual(found.length, 11)
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})
