/** Pages of lists. */
import { Limit, Offset } from "../../domain/Paging.ts"

/** Some records of a list, and their place in it. */
export interface Page<A> {
  /** The maximum number of records. */
  readonly limit: Limit
  /** The number of records of the list before these. */
  readonly offset: Offset
  /** The records. */
  readonly records: ReadonlyArray<A>
}

/** The page of a list that a request asks for. */
export const make = <A, B>(
  request: { readonly limit?: Limit; readonly offset?: Offset },
  defaultLimit: number,
  all: Iterable<A>,
  toRecord: (item: A) => B
): Page<B> => {
  const { limit = Limit.make(defaultLimit), offset = Offset.make(0) } = request
  return { limit, offset, records: Iterator.from(all).drop(offset).take(limit).map(toRecord).toArray() }
}
