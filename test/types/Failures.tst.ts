import * as Effect from "effect/Effect"
import * as Match from "effect/Match"
import type * as Stream from "effect/Stream"
import { describe, expect, it } from "tstyche"
import type * as CancelAllOrders from "../../src/endpoints/CancelAllOrders.ts"
import * as Codes from "../../src/endpoints/Codes.ts"
import * as CollateralOcoOrders from "../../src/endpoints/CollateralOcoOrders.ts"
import type * as DeleteSubAccount from "../../src/endpoints/DeleteSubAccount.ts"
import * as Fees from "../../src/endpoints/Fees.ts"
import type * as InterestPaymentHistory from "../../src/endpoints/InterestPaymentHistory.ts"
import type * as MainBalance from "../../src/endpoints/MainBalance.ts"
import * as Markets from "../../src/endpoints/Markets.ts"
import type * as ServerStatus from "../../src/endpoints/ServerStatus.ts"
import * as StopLimitOrders from "../../src/endpoints/StopLimitOrders.ts"
import type * as SubAccountApiKeys from "../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../src/endpoints/SubAccounts.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import type * as Errors from "../../src/protocol/Errors.ts"

declare const stopLimit: StopLimitOrders.StopLimitOrders["Service"]
declare const request: StopLimitOrders.Request
declare const use: (value: unknown) => void
declare const history: InterestPaymentHistory.InterestPaymentHistory["Service"]

type Any = "ExchangeUnreachable" | "RateLimited"
type Private = Any | "RequestRejected" | "NotAuthorized" | "NonceRejected"
type Mutating = Private | "OutcomeUnknown" | "AcceptedUnreadable"
type Reading = Private | "UnexpectedResponse"
type Public = Any | "PublicRequestRejected" | "UnexpectedResponse"

type Named<Failure, Tag> = Extract<Failure, { readonly _tag: Tag }>

describe("the errors of a call", () => {
  it("orders fail with exactly these errors", () => {
    expect<CollateralOcoOrders.Failure["_tag"]>().type.toBe<Mutating | "ValidationFailed" | "ReduceOnlyRejected">()
    expect<StopLimitOrders.Failure["_tag"]>().type.toBe<Mutating | "ValidationFailed">()
    expect<CancelAllOrders.Failure["_tag"]>().type.toBe<Mutating | "ValidationFailed">()
  })

  it("calls that change state, except order calls, fail with exactly these errors", () => {
    expect<Codes.Failure["_tag"]>().type.toBe<Mutating | "InvalidFields">()
    expect<DeleteSubAccount.Failure["_tag"]>().type.toBe<Mutating | "InvalidFields">()
  })

  it("reads fail with exactly these errors", () => {
    expect<InterestPaymentHistory.Failure["_tag"]>().type.toBe<Reading | "InvalidFields">()
    expect<SubAccounts.Failure["_tag"]>().type.toBe<Reading | "InvalidFields">()
    expect<SubAccountApiKeys.Failure["_tag"]>().type.toBe<Reading | "InvalidFields">()
    expect<Fees.Failure["_tag"]>().type.toBe<Reading>()
    expect<MainBalance.Failure["_tag"]>().type.toBe<Reading | "InvalidFields">()
  })

  it("public reads fail with exactly these errors", () => {
    expect<ServerStatus.Failure["_tag"]>().type.toBe<Public>()
    expect<Markets.Failure["_tag"]>().type.toBe<Public>()
  })

  it("streams of pages can also fail with PageCeilingReached and ListShifted", () => {
    expect<Stream.Error<ReturnType<typeof history.stream>>>().type.toBe<
      InterestPaymentHistory.Failure | Errors.PageCeilingReached | Errors.ListShifted
    >()
  })

  it("services fail with the errors of their endpoints", () => {
    expect<Effect.Error<ReturnType<typeof stopLimit.create>>>().type.toBe<StopLimitOrders.Failure>()
    expect<Effect.Error<ReturnType<typeof history.page>>>().type.toBe<InterestPaymentHistory.Failure>()
  })

  it("each endpoint's errors are included in the errors of all calls", () => {
    expect<StopLimitOrders.Failure>().type.toBeAssignableTo<Errors.CallError>()
    expect<CollateralOcoOrders.Failure>().type.toBeAssignableTo<Errors.CallError>()
    expect<SubAccounts.Failure | Markets.Failure>().type.toBeAssignableTo<Errors.CallError>()
  })

  it("a call that can't place reduce-only orders does not fail with ReduceOnlyRejected", () => {
    expect<StopLimitOrders.Failure>().type.not.toBeAssignableFrom<Errors.ReduceOnlyRejected>()
    expect<CancelAllOrders.Failure>().type.not.toBeAssignableFrom<Errors.ReduceOnlyRejected>()
    expect<Codes.Failure>().type.not.toBeAssignableFrom<Errors.ReduceOnlyRejected>()
  })
})

