/**
 * A sandbox of the exchange, in the same process or over HTTP.
 *
 * @since 0.1.0
 */
export * as Control from "./Control.ts"
export * as ControlApi from "./ControlApi.ts"
export * as ControlClient from "./ControlClient.ts"
export * as Example from "./Example.ts"
export * as Faults from "./Faults.ts"
export * as Feed from "./Feed.ts"
export * as InProcess from "./InProcess.ts"
export * as Journal from "./Journal.ts"
export * as Requests from "./Requests.ts"
export * as Sandbox from "./Sandbox.ts"
export * as Server from "./Server.ts"
export * as Venue from "./Venue.ts"
