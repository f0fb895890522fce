/** Applies commands that concern accounts, sub-accounts, API keys, codes and transfers. */
import { Code } from "../../domain/Code.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { ApiKey, ApiKeyId, ExternalId, SubAccountId, type Ticker, UserId } from "../../domain/Identifiers.ts"
import { HexColour, mask, MaskedEmail } from "../../domain/SubAccount.ts"
import { UnixSeconds } from "../../domain/Time.ts"
import * as AccountIndex from "./AccountIndex.ts"
import * as Cancellation from "./Cancellation.ts"
import type { Action } from "./Command.ts"
import * as KillSwitches from "./KillSwitches.ts"
import * as Ledger from "./Ledger.ts"
import type { TransferTerms } from "./Listings.ts"
import * as Margins from "./Margins.ts"
import type { Operation } from "./Operation.ts"
import * as Quotes from "./Quotes.ts"
import * as Reply from "./Reply.ts"
import type { Account, Key, State } from "./State.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

type Of<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

type OfCall<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>

const seconds = (at: number): UnixSeconds => UnixSeconds.make(Math.floor(at / 1e6))

/** The prefix of new identifiers on a venue that has not been given an identity by `SetIdentity`. */
const noIdentity = "00000000-0000"

/** Builds a UUID from a counter in the state, so that the same commands always produce the same identifiers. */
const uuid = (state: State): string => {
  const digits = (++state.lastId).toString(16).padStart(12, "0")
  return `${state.identity ?? noIdentity}-4000-8000-${digits}`
}

const isListed = (state: State, ticker: Ticker): boolean =>
  state.currencies.some((currency) => currency.ticker === ticker)

const unlisted = Reply.invalid(["ticker", { kind: "known" }])

/** Whether another account or the counterparty already uses this account name. */
const isTaken = ({ accounts }: State, account: string): boolean => account === Quotes.account || accounts.has(account)

const newAccount = ({ margin }: State, id: string, b2b: boolean): Account => ({
  id,
  b2b,
  rpi: false,
  retail: false,
  leverage: margin.defaultLeverage,
  hedgeMode: false
})

/** Opens an account. */
export const openAccount = (state: State, { account, b2b }: Of<"OpenAccount">): Reply.Reply => {
  if (isTaken(state, account)) return Reply.invalid(["account", { kind: "unique" }])
  state.accounts.set(account, newAccount(state, account, b2b))
  return Reply.done
}

/** Sets whether an account may place `rpi` and `retail` orders. */
export const setAccount = (state: State, { account: id, retail, rpi }: Of<"SetAccount">): Reply.Reply => {
  const account = state.accounts.get(id)
  if (account === undefined) return Reply.invalid(["account", { kind: "known" }])
  account.rpi = rpi ?? account.rpi
  account.retail = retail ?? account.retail
  return Reply.done
}

/** Opens a sub-account, which is also an account with the same identifier. */
export const openSubAccount = (state: State, { _tag, ...subAccount }: Of<"OpenSubAccount">): Reply.Reply => {
  if (!state.accounts.has(subAccount.parent)) return Reply.invalid(["parent", { kind: "known" }])
  if (isTaken(state, subAccount.id)) return Reply.invalid(["id", { kind: "unique" }])
  state.accounts.set(subAccount.id, newAccount(state, subAccount.id, false))
  const opened = { ...subAccount, userId: UserId.make(uuid(state)) }
  state.subAccounts.set(opened.id, opened)
  AccountIndex.addSubAccount(state.accountIndex, opened)
  return Reply.done
}

/** Adds an API key. */
export const addKey = (state: State, { _tag, endpoints, ...options }: Of<"AddKey">, at: number): Reply.Reply => {
  if (!state.accounts.has(options.account)) return Reply.invalid(["account", { kind: "known" }])
  if (state.keys.has(options.apiKey)) return Reply.invalid(["apiKey", { kind: "unique" }])
  const key: Key = {
    ...options,
    id: ApiKeyId.make(uuid(state)),
    endpoints,
    lastActivity: seconds(at),
    usedNonces: new Map(),
    greatestNonce: -1n,
    nonceFloor: -1n
  }
  state.keys.set(key.apiKey, key)
  AccountIndex.addKey(state.accountIndex, key)
  return Reply.done
}

/**
 * Creates a sub-account at the request of its parent account. The sub-account's identifiers contain the venue's next
 * sequential UUIDs.
 */
export const createSubAccount = (
  state: State,
  account: string,
  { _tag, email, ...operation }: OfCall<"CreateSubAccount">
): Reply.Reply => {
  const isTaken = AccountIndex.of(state.accountIndex, account)?.aliases.has(operation.alias) === true
  if (isTaken) return Reply.invalid(["alias", { kind: "unique" }])
  const id = SubAccountId.make(uuid(state))
  const opened = openSubAccount(state, {
    _tag: "OpenSubAccount",
    ...operation,
    id,
    parent: account,
    email: email === undefined ? MaskedEmail.make("") : mask(email),
    color: HexColour.make("#FF0000"),
    kycStatus: operation.shareKyc ? "shared" : "none"
  })
  const subAccount = state.subAccounts.get(id)
  return subAccount === undefined ? opened : { _tag: "SubAccountCreated", subAccount }
}

