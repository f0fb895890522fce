/**
 * Answers to requests that may arrive twice, because a node of a cluster resends them to the node that owns the venue.
 * A request with a known id is not carried out again: it gets the same answer.
 */

/** The answers to requests that have changed something, by id. */
export interface Deliveries {
  /** The answer to the request with this id, as text, if it is known. */
  readonly known: (id: string) => string | undefined
  /** Stores the answer to a request together with the commands appended in the same turn of the event loop. */
  readonly keep: (id: string, answer: string) => void
}