describe("an endpoint's error tags at run time match its error type", () => {
  it("the list of error tags matches the type for orders, other calls, reads and public reads", () => {
    expect(Endpoint.failureTags(CollateralOcoOrders.endpoint)).type.toBe<
      ReadonlySet<CollateralOcoOrders.Failure["_tag"]>
    >()
    expect(Endpoint.failureTags(StopLimitOrders.endpoint)).type.toBe<ReadonlySet<StopLimitOrders.Failure["_tag"]>>()
    expect(Endpoint.failureTags(Codes.endpoint)).type.toBe<ReadonlySet<Codes.Failure["_tag"]>>()
    expect(Endpoint.failureTags(SubAccounts.endpoint)).type.toBe<ReadonlySet<SubAccounts.Failure["_tag"]>>()
    expect(Endpoint.failureTags(Fees.endpoint)).type.toBe<ReadonlySet<Fees.Failure["_tag"]>>()
    expect(Endpoint.failureTags(Markets.endpoint)).type.toBe<ReadonlySet<Markets.Failure["_tag"]>>()
  })

  it("the type of any endpoint's error tags includes every error's tag", () => {
    expect<Endpoint.FailureTag<Endpoint.Any>>().type.toBe<Errors.CallError["_tag"]>()
    expect<Endpoint.Failure<Endpoint.Any>["_tag"]>().type.toBe<Errors.CallError["_tag"]>()
  })
})

describe("errors name the request's fields", () => {
  it("errors of a stop-limit order name its fields", () => {
    type Fields = "market" | "side" | "amount" | "price" | "activationPrice" | "clientOrderId" | "bboRole" | "stp"
    expect<keyof Named<StopLimitOrders.Failure, "ValidationFailed">["fields"]>().type.toBe<Fields>()
    expect<keyof Named<StopLimitOrders.Failure, "RequestRejected">["fields"]>().type.toBe<Fields>()
    expect<keyof StopLimitOrders.Request>().type.toBe<Fields>()
  })

  it("errors of OCO orders, codes and pages name their fields", () => {
    expect<keyof Named<CollateralOcoOrders.Failure, "ReduceOnlyRejected">["fields"]>().type.toBe<
      keyof CollateralOcoOrders.Request
    >()
    expect<keyof Named<Codes.Failure, "InvalidFields">["fields"]>().type.toBe<"code" | "passphrase">()
    expect<keyof Named<SubAccounts.Failure, "InvalidFields">["fields"]>().type.toBe<"search" | "limit" | "offset">()
  })

  it("each field of an error is an optional list of strings", () => {
    expect<Named<StopLimitOrders.Failure, "ValidationFailed">["fields"]["amount"]>().type.toBe<
      ReadonlyArray<string> | undefined
    >()
    expect<Named<StopLimitOrders.Failure, "ValidationFailed">["fields"]>().type.not.toHaveProperty("activation_price")
  })
})

