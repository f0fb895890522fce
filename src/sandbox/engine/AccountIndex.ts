/** Finds the sub-accounts and API keys of an account without a search. */

/** The part of an API key that the index reads. */
interface KeyOf {
  /** The account that it belongs to. */
  readonly account: string
}

/** The part of a sub-account that the index reads. */
interface Member {
  /** Its identifier, which is also that of its account. */
  readonly id: string
  /** The account that it belongs to. */
  readonly parent: string
  /** The name that its owner gave it. */
  readonly alias: string
}

/** The keys and sub-accounts of one account, in the order in which they were added. */
export interface AccountEntry<K, S> {
  /** Its own API keys. */
  readonly keys: Set<K>
  /** Its sub-accounts. */
  readonly subAccounts: Set<S>
  /** The number of its sub-accounts with each alias. */
  readonly aliases: Map<string, number>
  /** The API keys of its sub-accounts. */
  readonly subAccountKeys: Set<K>
}

/** Keys and sub-accounts by account, and the parents of sub-accounts. */
export interface AccountIndex<K, S> {
  /** By account. An account without keys and sub-accounts may have no entry. */
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

/** Adds an API key. If it is a sub-account's, that sub-account must be in the index. */
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

/** Removes a sub-account and returns the API keys that it had. */
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

/** The entry of an account; `undefined` if it has never had a key or a sub-account. */
export const of = <K, S>({ byAccount }: AccountIndex<K, S>, account: string): AccountEntry<K, S> | undefined =>
  byAccount.get(account)
