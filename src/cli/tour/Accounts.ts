/** The tour's chapters on interest and sub-accounts. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { PlanId } from "../../domain/Identifiers.ts"
import { Limit } from "../../domain/Paging.ts"
import { Alias, KeyTitle } from "../../domain/SubAccount.ts"
import { DeleteSubAccount } from "../../endpoints/DeleteSubAccount.ts"
import { InterestPaymentHistory } from "../../endpoints/InterestPaymentHistory.ts"
import { SubAccountApiKeyCreation } from "../../endpoints/SubAccountApiKeyCreation.ts"
import { SubAccountApiKeys } from "../../endpoints/SubAccountApiKeys.ts"
import { SubAccountCreation } from "../../endpoints/SubAccountCreation.ts"
import { SubAccounts } from "../../endpoints/SubAccounts.ts"
import * as Example from "../../sandbox/Example.ts"
import { fails, succeeds } from "./Row.ts"

/** The tour's calls for interest payments. */
export const interest = Effect.gen(function*() {
  const interest = yield* InterestPaymentHistory
  const twoPerPage = Limit.make(2)

  return [
    succeeds(
      "InterestPaymentHistory.page",
      "limit 2",
      interest.page({ limit: twoPerPage }),
      ({ records }) =>
        records.length === 2 ? records.map(({ amount, ticker }) => `${amount} ${ticker}`).join(", ") : undefined
    ),
    succeeds(
      "InterestPaymentHistory.stream",
      "all pages",
      interest.stream({ planId: Example.plan }).pipe(Stream.runCount),
      (count) => count === Example.payments ? `${count} payments` : undefined
    ),
    fails(
      "InterestPaymentHistory.page",
      "an unknown plan",
      interest.page({ planId: PlanId.make("no such plan") }),
      "InvalidFields"
    )
  ] as const
})

/** The tour's calls for sub-accounts and sub-account keys. */
export const subAccounts = Effect.gen(function*() {
  const subAccounts = yield* SubAccounts
  const keys = yield* SubAccountApiKeys
  const deletion = yield* DeleteSubAccount
  const creation = yield* SubAccountCreation
  const keyCreation = yield* SubAccountApiKeyCreation

  return [
    succeeds(
      "SubAccounts.page",
      "",
      subAccounts.page(),
      ({ records }) => records.length === 3 ? records.map(({ alias }) => alias).join(", ") : undefined
    ),
    succeeds(
      "SubAccountApiKeys.page",
      "the keys of one sub-account",
      keys.page({ subAccountId: Example.fundedSubAccount }),
      ({ records }) =>
        records.length === 1
          ? records.map(({ accessEndpoints, title }) => `${title}, for ${accessEndpoints.length} endpoint`).join()
          : undefined
    ),
    succeeds(
      "SubAccountApiKeys.stream",
      "all pages",
      keys.stream().pipe(Stream.runCount),
      (count) => count === 2 ? `${count} keys` : undefined
    ),
    fails(
      "DeleteSubAccount.delete",
      "a sub-account with funds",
      deletion.delete({ id: Example.fundedSubAccount }),
      "InvalidFields"
    ),
    succeeds(
      "DeleteSubAccount.delete",
      "a sub-account without funds",
      Effect.andThen(deletion.delete({ id: Example.emptySubAccount }), subAccounts.stream().pipe(Stream.runCount)),
      (left) => left === 2 ? "two sub-accounts are left" : undefined
    ),
    succeeds(
      "SubAccountCreation.create",
      "a sub-account with a key",
      creation.create({
        alias: Alias.make("demo"),
        shareKyc: true,
        permissions: { spotEnabled: true, collateralEnabled: false }
      }).pipe(
        Effect.flatMap(({ id }) => keyCreation.create({ subAccountId: id, title: KeyTitle.make("demo"), type: 1 }))
      ),
      ({ apiSecret, title }) => `${title}, secret shown once: ${String(Redacted.isRedacted(apiSecret))}`
    )
  ] as const
})
