/** Decides whether a token authorizes a connection: see `VenuePolicy.streamToken`. */
import type { StreamTokenPolicy } from "../../domain/VenuePolicy.ts"
import type { Key, State } from "../engine/State.ts"
import * as StreamToken from "../handlers/StreamToken.ts"

/** Decides which of a venue's tokens are valid, and remembers which have been used. */
export interface StreamTokens {
  /**
   * Returns the key to which a token belongs, if the token can authorize a connection now. `serverTime` is on the clock
   * that nonces are checked against, in Unix microseconds.
   */
  readonly admit: (state: State, token: string, serverTime: number) => Key | undefined
}

/** The policy of a dialect without tokens: every token is refused. */
const noTokens: StreamTokenPolicy = { lifetimeSeconds: -1, singleUse: true }

/** Creates the tokens for a venue. No token has been used yet. */
export const make = ({ lifetimeSeconds, singleUse }: StreamTokenPolicy = noTokens): StreamTokens => {
  /** The used tokens that have not expired, with their creation times. */
  const used = new Map<string, number>()
  const lifetime = lifetimeSeconds * 1e6

  const isNew = (token: string, createdAt: number, serverTime: number): boolean => {
    for (const [old, at] of used) if (serverTime - at > lifetime) used.delete(old)
    if (used.has(token)) return false
    used.set(token, createdAt)
    return true
  }

  return {
    admit: (state, token, serverTime) => {
      const read = StreamToken.read(state, token)
      if (read?.key.enabled !== true || serverTime - read.createdAt > lifetime) return undefined
      return !singleUse || isNew(token, read.createdAt, serverTime) ? read.key : undefined
    }
  }
}
