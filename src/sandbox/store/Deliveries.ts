/**
 * What was answered to requests that may arrive twice, because a node of a cluster sends them to the node that has the venue.
 * Each has an id. A request whose id is known is not carried out again: it is answered as it was.
 */

/** The answers to requests that have changed something, by their ids. */
export interface Deliveries {
  /** The answer to the request with this id, as text, if it is known. */
  readonly known: (id: string) => string | undefined
  /** Keeps the answer to a request together with the commands appended in the same turn of the event loop. */
  readonly keep: (id: string, answer: string) => void
}
