/** Decides which requests become a WebSocket connection with a venue. */
import type { Dialect } from "../../protocol/Dialect.ts"
import { type Answer, type Head, header, type Outcome, type Written } from "../gateway/Message.ts"
import type { Refused } from "../gateway/Socket.ts"
import type { Streams } from "../streams/Streams.ts"
import * as Refusal from "./Refusal.ts"

/** The path at which a venue serves its WebSocket. */
export const path = "/ws"

/** Whether a request asks for a WebSocket: at a server with a single venue, or under a venue's path on a host. */
export const isUpgrade = (head: Head): boolean =>
  header(head, "upgrade").toLowerCase() === "websocket" && head.path.endsWith(path)

/** The reason why an exchange in this dialect refuses WebSocket connections. */
export const notInDialect =
  "The documented API has no WebSocket. Start the sandbox in the live exchange's dialect (--dialect live)"

const upgradeRequired: Written = {
  ...Refusal.make(path, 426, "UpgradeRequired", "This path is a WebSocket. Connect to it with a WebSocket client"),
  headers: { "content-type": "application/json", upgrade: "websocket" }
}

/** The response to a client whose connection the venue refuses. */
export const refusal = (asked: string, { kind, message }: Refused): Written =>
  kind === "unavailable" ? Refusal.busy(asked, "Overloaded", message) : Refusal.limited(asked, message)

/** The outcome of a request; `undefined` if the request is for another path. */
export const answer = (head: Head, { policy }: Dialect, { connect }: Streams): Outcome | undefined => {
  if (head.path !== path) return undefined
  if (policy.streamToken === undefined) return Refusal.make(path, 501, "NoWebSocket", notInDialect)
  return isUpgrade(head) ? { _tag: "Upgraded", connect, decline: () => undefined } : upgradeRequired
}

/** The response from a transport that can't carry a WebSocket. An outcome without a WebSocket is returned unchanged. */
export const decline = (outcome: Outcome): Answer => {
  if (outcome._tag === "Upgraded") outcome.decline()
  else if (outcome._tag === "Tunneled") outcome.far.destroy()
  else return outcome
  return upgradeRequired
}
