/** Decides which requests become a WebSocket connection with a venue. */
import type { Dialect } from "../../protocol/Dialect.ts"
import { type Answer, type Head, header, type Outcome, type Written } from "../gateway/Message.ts"
import type { Streams } from "../streams/Streams.ts"
import * as Refusal from "./Refusal.ts"

/** The path of a venue's WebSocket. */
export const path = "/ws"

/** Whether a request asks for a WebSocket, of a venue on its own or below the path of one. */
export const isUpgrade = (head: Head): boolean =>
  header(head, "upgrade").toLowerCase() === "websocket" && head.path.endsWith(path)

/** The reason why an exchange in this dialect refuses WebSocket connections. */
export const notInDialect =
  "The documented API has no WebSocket. Start the sandbox in the live exchange's dialect (--dialect live)"

/** The reason why an exchange can't accept a connection now. */
export const tooMany = "The exchange has too many connections, or has stopped"

const upgradeRequired: Written = {
  ...Refusal.make(path, 426, "UpgradeRequired", "This path is a WebSocket. Connect to it with a WebSocket client"),
  headers: { "content-type": "application/json", upgrade: "websocket" }
}

/** The refusal of a connection that the venue can't accept now. */
export const busy = (asked: string): Written => Refusal.busy(asked, "Overloaded", tooMany)

/** The outcome of a request; `undefined` if it is for another path. */
export const answer = (head: Head, { policy }: Dialect, { connect }: Streams): Outcome | undefined => {
  if (head.path !== path) return undefined
  if (policy.streamToken === undefined) return Refusal.make(path, 501, "NoWebSocket", notInDialect)
  return isUpgrade(head) ? { _tag: "Upgraded", connect } : upgradeRequired
}

/** The answer from a transport that can't carry a WebSocket. */
export const decline = (outcome: Outcome): Answer => {
  if (outcome._tag !== "Upgraded") return outcome
  // Ending the connection releases the resources reserved for it.
  outcome.connect({ send: () => undefined, end: () => undefined, waiting: () => 0 })?.end()
  return upgradeRequired
}
