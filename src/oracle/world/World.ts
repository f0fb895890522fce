/**
 * The tools of a rule's check: calls that are signed correctly or with a deliberate fault, a market to trade on and, on
 * a sandbox, accounts.
 */
import type * as Effect from "effect/Effect"
import type { Dialect } from "../../protocol/Dialect.ts"
import type { Profile } from "../Profile.ts"
import type * as Target from "../Target.ts"
import type * as Verdict from "../Verdict.ts"
import type * as Placements from "./Placements.ts"
import type * as Signing from "./Signing.ts"
import type * as Sockets from "./Sockets.ts"

/**
 * The fields of a JSON object, as sent and received.
 *
 * @category models
 */
export type Body = Readonly<Record<string, unknown>>

/**
 * An account with a key that signs its calls.
 *
 * @category models
 */
export interface Account extends Target.Keys {
  /** The account's id in the control plane; empty for the account of the target's own keys. */
  readonly id: string
  /** Whether only this check uses the key. Nonces for such a key need not be near the clock. */
  readonly isExclusive: boolean
}

/**
 * Options of a new account.
 *
 * @category models
 */
export interface Opening {
  /** Whether the account may make B2B-only calls; true by default. */
  readonly b2b?: boolean
  /** The only paths that the account's key may call; no restriction by default. */
  readonly endpoints?: ReadonlyArray<string>
  /** Whether the account has funds to trade; true by default. */
  readonly isFunded?: boolean
}

/**
 * A market and its price. Rules use these numbers to choose orders, and never compare them with a response.
 *
 * @category models
 */
export interface Market {
  /** The name of the market, `BASE_QUOTE`. */
  readonly name: string
  /** The base currency. */
  readonly stock: string
  /** The quote currency. */
  readonly money: string
  /** The maximum number of decimal places in an amount. */
  readonly stockPrecision: number
  /** The maximum number of decimal places in a price. */
  readonly moneyPrecision: number
  /** The step of amounts, in the base currency. */
  readonly step: number
  /** The step of prices, in the quote currency. */
  readonly tick: number
  /** The smallest amount of an order, in the base currency. */
  readonly minAmount: number
  /** The minimum total (amount times price) of an order, in the quote currency. */
  readonly minTotal: number
  /** The maximum total (amount times price) of an order, in the quote currency; 0 for no limit. */
  readonly maxTotal: number
  /** The last price, in the quote currency; 0 if unknown. */
  readonly price: number
}

/**
 * The tools of a rule's check. A tool that needs keys, the control plane or a stronger profile skips the rule if what
 * the tool needs is missing.
 *
 * @category models
 */
export interface World {
  /** The dialect that the target is expected to speak. */
  readonly dialect: Dialect
  /** The profile of the check. */
  readonly profile: Profile
  /** Whether the target declares that it serves a path. */
  readonly declares: (path: string) => boolean
  /**
   * Sends a request once, unchanged. If there is no response, the rule evaluates its value again from the beginning.
   */
  readonly send: (request: Target.Request) => Effect.Effect<Target.Answer, Target.TargetError>
  /**
   * Makes a signed call with a new nonce; `tampering` adds a deliberate fault. Waits and retries while the target
   * throttles. If a call that changes nothing gets no response, it is made again with a new nonce; after any other call
   * without a response, the rule evaluates its value again from the beginning. Skips the rule if the target declares
   * that it does not serve the path.
   */
  readonly call: (
    account: Account,
    path: string,
    fields?: Body,
    tampering?: Signing.Tampering
  ) => Effect.Effect<Target.Answer, Verdict.CheckError>
  /** Makes a signed call like `call`, but without retries: HTTP 429 is returned like any other response. */
  readonly attempt: (
    account: Account,
    path: string,
    fields?: Body,
    tampering?: Signing.Tampering
  ) => Effect.Effect<Target.Answer, Verdict.CheckError>
  /** Whether the account may make a call. To find out, makes the call once per check, without fields. */
  readonly hasAccess: (account: Account, path: string) => Effect.Effect<boolean, Verdict.CheckError>
  /** The next nonce of an account, as envelope fields. */
  readonly nonce: (account: Account) => Effect.Effect<Body>
  /** The time of the clock that determines the times of the target's orders and payments, in Unix milliseconds. */
  readonly now: Effect.Effect<number>
  /** The time of the clock that the target compares nonces with, in Unix milliseconds. */
  readonly serverTime: Effect.Effect<number>
  /** Advances a sandbox's clock by `millis` milliseconds. */
  readonly advance: (millis: number) => Effect.Effect<void, Verdict.CheckError>
  /** Runs an effect while a sandbox's clock is frozen, so the duration of its calls makes no difference. */
  readonly whileFrozen: <A>(effect: Effect.Effect<A, Verdict.CheckError>) => Effect.Effect<A, Verdict.CheckError>
  /** Makes a public call. Retries while the target throttles or does not respond. */
  readonly get: (
    path: string,
    query?: string,
    headers?: Readonly<Record<string, string>>
  ) => Effect.Effect<Target.Answer, Verdict.CheckError>
  /**
   * Opens a WebSocket connection, which ends with the run. Skips the rule if the target declares that it has no
   * WebSocket, or if {@link Target.Target.dial} is absent. If a WebSocket cannot be opened although the target responds
   * to calls, the rule is broken.
   */
  readonly connect: Effect.Effect<Sockets.Connection, Verdict.CheckError>
  /**
   * The WebSocket connection that the rules of a check share, for requests that need no authorization. Skips the
   * rule in the same cases as `connect`.
   */
  readonly connection: Effect.Effect<Sockets.Connection, Verdict.CheckError>
  /** An account for calls that only read. */
  readonly reader: Effect.Effect<Account, Verdict.CheckError>
  /** An account to read interest payments with. On a sandbox, the account has received payments. */
  readonly lender: Effect.Effect<Account, Verdict.CheckError>
  /** An account to read sub-accounts and their keys with. On a sandbox, the account has both. */
  readonly parent: Effect.Effect<Account, Verdict.CheckError>
  /** An account with funds to place orders. */
  readonly trader: Effect.Effect<Account, Verdict.CheckError>
  /** Opens a new account. */
  readonly open: (opening?: Opening) => Effect.Effect<Account, Verdict.CheckError>
  /**
   * Runs a control-plane action. If there is no response, an idempotent action is run again; after any other action,
   * the rule evaluates its value again from the beginning.
   */
  readonly control: (action: string, fields: object) => Effect.Effect<void, Verdict.CheckError>
  /** The markets that allow both spot and collateral trading: all of them, or a few if a real target has no tickers. */
  readonly markets: Effect.Effect<ReadonlyArray<Market>, Verdict.CheckError>
  /** The market to trade on. */
  readonly market: Effect.Effect<Market, Verdict.CheckError>
  /** The orders that the check has placed on a real account and not yet canceled. */
  readonly placements: Placements.Placements
  /** Adds a warning to the report about state left on the target. */
  readonly warn: (text: string) => Effect.Effect<void>
  /** Adds a cleanup step, which runs at the end of the run, however it ends. The last step added runs first. */
  readonly onEnd: (effect: Effect.Effect<unknown, Verdict.CheckError>) => Effect.Effect<void>
  /** A string that no other run has used, beginning with `prefix`. */
  readonly unique: (prefix: string) => string
}
