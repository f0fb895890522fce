/** The engine's replies to commands. */
import type { Constraint } from "../../domain/Constraint.ts"
import type { KillSwitch } from "./KillSwitch.ts"
import type { OcoOrder, Order, StopOrder } from "./Order.ts"
import type { AppliedCode, CreatedCode, Key, SubAccount } from "./State.ts"

/** The invalid fields, by their names in the domain, each with the constraint that the field violates. */
export type Violations = ReadonlyArray<readonly [field: string, constraint: Constraint]>

/** The command was applied, and there are no further details. */
export interface Done {
  readonly _tag: "Done"
}

/** A limit or market order was placed. */
export interface OrderPlaced {
  readonly _tag: "OrderPlaced"
  /** The order after matching. */
  readonly order: Order
}

/** A stop-limit or stop-market order was placed. */
export interface StopPlaced {
  readonly _tag: "StopPlaced"
  /** The order, which may already have been triggered. */
  readonly order: StopOrder
}

/** An order was modified: a new order replaced the old one. */
export interface OrderModified {
  readonly _tag: "OrderModified"
  /** The new order after matching. */
  readonly order: Order
}

/** Bulk orders were placed or canceled. Some of them may have been refused, or not attempted. */
export interface BulkDone {
  readonly _tag: "BulkDone"
  /** The reply to each order, in the same sequence as in the request. Orders that were not attempted have no reply. */
  readonly replies: ReadonlyArray<Reply>
}

/** An order was canceled. */
export interface OrderCanceled {
  readonly _tag: "OrderCanceled"
  /** The order after cancellation. */
  readonly order: Order
}

/** An OCO order was placed. */
export interface OcoPlaced {
  readonly _tag: "OcoPlaced"
  /** The OCO order, with both its legs. */
  readonly oco: OcoOrder
}

/** Both legs of an OCO order were canceled. */
export interface OcoCanceled {
  readonly _tag: "OcoCanceled"
  /** The OCO order, with both its legs. */
  readonly oco: OcoOrder
}

/** A kill switch was armed or disarmed. */
export interface KillSwitchSet {
  readonly _tag: "KillSwitchSet"
  /** The armed kill switch, if any. */
  readonly killSwitch: KillSwitch | undefined
}

/** A code was created. */
export interface CodeCreated {
  readonly _tag: "CodeCreated"
  /** The created code, and the identifier of the transaction that paid for it. */
  readonly created: CreatedCode
}

/** A code was applied. */
export interface CodeApplied {
  readonly _tag: "CodeApplied"
  /** The asset and amount credited, and the transaction's identifier. */
  readonly applied: AppliedCode
}

/** A sub-account was created. */
export interface SubAccountCreated {
  readonly _tag: "SubAccountCreated"
  /** The new sub-account. */
  readonly subAccount: SubAccount
}

/** An API key was created. */
export interface KeyCreated {
  readonly _tag: "KeyCreated"
  /** The key, including its secret. */
  readonly key: Key
}

/** The account's leverage was set. */
export interface LeverageSet {
  readonly _tag: "LeverageSet"
  /** The new leverage. */
  readonly leverage: number
}

/** The account's hedge mode was set. */
export interface HedgeModeSet {
  readonly _tag: "HedgeModeSet"
  /** Whether the account is in hedge mode. */
  readonly hedgeMode: boolean
}

/** The reply to a command that was applied. */
export type Applied =
  | Done
  | OrderPlaced
  | StopPlaced
  | OrderModified
  | BulkDone
  | OrderCanceled
  | OcoPlaced
  | OcoCanceled
  | KillSwitchSet
  | CodeCreated
  | CodeApplied
  | SubAccountCreated
  | KeyCreated
  | LeverageSet
  | HedgeModeSet

/**
 * Fields violate constraints that only the exchange can check. The command has changed nothing, except that a call
 * still updates its key's nonces and last activity.
 */
export interface Invalid {
  readonly _tag: "Invalid"
  /** The invalid fields. */
  readonly violations: Violations
}

/**
 * The engine refuses the command for a reason other than an invalid field. The command has changed nothing, except that
 * a call still updates its key's nonces and last activity. With `nonceUsed`, not even these are updated.
 */
export interface Refused {
  readonly _tag: "Refused"
  /**
   * The reason:
   *
   * - `nonceUsed`: the key has already used this nonce or, if its nonces must increase, a greater one
   * - `notEnoughBalance`: a wallet lacks the funds that the call needs
   * - `reduceOnly`: there is no position that the order could reduce
   * - `notFound`: the API key is unknown
   * - `notPermitted`: the sub-account lacks the permission for spot orders, or for orders on margin
   * - `transferNotPermitted`: the sub-account lacks the permission for the wallet to which it transfers
   * - `depositDisabled`, `withdrawDisabled`: the asset can't be moved out of the main wallet, or into it
   * - `tooManyKeys`: the sub-account already has the maximum number of API keys
   * - `orderNotFound`: there is no such open order
   * - `notMaker`: the order must not take liquidity, but would
   * - `wrongStopLoss`: the activation price of an OCO order's stop-loss is on the wrong side of the last price
   * - `noQuote`: the order takes its limit price from one side of the book, but that side is empty
   * - `positionNotFound`: the account has no such open position
   * - `leverageNotCovered`: the collateral does not cover the positions and orders at the new leverage
   * - `positionTooBig`: the position would be larger than the market's brackets allow
   * - `pendingTooBig`: the position and its open orders together would be larger than the market's brackets allow
   * - `hasPositions`: the leverage or the hedge mode can't change while there are positions or orders
   * - `wrongSide`: the position side does not match the account's mode
   * - `oppositePosition`: the order would flip the position
   */
  readonly why:
    | "nonceUsed"
    | "notEnoughBalance"
    | "reduceOnly"
    | "notFound"
    | "notPermitted"
    | "transferNotPermitted"
    | "depositDisabled"
    | "withdrawDisabled"
    | "tooManyKeys"
    | "orderNotFound"
    | "notMaker"
    | "wrongStopLoss"
    | "noQuote"
    | "positionNotFound"
    | "leverageNotCovered"
    | "positionTooBig"
    | "pendingTooBig"
    | "hasPositions"
    | "wrongSide"
    | "oppositePosition"
  /** The fields that caused the refusal, if any. */
  readonly violations: Violations
}

/** The reply to a command. */
export type Reply = Applied | Invalid | Refused

/** A reply to a command that was not applied. */
export type Failed = Invalid | Refused

/** Whether a command was not applied. */
export const isFailed = (reply: Reply): reply is Failed => reply._tag === "Invalid" || reply._tag === "Refused"

/** The reply that only confirms that the command was applied. */
export const done: Reply = { _tag: "Done" }

/** Makes the reply to a command with invalid fields. */
export const invalid = (...violations: Violations): Reply => ({ _tag: "Invalid", violations })

/** Makes a reply that refuses a command. */
export const refused = (why: Refused["why"], ...violations: Violations): Reply => ({
  _tag: "Refused",
  why,
  violations
})
