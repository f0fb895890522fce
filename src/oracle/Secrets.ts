/** Removes secrets from the text of reports. */
import * as Redacted from "effect/Redacted"
import * as Signer from "../client/Signer.ts"
import type { Target } from "./Target.ts"

/**
 * Returns a function that removes secrets from a string: the keys, the control-plane token, the secrets of
 * sub-accounts' keys (which only a faulty target shows), and tokens for WebSocket connections.
 */
export const scrubber = ({ control, keys }: Target): (text: string) => string => {
  const scrub = Signer.scrubber(
    ...[keys?.apiKey, keys?.apiSecret, control?.token].flatMap((secret) =>
      secret === undefined ? [] : [Redacted.value(secret)]
    )
  )
  return (text) => scrub(text).replace(/("(?:apiSecret|websocket_token)\\?"\s*:\s*\\?")[^"\\]+/gu, "$1<redacted>")
}
