/** The metrics of a node. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { Outcome } from "../gateway/Message.ts"
import type { Entry } from "../host/LocalPlacement.ts"
import type { Staged } from "../host/Resident.ts"

/** Requests that arrived here for other nodes' venues. */
export const passedOn = Metric.counter("requests_passed_on", {
  description: "Requests that arrived here for other nodes' venues",
  incremental: true
})

/** Requests for this node's venues. */
export const taken = Metric.counter("requests_taken", {
  description: "Requests for this node's venues, whichever node they arrived at",
  incremental: true
})

/** Requests that other nodes forwarded here for venues that this node does not have. */
export const turnedAway = Metric.counter("requests_turned_away", {
  description:
    "Forwarded requests for venues that this node does not have, or has lost; the sender then finds the right node",
  incremental: true
})

/** Database failures: failed statements, failed connections, and statements that got no response. */
export const databaseErrors = Metric.counter("database_errors", {
  description: "Failed database operations, by kind",
  incremental: true
})

const latency = Metric.histogram("request_seconds", {
  description: "Time to the response, or to the head of a streamed response, for requests that arrived at this node",
  boundaries: Metric.exponentialBoundaries({ start: 0.001, factor: 2, count: 15 })
})

const unavailable = Metric.counter("requests_unavailable", {
  description: "Requests that arrived at this node and got a response with status 503, by reason",
  incremental: true
})

const stages = {
  awake: Metric.gauge("venues_awake", { description: "Venues and forks awake on this node" }),
  waking: Metric.gauge("venues_waking", { description: "Venues that are waking up on this node" }),
  halted: Metric.gauge("venues_halted", { description: "This node's venues whose journal can't be written" }),
  waiting: Metric.gauge("venues_waiting", { description: "This node's venues that callers are waiting for" })
}

const sockets = {
  open: Metric.gauge("sockets_open", {
    description: "Open WebSockets of this node's venues, whichever node they arrived at"
  }),
  passedOn: Metric.gauge("sockets_passed_on", {
    description: "Open WebSockets that arrived here for other nodes' venues"
  })
}

/** Records a response's latency, and the reason for a 503. */
export const observed = <E, R>(answering: Effect.Effect<Outcome, E, R>): Effect.Effect<Outcome, E, R> =>
  Effect.flatMap(Effect.timed(answering), ([took, answer]) => {
    const timed = Metric.update(latency, Duration.toSeconds(took))
    if (answer._tag !== "Answer" || answer.status !== 503) return Effect.as(timed, answer)
    const { reason = "Unavailable" } = answer
    return Effect.as(
      Effect.andThen(timed, Metric.update(Metric.withAttributes(unavailable, { reason }), 1)),
      answer
    )
  })

/**
 * Records how many venues are awake, are waking, are halted or have waiting callers, and how many WebSockets are open.
 * `tunnels` is the number of WebSockets that the node forwards to other nodes.
 */
export const count = Effect.fnUntraced(function*(awake: number, entries: ReadonlyArray<Entry>, tunnels: number) {
  const venues = entries.map(({ resident }) => resident.look())
  const inStage = (name: Staged["stage"]) => venues.filter(({ stage }) => stage === name).length
  yield* Metric.update(stages.awake, awake)
  yield* Metric.update(stages.waking, inStage("waking"))
  yield* Metric.update(stages.halted, inStage("halted"))
  yield* Metric.update(stages.waiting, venues.filter(({ waiting }) => waiting > 0).length)
  yield* Metric.update(sockets.open, venues.reduce((sum, { sockets }) => sum + sockets, 0))
  yield* Metric.update(sockets.passedOn, tunnels)
})
