import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Passphrase } from "../../src/domain/Code.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { SubAccountId, ticker } from "../../src/domain/Identifiers.ts"
import { Alias, Email, KeyTitle } from "../../src/domain/SubAccount.ts"
import { CodeCreation } from "../../src/endpoints/CodeCreation.ts"
import { Codes } from "../../src/endpoints/Codes.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import { SubAccountApiKeyCreation } from "../../src/endpoints/SubAccountApiKeyCreation.ts"
import { SubAccountApiKeys } from "../../src/endpoints/SubAccountApiKeys.ts"
import { type Request, SubAccountCreation } from "../../src/endpoints/SubAccountCreation.ts"
import { SubAccounts } from "../../src/endpoints/SubAccounts.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as InProcess from "../../src/sandbox/gateway/InProcess.ts"
import { amount, asBob, dialects, eth, failsWith, raw, same, traders, usdt } from "../support/trading.ts"

const main = MainBalance.use((balance) => Effect.map(balance.of(usdt), Decimal.normalize))

const code = (of: string, more: object = {}) =>
  CodeCreation.use((codes) => codes.create({ ticker: usdt, amount: amount(of), ...more }))

const training: Request = {
  alias: Alias.make("training"),
  email: Email.make("email@google.com"),
  permissions: { spotEnabled: true, collateralEnabled: false }
}

const open = (request: Request) => SubAccountCreation.use((accounts) => accounts.create(request))

const key = (subAccountId: SubAccountId, type: 1 | 2 = 1) =>
  SubAccountApiKeyCreation.use((keys) => keys.create({ subAccountId, title: KeyTitle.make("a bot"), type }))

describe.each(dialects)("in the $name dialect", (dialect) => {
  const created = dialect === Dialect.document ? 200 : 201

  describe("codes", () => {
    it.live("take their worth from one account and give it to another, once", () =>
      Effect.gen(function*() {
        const first = yield* code("100")
        const second = yield* code("50", { passphrase: Passphrase.make("sesame") })
        assert.notStrictEqual(first.code, second.code)
        assert.match(first.code, /^WB[0-9a-f-]{36}USDT$/u)
        same([first.message, yield* main], ["Code was successfully created", "850"])
        yield* failsWith("InvalidFields")(Codes.use((codes) => codes.apply({ code: first.code })))
        const apply = (request: object) => Codes.use((codes) => codes.apply({ code: second.code, ...request }))
        yield* asBob(apply({ code: first.code }))
        yield* asBob(failsWith("InvalidFields")(apply({})))
        yield* asBob(apply({ passphrase: Passphrase.make("sesame") }))
        same(yield* asBob(main), "1150")
      }).pipe(Effect.provide(traders(dialect))))

    it.live("worth more than there is, or of no asset, are refused", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("RequestRejected")(code("1000.01"))
        same([error.status, error.code, error.fields], [created === 200 ? 400 : 422, 5, {
          amount: ["Not enough balance."]
        }])
        const unknown = yield* failsWith("InvalidFields")(code("1", { ticker: ticker("NOSUCH") }))
        same(unknown.fields, { ticker: ["The selected ticker is invalid."] })
        yield* failsWith("RequestRejected")(code("1", { ticker: eth }))
        same(yield* main, "1000")
      }).pipe(Effect.provide(traders(dialect))))

    it.live("the answer on the wire", () =>
      Effect.gen(function*() {
        const { body, status } = yield* raw("/api/v4/main-account/codes", { ticker: "USDT", amount: "1" })
        same([status, Object.keys(body as object).toSorted()], [created, ["code", "external_id", "message"]])
      }).pipe(Effect.provide(traders(dialect))))
  })

  describe("sub-accounts", () => {
    it.live("are opened as asked for, and listed so", () =>
      Effect.gen(function*() {
        const opened = yield* open(training)
        const { id: _, userId: __, ...rest } = opened
        same(rest, {
          alias: "training",
          email: "e***@g***m",
          status: "active",
          color: "#FF0000",
          kyc: { shareKyc: false, kycStatus: "none" },
          permissions: { spotEnabled: true, collateralEnabled: false }
        })
        const { email: ___, ...withoutEmail } = training
        const shared = yield* open({ ...withoutEmail, alias: Alias.make("other"), shareKyc: true })
        same([shared.email, shared.kyc.kycStatus], ["", "shared"])
        same((yield* SubAccounts.use((accounts) => accounts.page())).records, [opened, shared])
        same((yield* asBob(SubAccounts.use((accounts) => accounts.page()))).records, [])
        yield* asBob(open(training))
      }).pipe(Effect.provide(traders(dialect))))

    it.live("need an e-mail address unless the verification is shared, and a name of their own", () =>
      Effect.gen(function*() {
        const refused = failsWith("InvalidFields")
        const { email: _, ...withoutEmail } = training
        const missing = yield* refused(open(withoutEmail))
        same([missing.origin, missing.fields], ["local", { email: ["The email field is required."] }])
        same(yield* raw("/api/v4/sub-account/create", withoutEmail), {
          status: 400,
          body: { code: 0, message: "Validation failed", errors: { email: ["The email field is required."] } }
        })
        yield* open(training)
        const taken = yield* refused(open(training))
        same([taken.origin, taken.fields], ["exchange", { alias: ["The alias has already been taken."] }])
      }).pipe(Effect.provide(traders(dialect))))
  })

  describe("keys of sub-accounts", () => {
    it.live("a new key works, and its secret is shown once", () =>
      Effect.gen(function*() {
        const { id } = yield* open(training)
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

    it.live("on the wire the type is a number", () =>
      Effect.gen(function*() {
        const { id } = yield* open(training)
        const request = { subAccountId: id, title: "a bot", type: 2 }
        const { body, status } = yield* raw("/api/v4/sub-account/api-key/create", request)
        const { apiSecret, type } = body as { readonly apiSecret: string; readonly type: unknown }
        same([status, type, apiSecret.length > 8], [created, 2, true])
        const wrong = yield* raw("/api/v4/sub-account/api-key/create", { ...request, type: 3 })
        same([wrong.status, (wrong.body as { readonly errors: unknown }).errors], [400, {
          type: ["The selected type is invalid."]
        }])
      }).pipe(Effect.provide(traders(dialect))))

    it.live("of a sub-account that is not there, or another's, are refused", () =>
      Effect.gen(function*() {
        const { id } = yield* open(training)
        const refused = failsWith("InvalidFields")
        const errors = [yield* refused(key(SubAccountId.make("no such"))), yield* asBob(refused(key(id)))]
        for (const { fields } of errors) same(fields, { subAccountId: ["The selected subAccountId is invalid."] })
      }).pipe(Effect.provide(traders(dialect))))
  })
})
