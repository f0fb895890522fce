/** Readers of a venue's feed over HTTP. If a reader's connection breaks, it continues after the last event. */
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import type { Made } from "../../src/sandbox/host/HostModels.ts"

/** A feed reader. */
export interface Reader {
  /** The ids of all entries so far, in the order in which they arrived. */
  readonly ids: Array<string>
  /** The client order ids of the placed orders, in the sequence in which they arrived. */
  readonly orders: Array<string>
  /** How often the host no longer had the next entries. */
  gone: number
  /** The number of connections that delivered entries. */
  connections: number
}

/** Called when a host has responded to a reader, or has broken the connection before responding. */
type OnAnswer = (began: number, answer: string) => void

/** Reads from one connection until it breaks. */
const read = (url: string, made: Made, reader: Reader, onAnswer: OnAnswer) =>
  Effect.callback<void>((resume) => {
    const began = performance.now()
    const after = reader.ids.at(-1) ?? "0"
    let status = 0
    let rest = ""
    const take = (event: string): void => {
      const [, id] = /^id: (.*)$/mu.exec(event) ?? []
      if (id === undefined) return
      if (reader.ids.at(-1) === after || reader.ids.length === 0) reader.connections++
      reader.ids.push(id)
      const [, order] = /^event: OrderPlaced\ndata: .*"clientOrderId":"([^"]*)"/mu.exec(event) ?? []
      if (order !== undefined) reader.orders.push(order)
    }
    const request = Http.get(`${url}/v/${made.id}/control/v1/Events`, {
      agent: false,
      headers: { authorization: `Bearer ${made.controlToken}`, "last-event-id": after }
    }, (response) => {
      status = response.statusCode ?? 0
      onAnswer(began, String(status))
      response.setEncoding("utf8")
      response.on("data", (text: string) => {
        const events = (rest + text).split("\n\n")
        rest = events.pop() ?? ""
        if (status === 200) { for (const event of events) take(event) }
      })
      response.on("error", () => undefined)
    })
    request.on("error", () => undefined)
    request.on("close", () => {
      if (status === 0) onAnswer(began, "lost")
      if (status === 410) reader.gone++
      resume(Effect.void)
    })
    return Effect.sync(() => request.destroy())
  })

/**
 * Follows a venue's feed from its beginning until interrupted. Each connection goes to the node whose URL `choose`
 * returns. Stops if the feed no longer has the next entries.
 */
export const follow = (made: Made, choose: () => string, onAnswer: OnAnswer) => {
  const reader: Reader = { ids: [], orders: [], gone: 0, connections: 0 }
  const following = Effect.gen(function*() {
    while (reader.gone === 0) {
      yield* read(choose(), made, reader, onAnswer)
      yield* Effect.sleep("100 millis")
    }
  })
  return { reader, following }
}

const numbers = (id: string): readonly [sequence: number, run: number, index: number] => {
  const [sequence = 0, second = 0, third] = id.split(".").map(Number)
  return third === undefined ? [sequence, 0, second] : [sequence, second, third]
}

/**
 * Returns the first entry that does not come after the previous entry, or `undefined` if all entries are in sequence.
 */
export const disorder = (ids: ReadonlyArray<string>): string | undefined =>
  ids.find((id, at) => {
    if (at === 0) return false
    const [one, other] = [numbers(ids[at - 1] ?? ""), numbers(id)]
    return (one[0] - other[0] || one[1] - other[1] || one[2] - other[2]) >= 0
  })
