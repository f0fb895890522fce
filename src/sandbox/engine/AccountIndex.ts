/** Looks up the sub-accounts and API keys of an account without scanning. */

/** The fields of an API key that the index reads. */
interface KeyOf {
  /** The account that owns the key. */
  readonly account: string
}

/** The fields of a sub-account that the index reads. */
interface Member {
  /** The sub-account's identifier. A sub-account is also an account, with the same identifier. */
  readonly id: string
  /** The account that owns the sub-account. */
  readonly parent: string
  /** The name that the parent account has given to the sub-account. */
  readonly alias: string
}

/** The keys and sub-accounts of one account, in the order in which they were added. */
export interface AccountEntry<K, S> {
  /** The account's own API keys. */
  readonly keys: Set<K>
  /** The sub-accounts that the account owns. */
  readonly subAccounts: Set<S>
  /** The number of sub-accounts with each alias. */
  readonly aliases: Map<string, number>
  /** The API keys of the account's sub-accounts. */
  readonly subAccountKeys: Set<K>
}

/** Each account's keys and sub-accounts, and each sub-account's parent. */
export interface AccountIndex<K, S> {
  /** The entries, keyed by account. An account without keys or sub-accounts may have no entry. */
  readonly byAccount: Map<string, AccountEntry<K, S>>
  /** The parent of each sub-account. */
  readonly parents: Map<string, string>
}

/** An empty index. */
export const make = <K, S>(): AccountIndex<K, S> => ({ byAccount: new Map(), parents: new Map() })

const entryOf = <K, S>({ byAccount }: AccountIndex<K, S>, account: string): AccountEntry<K, S> => {
  const known = byAccount.get(account)
  if (known !== undefined) return known
  const entry: AccountEntry<K, S> = {
    keys: new Set(),
    subAccounts: new Set(),
    aliases: new Map(),
    subAccountKeys: new Set()
  }
  byAccount.set(account, entry)
  return entry
}

/** Adds an API key. If the key belongs to a sub-account, that sub-account must already be in the index. */
export const addKey = <K extends KeyOf, S>(index: AccountIndex<K, S>, key: K): void => {
  entryOf(index, key.account).keys.add(key)
  const parent = index.parents.get(key.account)
  if (parent !== undefined) entryOf(index, parent).subAccountKeys.add(key)
}

/** Adds a sub-account. */
export const addSubAccount = <K, S extends Member>(index: AccountIndex<K, S>, subAccount: S): void => {
  const { aliases, subAccounts } = entryOf(index, subAccount.parent)
  index.parents.set(subAccount.id, subAccount.parent)
  subAccounts.add(subAccount)
  aliases.set(subAccount.alias, (aliases.get(subAccount.alias) ?? 0) + 1)
}

/** Removes a sub-account and returns its API keys. */
export const removeSubAccount = <K, S extends Member>(index: AccountIndex<K, S>, subAccount: S): Iterable<K> => {
  const { aliases, subAccountKeys, subAccounts } = entryOf(index, subAccount.parent)
  const { keys } = entryOf(index, subAccount.id)
  index.byAccount.delete(subAccount.id)
  index.parents.delete(subAccount.id)
  subAccounts.delete(subAccount)
  const left = (aliases.get(subAccount.alias) ?? 1) - 1
  if (left === 0) aliases.delete(subAccount.alias)
  else aliases.set(subAccount.alias, left)
  for (const key of keys) subAccountKeys.delete(key)
  return keys
}

/** The entry of an account; `undefined` if the index has no entry for it. */
export const of = <K, S>({ byAccount }: AccountIndex<K, S>, account: string): AccountEntry<K, S> | undefined =>
  byAccount.get(account)
