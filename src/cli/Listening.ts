/** The address and port on which a command listens. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { nameOf } from "../sandbox/server/Names.ts"
import type { ListenFailed, Served } from "../sandbox/server/Server.ts"
import * as Flags from "./Flags.ts"
import * as Interruption from "./Interruption.ts"
import { Refused } from "./Refused.ts"

/** The flag that names the address. */
export const host = Flags.text("host", "an address such as 127.0.0.1; 0.0.0.0 is every address of this machine").pipe(
  Flag.withDescription("The address to listen on"),
  Flag.withDefault("127.0.0.1")
)

/** The flag that names the port. */
export const port = Flags.optional(
  Flags.port("port"),
  "The port; 0 for any free port. Default on a terminal: 8080, or the next free port"
)

/** The flag that allows requests to another host name. It may be repeated. */
export const allowHosts = Flag.String("allow-host").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription(
    "A name at which callers reach this server, such as the name of its container. Only localhost and the address that it " +
      "listens on are accepted without this flag. Repeat the flag for more names"
  ),
  Flag.filter((text) => nameOf(text) !== undefined, () => "a host name such as sandbox"),
  Flag.atLeast(0)
)

/**
 * The default port when a person starts the command. It is fixed, so that the address stays the same after a restart.
 */
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
 * Serves on the given port. Without a given port, a command started by a person uses 8080, or the next free port up to
 * 8100, and a command started by a program uses any free port.
 */
export const listen = <R>(
  serve: (port: number) => Effect.Effect<Served, ListenFailed, R>,
  port: Option.Option<number>,
  isForPeople: boolean
): Effect.Effect<Served, Refused, R> => {
  const serveFrom = (port: number): ReturnType<typeof serve> =>
    Effect.catchIf(serve(port), (error) => isTaken(error) && port < lastPort, () => serveFrom(port + 1))
  const served = Option.match(port, { onNone: () => isForPeople ? serveFrom(usualPort) : serve(0), onSome: serve })
  return Effect.andThen(Interruption.serve, Effect.mapError(served, cantListen))
}
