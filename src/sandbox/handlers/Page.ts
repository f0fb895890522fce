/** Cuts lists into pages. */
import { type HistoryLimit, Limit, Offset, type RecordOffset } from "../../domain/Paging.ts"

/** Some records of a list, with their position in the list. */
export interface Page<A, L extends HistoryLimit, O extends RecordOffset> {
  /** The maximum number of records on the page. */
  readonly limit: L
  /** The number of records that precede this page in the list. */
  readonly offset: O
  /** The records on this page. */
  readonly records: ReadonlyArray<A>
}

/** Returns the requested page of a list. */
export const make = <A, B, L extends HistoryLimit, O extends RecordOffset>(
  request: { readonly limit?: L; readonly offset?: O },
  defaultLimit: number,
  all: Iterable<A>,
  toRecord: (item: A) => B
): Page<B, L | Limit, O | Offset> => {
  const { limit = Limit.make(defaultLimit), offset = Offset.make(0) } = request
  return { limit, offset, records: Iterator.from(all).drop(offset).take(limit).map(toRecord).toArray() }
}
