/** Accounts with what belongs to them: their sub-accounts and their API keys. */

/** What is needed of an API key. */
interface KeyOf {
  /** The account that it belongs to. */
  readonly account: string
}

/** What is needed of a sub-account. */
interface Member {
  /** Its identifier, which is also that of its account. */
  readonly id: string
  /** The account that it belongs to. */
  readonly parent: string
  /** What its owner calls it. */
  readonly alias: string
}

/** What belongs to an account. */
export interface AccountEntry<K, S> {
  /** Its own API keys, the latest last. */
  readonly keys: Set<K>
  /** Its sub-accounts, the latest last. */
  readonly subAccounts: Set<S>
  /** How many of its sub-accounts have an alias. */
  readonly aliases: Map<string, number>
  /** The API keys of its sub-accounts, the latest last. */
  readonly subAccountKeys: Set<K>
}

/** Families by account, and the parents of sub-accounts. */
export interface AccountIndex<K, S> {
  /** By account. Most accounts have one; some have nothing that belongs to them. */
  readonly byAccount: Map<string, AccountEntry<K, S>>
  /** The account that a sub-account belongs to. */
  readonly parents: Map<string, string>
}

/** No index. */
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

/** Adds an API key, after the sub-account whose key it may be. */
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

/** Removes a sub-account, and gives the API keys that it had. */
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

/** What belongs to an account; `undefined` when nothing ever has. */
export const of = <K, S>({ byAccount }: AccountIndex<K, S>, account: string): AccountEntry<K, S> | undefined =>
  byAccount.get(account)