/** The maximum number of a sub-account's API keys, according to the live documentation. */
const maxKeys = 50

/**
 * Creates an API key for a sub-account. The key contains the venue's next sequential UUID. The secret contains the
 * command's random UUID if there is one; otherwise, it contains the sequential UUID that follows the key's.
 */
export const createSubAccountKey = (
  state: State,
  account: string,
  { drawn, subAccountId, title, type }: OfCall<"CreateSubAccountKey">,
  at: number
): Reply.Reply => {
  if (state.subAccounts.get(subAccountId)?.parent !== account) return Reply.invalid(["subAccountId", { kind: "known" }])
  const count = AccountIndex.of(state.accountIndex, subAccountId)?.keys.size ?? 0
  if (state.policy.furtherLimits === "enforced" && count >= maxKeys) return Reply.refused("tooManyKeys")
  const apiKey = ApiKey.make(`key-${uuid(state)}`)
  const added = addKey(state, {
    _tag: "AddKey",
    account: subAccountId,
    apiKey,
    apiSecret: `secret-${drawn ?? uuid(state)}`,
    title,
    type,
    enabled: true
  }, at)
  const key = state.keys.get(apiKey)
  return key === undefined ? added : { _tag: "KeyCreated", key }
}

/** Enables or disables an API key, or changes the paths that the key may call. */
export const setKey = (state: State, { apiKey, enabled, endpoints }: Of<"SetKey">): Reply.Reply => {
  const key = state.keys.get(apiKey)
  if (key === undefined) return Reply.invalid(["apiKey", { kind: "known" }])
  if (enabled !== undefined) key.enabled = enabled
  if (endpoints !== undefined) key.endpoints = endpoints ?? undefined
  return Reply.done
}

/** Changes a sub-account's permissions or verification status. */
export const setSubAccount = (state: State, { _tag, id, ...changes }: Of<"SetSubAccount">): Reply.Reply => {
  const subAccount = state.subAccounts.get(id)
  if (subAccount === undefined) return Reply.invalid(["id", { kind: "known" }])
  Object.assign(subAccount, changes)
  return Reply.done
}

/** The name of the first negative fee or limit; `undefined` if none is negative. */
const belowZero = (terms: Partial<TransferTerms> = {}): string | undefined =>
  Object.entries(terms).find(([, value]) => Decimal.Order(value, Decimal.zero) < 0)?.[0]

/** Changes the deposit and withdrawal settings of a currency. */
export const setCurrency = (state: State, { _tag, ...changes }: Of<"SetCurrency">): Reply.Reply => {
  if (!isListed(state, changes.ticker)) return unlisted
  for (const direction of ["deposit", "withdraw"] as const) {
    const setting = belowZero(changes[direction])
    if (setting !== undefined) return Reply.invalid([`${direction}.${setting}`, { kind: "min", min: 0 }])
  }
  state.currencies = state.currencies.map((currency) =>
    currency.ticker !== changes.ticker ? currency : {
      ...currency,
      ...changes,
      deposit: { ...currency.deposit, ...changes.deposit },
      withdraw: { ...currency.withdraw, ...changes.withdraw }
    }
  )
  return Reply.done
}

/** Credits a wallet from outside the exchange. */
export const fund = (state: State, { account, amount, ticker, wallet }: Of<"Fund">): Reply.Reply => {
  if (account !== Quotes.account && !state.accounts.has(account)) return Reply.invalid(["account", { kind: "known" }])
  const units = Units.from(amount)
  if (units === undefined) return Reply.invalid(["amount", { kind: "precision", step: "0.000000000000000001" }])
  Ledger.transfer(state.ledger, "outside", Ledger.free(account, wallet), ticker, units)
  if (wallet === "collateral") state.watches.dirty.add(account)
  return Reply.done
}

/** Creates a code and debits its amount from the account's main wallet. */
export const createCode = (
  state: State,
  { account, amount, code, passphrase, ticker }: Of<"CreateCode">
): Reply.Reply => {
  if (!state.accounts.has(account)) return Reply.invalid(["account", { kind: "known" }])
  if (state.codes.has(code)) return Reply.invalid(["code", { kind: "unique" }])
  const units = Units.from(amount)
  if (units === undefined || !Ledger.transfer(state.ledger, Ledger.free(account, "main"), "codes", ticker, units)) {
    return Reply.refused("notEnoughBalance", ["amount", { kind: "balance" }])
  }
  state.codes.set(code, { code, creator: account, ticker, units, passphrase, applied: undefined })
  return Reply.done
}

/**
 * Creates a code at the caller's request, in the exchange's format. The code contains the command's random UUID if
 * there is one; otherwise, it contains the venue's next sequential UUID.
 */
