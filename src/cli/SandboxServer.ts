/** Serves a sandbox, and prints how to call it. */
import * as Effect from "effect/Effect"
import * as MainBalance from "../endpoints/MainBalance.ts"
import * as ServerStatus from "../endpoints/ServerStatus.ts"
import * as Curl from "../protocol/Curl.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Example from "../sandbox/Example.ts"
import * as Server from "../sandbox/server/Server.ts"
import { Venue } from "../sandbox/venue/Venue.ts"

/**
 * Serves the venue in the context until the scope closes. Before the journal closes, waits until the calls in progress
 * are recorded.
 */
export const serve = Effect.fnUntraced(function*(options: Server.Options) {
  const { journal } = yield* Venue
  yield* Effect.addFinalizer(() => Effect.ignore(journal.committed))
  return yield* Server.serve(options)
})

/** Returns a placeholder for a nonce: as many zeros as a nonce in this dialect has digits. */
const noNonce = ({ nonceUnit }: Dialect): string => "0".repeat(nonceUnit === "milliseconds" ? 13 : 16)

/** Returns instructions for calling a sandbox from a shell and from a program, with a key of the example exchange. */
export const instructions = (baseUrl: string, dialect: Dialect): string =>
  `
The sandbox keeps serving on ${baseUrl}; stop it with Ctrl-C. Try it:

curl ${baseUrl}${ServerStatus.endpoint.path}

${
    Curl.script({
      url: baseUrl + MainBalance.endpoint.path,
      body: JSON.stringify({ request: MainBalance.endpoint.path, nonce: noNonce(dialect) }),
      keys: Example.alice
    })
  }

Or point a program of yours at it:

TXC_BASE_URL=${baseUrl} TXC_DIALECT=${dialect.name} \\
TXC_API_KEY=${Example.alice.apiKey} TXC_API_SECRET=${Example.alice.apiSecret} ...
`.trim()
