/**
 * A sandbox of the exchange, in the same process or over HTTP.
 *
 * @since 0.1.0
 */
export * as Control from "./control/Control.ts"
export * as ControlApi from "./control/ControlApi.ts"
export * as ControlClient from "./control/ControlClient.ts"
export * as Example from "./Example.ts"
export * as Faults from "./gateway/Faults.ts"
export * as Feed from "./control/Feed.ts"
export * as InProcess from "./gateway/InProcess.ts"
export * as Journal from "./store/Journal.ts"
export * as Requests from "./gateway/Requests.ts"
export * as Sandbox from "./Sandbox.ts"
export * as Server from "./gateway/Server.ts"
export * as Venue from "./Venue.ts"
