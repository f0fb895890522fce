import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { SubAccountId } from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { SubAccountApiKeys } from "../../src/endpoints/SubAccountApiKeys.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { InProcess } from "../../src/sandbox/index.ts"
import {
  addKey,
  alice,
  asBob,
  clientOf,
  dialects,
  emptySubAccount,
  exchange,
  fundedSubAccount,
  overHttp,
  Place,
  subAccountOfBob
} from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { answering, json } from "../support/http.ts"
import { logsInto } from "../support/logs.ts"

const keys = (records: ReadonlyArray<{ readonly apiKey: string }>) => records.map(({ apiKey }) => apiKey)

describe.each(dialects)("listing sub-account API keys over HTTP in the $name dialect", (dialect) => {
  it.live("a page of API keys contains only keys of the account's own sub-accounts, without secrets", () =>
    Effect.gen(function*() {
      const page = yield* SubAccountApiKeys.use((service) => service.page())
      assert.deepStrictEqual([page.limit, page.offset], [30, 0])
      assert.deepStrictEqual(keys(page.records), ["sub-key-0002", "sub-key-0001"])
      const [second, first] = page.records
      assert.notProperty(first, "apiSecret")
      assert.deepStrictEqual([first?.restrictAccess, second?.restrictAccess], [true, false])
      assert.deepStrictEqual(first?.accessEndpoints, [
        { name: "/api/v4/order/stop_limit", title: "/api/v4/order/stop_limit" }
      ])
      assert.deepStrictEqual(second?.accessEndpoints, [])
      assert.isTrue(first?.isEnabled)
      assert.deepStrictEqual((yield* asBob(SubAccountApiKeys.use((service) => service.page()))).records, [])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("API keys are listed for one sub-account, and another account's sub-account fails with InvalidFields", () =>
    Effect.gen(function*() {
      const of = (subAccountId: SubAccountId) => SubAccountApiKeys.use((service) => service.page({ subAccountId }))
      assert.deepStrictEqual(keys((yield* of(fundedSubAccount)).records), ["sub-key-0001"])
      for (const id of [SubAccountId.make("none"), subAccountOfBob]) {
        const error = yield* failsWith("InvalidFields")(of(id))
        assert.deepStrictEqual(error.fields, { subAccountId: ["The selected subAccountId is invalid."] })
      }
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a stream of API keys emits every key once", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(Array.from({ length: 33 }, (_, n) => `more-${n}`), (apiKey) =>
        addKey({ account: emptySubAccount, apiKey, apiSecret: `secret of ${apiKey}` }))
      const service = yield* SubAccountApiKeys
      const whole = (yield* service.page({ limit: Limit.make(100) })).records
      assert.strictEqual(whole.length, 35)
      assert.deepStrictEqual((yield* service.page({ offset: Offset.make(30) })).records, whole.slice(30))
      assert.deepStrictEqual(yield* Stream.runCollect(service.stream({ limit: Limit.make(8) })), whole)
      const own = yield* Stream.runCollect(service.stream({ subAccountId: emptySubAccount }))
      assert.deepStrictEqual(own, whole.slice(0, -1))
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})

describe("secrets in lists of API keys", () => {
  const record = (id: string, apiSecret: string) => ({
    subAccountId: "sub",
    id,
    title: "title",
    isEnabled: true,
    apiKey: `key-${id}`,
    apiSecret,
    type: "1",
    lastActivity: 1,
    restrictAccess: false,
    accessEndpoints: []
  })

  it.effect("a secret that the exchange sends in a list of API keys is dropped, and the logged warning does not contain it", () => {
    const logged: Array<string> = []
    return Effect.gen(function*() {
      const page = yield* SubAccountApiKeys.use((service) => service.page())
      assert.deepStrictEqual(keys(page.records), ["key-one", "key-two"])
      assert.notInclude(JSON.stringify(page), "leaked")
      assert.notProperty(page.records[0], "apiSecret")
      assert.strictEqual(logged.length, 1)
      assert.match(logged[0] ?? "", /level=WARN.*two/u)
      assert.notInclude(logged.join(), "leaked")
    }).pipe(
      Effect.provide([
        logsInto(logged),
        clientOf(alice).pipe(
          Layer.provide(Layer.succeed(Place, { baseUrl: InProcess.baseUrl, dialect: Dialect.document })),
          Layer.provide(
            answering(() =>
              json(200, { limit: 30, offset: 0, data: [record("one", ""), record("two", "leaked-secret")] })
            )
          )
        )
      ])
    )
  })
})
