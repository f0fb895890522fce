import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Alias, Email } from "../../src/domain/SubAccount.ts"
import { type Request, SubAccountCreation } from "../../src/endpoints/SubAccountCreation.ts"
import { SubAccounts } from "../../src/endpoints/SubAccounts.ts"
import { asBob, dialects, failsWith, raw, same, traders } from "../support/trading.ts"

const training: Request = {
  alias: Alias.make("training"),
  email: Email.make("email@google.com"),
  permissions: { spotEnabled: true, collateralEnabled: false }
}

const create = (request: Request) => SubAccountCreation.use((accounts) => accounts.create(request))

describe.each(dialects)("creating sub-accounts in the $name dialect", (dialect) => {
  it.live("a sub-account is created and listed as requested", () =>
    Effect.gen(function*() {
      const created = yield* create(training)
      const { id: _, userId: __, ...rest } = created
      same(rest, {
        alias: "training",
        email: "e***@g***m",
        status: "active",
        color: "#FF0000",
        kyc: { shareKyc: false, kycStatus: "none" },
        permissions: { spotEnabled: true, collateralEnabled: false }
      })
      const { email: ___, ...withoutEmail } = training
      const shared = yield* create({ ...withoutEmail, alias: Alias.make("other"), shareKyc: true })
      same([shared.email, shared.kyc.kycStatus], [undefined, "shared"])
      same((yield* SubAccounts.use((accounts) => accounts.page())).records, [created, shared])
      same((yield* asBob(SubAccounts.use((accounts) => accounts.page()))).records, [])
      yield* asBob(create(training))
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a sub-account needs a unique name, and an e-mail address unless it shares the account's verification", () =>
    Effect.gen(function*() {
      const refused = failsWith("InvalidFields")
      const { email: _, ...withoutEmail } = training
      const missing = yield* refused(create(withoutEmail))
      same([missing.origin, missing.fields], ["local", { email: ["The email field is required."] }])
      same(yield* raw("/api/v4/sub-account/create", withoutEmail), {
        status: 400,
        body: { code: 0, message: "Validation failed", errors: { email: ["The email field is required."] } }
      })
      yield* create(training)
      const taken = yield* refused(create(training))
      same([taken.origin, taken.fields], ["exchange", { alias: ["The alias has already been taken."] }])
    }).pipe(Effect.provide(traders(dialect))))
})