export const createOwnCode = (
  state: State,
  account: string,
  { amount, drawn, passphrase, ticker }: OfCall<"CreateCode">
): Reply.Reply => {
  if (!isListed(state, ticker)) return unlisted
  const before = state.lastId
  const code = Code.make(`WB${drawn ?? uuid(state)}${ticker}`)
  const created = createCode(state, {
    _tag: "CreateCode",
    account,
    code,
    ticker,
    amount,
    ...(passphrase === undefined ? {} : { passphrase })
  })
  if (created._tag === "Done") {
    return { _tag: "CodeCreated", created: { code, externalId: ExternalId.make(uuid(state)) } }
  }
  // A refused call must not change anything, including the last identifier.
  state.lastId = before
  return created
}

/** Credits the main wallet with a code's amount. A wrong passphrase gets the same reply as an unknown code. */
export const applyCode = (
  state: State,
  account: string,
  { code, passphrase }: OfCall<"ApplyCode">
): Reply.Reply => {
  const issued = state.codes.get(code)
  if (issued === undefined || issued.passphrase !== passphrase) return Reply.invalid(["code", { kind: "known" }])
  if (issued.applied !== undefined) return Reply.invalid(["code", { kind: "unused" }])
  if (issued.creator === account) return Reply.invalid(["code", { kind: "notOwn" }])
  issued.applied = account
  Ledger.transfer(state.ledger, "codes", Ledger.free(account, "main"), issued.ticker, issued.units)
  return {
    _tag: "CodeApplied",
    applied: {
      ticker: issued.ticker,
      amount: Units.toDecimal(issued.units),
      externalId: ExternalId.make(uuid(state))
    }
  }
}

/** Deletes a sub-account and its keys, and cancels its orders. Refuses to do so if the sub-account is not empty. */
export const deleteSubAccount = (
  work: Work,
  owner: string,
  { id }: OfCall<"DeleteSubAccount">
): Reply.Reply => {
  const { state } = work
  const subAccount = state.subAccounts.get(id)
  if (subAccount === undefined || subAccount.parent !== owner) return Reply.invalid(["id", { kind: "known" }])
  // A sub-account whose wallets are all empty might still have positions, investments or debts.
  if (state.positionsOf.has(id) || state.investmentsOf.has(id) || Ledger.isInDebt(state.ledger, id))
    return Reply.invalid(["id", { kind: "empty" }])
  for (const wallet of ["main", "trade", "collateral"] as const) {
    for (const locked of [false, true]) {
      if (Ledger.balances(state.ledger, { account: id, wallet, locked }).size > 0) {
        return Reply.invalid(["id", { kind: "empty" }])
      }
    }
  }
  Cancellation.cancelOpen(work, id, {})
  KillSwitches.removeAll(state, id)
  state.subAccounts.delete(id)
  state.accounts.delete(id)
  for (const { apiKey } of AccountIndex.removeSubAccount(state.accountIndex, subAccount)) state.keys.delete(apiKey)
  return Reply.done
}

/** The amount that can leave a wallet. The margin of positions and orders must stay in the collateral wallet. */
export const transferable = (state: State, account: string, from: Ledger.Wallet, ticker: Ticker): Units.Units =>
  from === "collateral"
    ? Margins.available(state, account, ticker)
    : Ledger.balance(state.ledger, Ledger.free(account, from), ticker)

/**
 * The refusal of a transfer that the venue's policy does not allow: a sub-account needs the permission for the wallet,
 * an asset leaves the main wallet only if it can be deposited, and enters that wallet only if it can be withdrawn.
 */
const notAllowed = (
  { currencies, policy, subAccounts }: State,
  account: string,
  { from, ticker, to }: OfCall<"Transfer">
): Reply.Reply | undefined => {
  if (policy.furtherLimits === "ignored") return undefined
  const permissions = subAccounts.get(account)
  const isPermitted = to === "main" || permissions?.[to === "trade" ? "spotEnabled" : "collateralEnabled"] !== false
  if (!isPermitted)
    return Reply.refused("transferNotPermitted", ["error", { kind: "transferable", needs: "permission" }])
  const { canDeposit = true, canWithdraw = true } = currencies.find((currency) => currency.ticker === ticker) ?? {}
  if (from === "main" && !canDeposit) {
    return Reply.refused("depositDisabled", ["currency", { kind: "transferable", needs: "deposits" }])
  }
  return to === "main" && !canWithdraw
    ? Reply.refused("withdrawDisabled", ["currency", { kind: "transferable", needs: "withdrawals" }])
    : undefined
}

/** Moves an amount between an account's wallets. */
export const transfer = (
  state: State,
  account: string,
  operation: OfCall<"Transfer">
): Reply.Reply => {
  const { amount, from, ticker, to } = operation
  if (!isListed(state, ticker)) return unlisted
  const refusal = notAllowed(state, account, operation)
  if (refusal !== undefined) return refusal
  const units = Units.from(amount)
  const source = Ledger.free(account, from)
  if (
    units === undefined || transferable(state, account, from, ticker) < units ||
    !Ledger.transfer(state.ledger, source, Ledger.free(account, to), ticker, units)
  ) return Reply.refused("notEnoughBalance", ["amount", { kind: "balance" }])
  if (from === "collateral" || to === "collateral") state.watches.dirty.add(account)
  return Reply.done
}
