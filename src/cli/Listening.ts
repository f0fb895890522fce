/** The address and port on which a command listens. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ListenFailed, Served } from "../sandbox/server/Server.ts"
import * as Flags from "./Flags.ts"
import { Refused } from "./Refused.ts"

/** The flag that names the address. */
export const host = Flag.String("host").pipe(
  Flag.withDescription("The address to listen on"),
  Flag.withDefault("127.0.0.1")
)

/** The flag that names the port. */
export const port = Flags.optional(
  Flag.Int("port"),
  "The port; 0 for any free port. Default on a terminal: 8080, or the next free port"
)

/** The default port on a terminal, so that the address stays the same. */
export const usualPort = 8080

const lastPort = usualPort + 20

const isTaken = ({ reason }: ListenFailed): boolean => reason.includes("EADDRINUSE")

const cantListen = (error: ListenFailed): Refused =>
  isTaken(error)
    ? new Refused({
      wrong: `Port ${error.port} of ${error.host} is in use`,
      remedy: "Choose another port with --port, or any free port with --port 0"
    })
    : new Refused({ wrong: error.message, remedy: "Choose another port with --port, or another address with --host" })

/**
 * Serves on the given port. By default, serves a person on the usual port or the next free one, and a program on any
 * free port.
 */
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
