/** Where a command listens. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ListenFailed, Served } from "../sandbox/server/Server.ts"
import { Refused } from "./Refused.ts"

/** The flag that names the address. */
export const host = Flag.String("host").pipe(
  Flag.withDescription("The address to listen on"),
  Flag.withDefault("127.0.0.1")
)

/** The flag that names the port. */
export const port = Flag.Int("port").pipe(
  Flag.withDescription("The port; 0 is any free one. On a terminal it is 8080, or the next free one, by default"),
  Flag.optional
)

/** The port of what a person starts, so that it is where it was. */
export const usualPort = 8080

const lastPort = usualPort + 20

const isTaken = ({ reason }: ListenFailed): boolean => reason.includes("EADDRINUSE")

const cantListen = (error: ListenFailed): Refused =>
  isTaken(error)
    ? new Refused({
      wrong: `Port ${error.port} of ${error.host} is taken`,
      remedy: "Choose another with --port, or any free one with --port 0"
    })
    : new Refused({ wrong: error.message, remedy: "Choose another port with --port, or another address with --host" })

/** Serves on the port given; for a person on the usual one or the next that is free, and else on any free one. */
export const listen = <R>(
  serve: (port: number) => Effect.Effect<Served, ListenFailed, R>,
  port: Option.Option<number>,
  isForPeople: boolean
): Effect.Effect<Served, Refused, R> => {
  const serveFrom = (port: number): ReturnType<typeof serve> =>
    Effect.catchIf(serve(port), (error) => isTaken(error) && port < lastPort, () => serveFrom(port + 1))
  const served = Option.match(port, { onNone: () => isForPeople ? serveFrom(usualPort) : serve(0), onSome: serve })
  return Effect.mapError(served, cantListen)
}
