/** Sends a request over a browser's `fetch`, as clients send orders. Tests bundle this module and run it in a page. */
import * as Effect from "effect/Effect"
import * as FetchTransport from "../../src/client/transport/FetchTransport.ts"

/** Sends a body, at most once if `once` is true. Returns the outcome, with its reason or HTTP status. */
export const outcome = (url: string, once: boolean) =>
  FetchTransport.fromFetch((url, init) => fetch(url, init)).send({
    method: "POST",
    url,
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode("the order"),
    once,
    timeout: "20 seconds",
    maxAnswerBytes: 1000
  }).pipe(
    Effect.match({
      onFailure: ({ proof, reason }) => ({ kind: proof.kind as string, reason }),
      onSuccess: ({ status }) => ({ kind: "answered", reason: String(status) })
    }),
    Effect.runPromise
  )
