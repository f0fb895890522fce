/**
 * What the check of a rule may do with its target: calls, signed rightly or wrongly; accounts of its own where a
 * sandbox gives them; a market to trade on.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { Dialect } from "../../protocol/Dialect.ts"
import type { Profile } from "../Profile.ts"
import type * as Target from "../Target.ts"
import type * as Verdict from "../Verdict.ts"
import type * as Signing from "./Signing.ts"

/**
 * The fields of a JSON object, as they are on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export type Body = Readonly<Record<string, unknown>>

/**
 * An account with a key that may sign its calls.
 *
 * @category models
 * @since 0.1.0
 */
export interface Account extends Target.Keys {
  /** The account's id in the control plane; empty for the account whose keys the target came with. */
  readonly id: string
  /** Whether only this check uses the key. Nonces of such a key need no clock. */
  readonly isExclusive: boolean
}

/**
 * How an account is opened.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opening {
  /** Whether the account may call what is for business partners; true by default. */
  readonly b2b?: boolean
  /** The paths that its key is restricted to; no restriction by default. */
  readonly endpoints?: ReadonlyArray<string>
  /** Whether the account begins with funds to trade; true by default. */
  readonly isFunded?: boolean
}

/**
 * A market and its price. The numbers choose orders; no rule compares them with an answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Market {
  /** Its name, `BASE_QUOTE`. */
  readonly name: string
  /** The base currency. */
  readonly stock: string
  /** The quote currency. */
  readonly money: string
  /** The most fractional digits of an amount. */
  readonly stockPrecision: number
  /** The most fractional digits of a price. */
  readonly moneyPrecision: number
  /** The least amount of an order. */
  readonly minAmount: number
  /** The least amount times price of an order. */
  readonly minTotal: number
  /** The greatest amount times price of an order; 0 for no bound. */
  readonly maxTotal: number
  /** The last price, in the quote currency; 0 when it is not known. */
  readonly price: number
}

/**
 * What the check of a rule may do. What needs keys, the control plane or another profile, and has none, skips the rule.
 *
 * @category models
 * @since 0.1.0
 */
export interface World {
  /** The dialect that the target is expected to speak. */
  readonly dialect: Dialect
  /** What the check may do to the target. */
  readonly profile: Profile
  /** Sends a request as it is, once. */
  readonly send: (request: Target.Request) => Effect.Effect<Target.Answer, Target.TargetError>
  /**
   * Makes a signed call with a new nonce; `tampering` says what is done wrongly. Waits and retries where there are too many
   * calls. Skips where the target declares that it does not have the path.
   */
  readonly call: (
    account: Account,
    path: string,
    fields?: Body,
    tampering?: Signing.Tampering
  ) => Effect.Effect<Target.Answer, Verdict.CheckError>
  /** Makes a signed call as `call` does, but does not wait where there are too many calls: HTTP 429 is an answer. */
  readonly attempt: (
    account: Account,
    path: string,
    fields?: Body
  ) => Effect.Effect<Target.Answer, Verdict.CheckError>
  /** The next nonce of an account, as fields of the envelope. */
  readonly nonce: (account: Account) => Effect.Effect<Body>
  /** The clock that dates the target's orders and payments, in Unix milliseconds. */
  readonly now: Effect.Effect<number>
  /** The clock that judges nonces, in Unix milliseconds. */
  readonly serverTime: Effect.Effect<number>
  /** Moves a sandbox's clock on, by milliseconds. */
  readonly advance: (millis: number) => Effect.Effect<void, Verdict.CheckError>
  /** Runs something while a sandbox's clock stands still: how long the calls take makes no difference. */
  readonly whileFrozen: <A>(effect: Effect.Effect<A, Verdict.CheckError>) => Effect.Effect<A, Verdict.CheckError>
  /** Makes a public call. Waits and retries where there are too many calls. */
  readonly get: (
    path: string,
    query?: string,
    headers?: Readonly<Record<string, string>>
  ) => Effect.Effect<Target.Answer, Verdict.CheckError>
  /** An account to read with. */
  readonly reader: Effect.Effect<Account, Verdict.CheckError>
  /** An account with interest payments, where a sandbox gives them. */
  readonly lender: Effect.Effect<Account, Verdict.CheckError>
  /** An account with sub-accounts that have keys, where a sandbox gives them. */
  readonly parent: Effect.Effect<Account, Verdict.CheckError>
  /** An account with funds to place orders with. */
  readonly trader: Effect.Effect<Account, Verdict.CheckError>
  /** Opens a new account. */
  readonly open: (opening?: Opening) => Effect.Effect<Account, Verdict.CheckError>
  /** Does an action of the control plane. */
  readonly control: (action: string, fields: object) => Effect.Effect<void, Verdict.CheckError>
  /** All markets that trade with collateral and on the spot. */
  readonly markets: Effect.Effect<ReadonlyArray<Market>, Verdict.CheckError>
  /** The market to trade on. */
  readonly market: Effect.Effect<Market, Verdict.CheckError>
  /** Reports something that was left behind on the target. */
  readonly warn: (text: string) => Effect.Effect<void>
  /** Adds what must be done after the run, however it ends. The last added is done first. */
  readonly onEnd: (effect: Effect.Effect<unknown, Verdict.CheckError>) => Effect.Effect<void>
  /** A text that no other run has used. */
  readonly unique: (prefix: string) => string
}
