/** Finds records in lists that only grow, without scanning them. */

/** An index of the first `read` records of a list. */
interface Index<A, K> {
  readonly byKey: Map<K, Array<A>>
  read: number
}

/**
 * Returns a function that finds a list's records with a given key, in list order. Records added since the previous
 * search are indexed first; a list that is never searched has no index.
 */
export const indexBy = <A, K>(
  keyOf: (record: A) => K
): (list: ReadonlyArray<A>, key: K) => ReadonlyArray<A> => {
  const indexes = new WeakMap<ReadonlyArray<A>, Index<A, K>>()
  return (list, key) => {
    const index = indexes.get(list) ?? { byKey: new Map<K, Array<A>>(), read: 0 }
    indexes.set(list, index)
    for (const record of list.slice(index.read)) {
      const key = keyOf(record)
      const found = index.byKey.get(key)
      if (found === undefined) index.byKey.set(key, [record])
      else found.push(record)
    }
    index.read = list.length
    return index.byKey.get(key) ?? []
  }
}

/** The shortest of several lists; `false` stands for an absent list. */
export const shortest = <A>(
  first: ReadonlyArray<A>,
  ...others: ReadonlyArray<ReadonlyArray<A> | false>
): ReadonlyArray<A> =>
  others.reduce<ReadonlyArray<A>>(
    (shortest, list) => list !== false && list.length < shortest.length ? list : shortest,
    first
  )

/** The number of records before the given time, in a list sorted by time. */
const countBefore = <A>(list: ReadonlyArray<A>, timeOf: (record: A) => number, time: number): number => {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const record = list[middle]
    if (record !== undefined && timeOf(record) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** A range of times in Unix seconds, both ends inclusive. */
interface Seconds {
  readonly endDate?: number
  readonly startDate?: number
}

/** Yields records like {@link latest}, but oldest first. */
export const oldest = function*<A>(
  list: ReadonlyArray<A>,
  timeOf: (record: A) => number,
  { endDate = Infinity, startDate = 0 }: Seconds
): Generator<A, undefined> {
  for (let index = countBefore(list, timeOf, startDate * 1e6); index < list.length; index++) {
    const record = list[index]
    if (record === undefined || timeOf(record) >= (endDate + 1) * 1e6) return
    yield record
  }
}

/**
 * Yields the records from second `startDate` to second `endDate`, both inclusive, latest first. The list must be sorted
 * by `timeOf`, in Unix microseconds, oldest first.
 */
export const latest = function*<A>(
  list: ReadonlyArray<A>,
  timeOf: (record: A) => number,
  { endDate, startDate = 0 }: Seconds = {}
): Generator<A, undefined> {
  const end = endDate === undefined ? list.length : countBefore(list, timeOf, (endDate + 1) * 1e6)
  for (let index = end - 1; index >= 0; index--) {
    const record = list[index]
    if (record === undefined || timeOf(record) < startDate * 1e6) return
    yield record
  }
}
