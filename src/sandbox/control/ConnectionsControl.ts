/** Lists a venue's open connections, and closes them. */
import * as Effect from "effect/Effect"
import type { Shown } from "../gateway/OpenConnections.ts"
import { type ControlRefused, refuse } from "../venue/ControlRefused.ts"
import type { Venue } from "../venue/Venue.ts"

/** The methods of `Control` for connections. */
export const make = ({ connections }: Venue["Service"]) => {
  const found = <A>(action: string, id: number, use: (connection: Shown) => A): Effect.Effect<A, ControlRefused> =>
    Effect.suspend(() => {
      const connection = connections.find(id)
      return connection === undefined
        ? refuse(action, { id: "known" }, `there is no open connection ${id}; see Connections`)
        : Effect.succeed(use(connection))
    })
  return {
    connections: Effect.sync(() => connections.list()),
    sentMessages: (id: number) => found("SentMessages", id, ({ latest }) => latest()),
    cutConnection: ({ close = false, id }: { readonly close?: boolean; readonly id: number }) =>
      found("CutConnection", id, (connection) => connection.end(close ? "closed" : "abrupt"))
  }
}
