/**
 * Stores the responses to requests that can arrive twice, because a cluster node may resend them to the node that has
 * the venue. A request with a known id is not carried out again: it gets the same response.
 */

/** The responses to requests that have changed something, keyed by request id. */
export interface Deliveries {
  /** The response to the request with this id, as text, if it is stored. */
  readonly known: (id: string) => string | undefined
  /** Stores the response to a request together with the commands appended in the same turn of the event loop. */
  readonly keep: (id: string, answer: string) => void
}