describe("the outcome stated by an error", () => {
  it("every error states the call's outcome as a literal", () => {
    expect<Errors.OutcomeUnknown["outcome"]>().type.toBe<"unknown">()
    expect<Errors.AcceptedUnreadable["outcome"]>().type.toBe<"applied">()
    expect<Errors.ValidationFailed["outcome"]>().type.toBe<"not-applied">()
    expect<StopLimitOrders.Failure["outcome"]>().type.toBe<Errors.Outcome>()
    expect<SubAccounts.Failure["outcome"]>().type.toBe<"not-applied">()
    expect<StopLimitOrders.Failure["isRetryable"]>().type.toBe<boolean>()
    expect<Errors.OutcomeUnknown["isRetryable"]>().type.toBe<false>()
  })
})

const log = (error: { readonly message: string }) => Effect.succeed(error.message)

/** Handlers for all errors of a stop-limit order except `OutcomeUnknown`. */
const allButOne = {
  ValidationFailed: log,
  RequestRejected: log,
  NotAuthorized: log,
  NonceRejected: log,
  RateLimited: log,
  AcceptedUnreadable: log,
  ExchangeUnreachable: log
}

describe("errors are matched exhaustively", () => {
  it("Effect.catchTags leaves no error if it handles all of them", () => {
    const handled = stopLimit.create(request).pipe(Effect.catchTags({ ...allButOne, OutcomeUnknown: log }))
    expect(handled).type.toBeAssignableTo<Effect.Effect<unknown>>()
  })

  it("Effect.catchTags leaves exactly the errors that have no handler", () => {
    const handled = stopLimit.create(request).pipe(Effect.catchTags(allButOne))
    expect(handled).type.not.toBeAssignableTo<Effect.Effect<unknown>>()
    expect<Effect.Error<typeof handled>>().type.toBe<Errors.OutcomeUnknown>()
  })

  it("Effect.catchTags does not compile with a handler for an impossible error", () => {
    const failing = stopLimit.create(request)
    // @ts-expect-error is not assignable to type 'never'
    use(failing.pipe(Effect.catchTags({ ...allButOne, ReduceOnlyRejected: log })))
  })

  it("Match does not compile unless it handles all errors", () => {
    const but = (failure: StopLimitOrders.Failure) =>
      Match.value(failure).pipe(
        Match.tag("ValidationFailed", ({ fields }) => Object.keys(fields).length),
        Match.tag("RequestRejected", "NotAuthorized", "NonceRejected", "RateLimited", () => 0),
        Match.tag("AcceptedUnreadable", "ExchangeUnreachable", () => 1)
      )
    expect(
      (failure: StopLimitOrders.Failure): number =>
        but(failure).pipe(Match.tag("OutcomeUnknown", () => 2), Match.exhaustive)
    ).type.toBe<(failure: StopLimitOrders.Failure) => number>()
    // @ts-expect-error OutcomeUnknown
    use((failure: StopLimitOrders.Failure): number => but(failure).pipe(Match.exhaustive))
  })

  it("Match.valueTags does not compile unless it handles all errors", () => {
    const one = () => 1
    const handlers = {
      ValidationFailed: one,
      RequestRejected: one,
      NotAuthorized: one,
      NonceRejected: one,
      RateLimited: one,
      AcceptedUnreadable: one,
      ExchangeUnreachable: one
    }
    use((failure: StopLimitOrders.Failure): number => Match.valueTags(failure, { ...handlers, OutcomeUnknown: one }))
    // @ts-expect-error OutcomeUnknown
    use((failure: StopLimitOrders.Failure): number => Match.valueTags(failure, handlers))
  })

  it("a switch over all error tags is exhaustive", () => {
    const outcome = (failure: StopLimitOrders.Failure): Errors.Outcome => {
      switch (failure._tag) {
        case "OutcomeUnknown":
        case "AcceptedUnreadable":
          return failure.outcome
        case "ValidationFailed":
        case "RequestRejected":
        case "NotAuthorized":
        case "NonceRejected":
        case "RateLimited":
        case "ExchangeUnreachable":
          return "not-applied"
      }
    }
    expect(outcome).type.toBe<(failure: StopLimitOrders.Failure) => Errors.Outcome>()
  })
})
