/**
 * Accounts with what belongs to them: their sub-accounts and their API keys.
 *
 * @since 0.1.0
 */
import type { Key, SubAccount } from "./State.ts"

/**
 * What belongs to an account.
 *
 * @category models
 * @since 0.1.0
 */
export interface Family {
  /** Its own API keys, the latest last. */
  readonly keys: Set<Key>
  /** Its sub-accounts, the latest last. */
  readonly subAccounts: Set<SubAccount>
  /** How many of its sub-accounts have an alias. */
  readonly aliases: Map<string, number>
  /** The API keys of its sub-accounts, the latest last. */
  readonly subAccountKeys: Set<Key>
}

/**
 * Families by account, and the parents of sub-accounts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Families {
  /** By account. Most accounts have one; some have nothing that belongs to them. */
  readonly byAccount: Map<string, Family>
  /** The account that a sub-account belongs to. */
  readonly parents: Map<string, string>
}

/**
 * No families.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Families => ({ byAccount: new Map(), parents: new Map() })

const familyOf = ({ byAccount }: Families, account: string): Family => {
  const known = byAccount.get(account)
  if (known !== undefined) return known
  const family: Family = { keys: new Set(), subAccounts: new Set(), aliases: new Map(), subAccountKeys: new Set() }
  byAccount.set(account, family)
  return family
}

/**
 * Adds an API key, after the sub-account whose key it may be.
 *
 * @category changing
 * @since 0.1.0
 */
export const addKey = (families: Families, key: Key): void => {
  familyOf(families, key.account).keys.add(key)
  const parent = families.parents.get(key.account)
  if (parent !== undefined) familyOf(families, parent).subAccountKeys.add(key)
}

/**
 * Adds a sub-account.
 *
 * @category changing
 * @since 0.1.0
 */
export const addSubAccount = (families: Families, subAccount: SubAccount): void => {
  const { aliases, subAccounts } = familyOf(families, subAccount.parent)
  families.parents.set(subAccount.id, subAccount.parent)
  subAccounts.add(subAccount)
  aliases.set(subAccount.alias, (aliases.get(subAccount.alias) ?? 0) + 1)
}

/**
 * Removes a sub-account, and gives the API keys that it had.
 *
 * @category changing
 * @since 0.1.0
 */
export const removeSubAccount = (families: Families, subAccount: SubAccount): Iterable<Key> => {
  const { aliases, subAccountKeys, subAccounts } = familyOf(families, subAccount.parent)
  const { keys } = familyOf(families, subAccount.id)
  families.byAccount.delete(subAccount.id)
  families.parents.delete(subAccount.id)
  subAccounts.delete(subAccount)
  const left = (aliases.get(subAccount.alias) ?? 1) - 1
  if (left === 0) aliases.delete(subAccount.alias)
  else aliases.set(subAccount.alias, left)
  for (const key of keys) subAccountKeys.delete(key)
  return keys
}

/**
 * What belongs to an account; `undefined` when nothing ever has.
 *
 * @category reading
 * @since 0.1.0
 */
export const of = ({ byAccount }: Families, account: string): Family | undefined => byAccount.get(account)
