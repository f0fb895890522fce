/**
 * Applies a fault to a call. The fault determines when the call arrives, whether it is applied, and the response that
 * its caller sees.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Json from "../../protocol/Json.ts"
import type * as Faults from "./Faults.ts"
import { type Answer, BodyLost, reset, type Streamed, type Written } from "./Message.ts"
import * as Responses from "./Responses.ts"

/** Whether a call with this symptom is never applied. */
export const isNeverApplied = (symptom: Faults.Symptom): boolean =>
  symptom._tag === "Refuse" || ("applied" in symptom && !symptom.applied)

/** Delays a call if its symptom is `Late`, or its response if the symptom is `Delay`. */
export const delay = (call: Effect.Effect<Answer>, symptom: Faults.Symptom): Effect.Effect<Answer> => {
  if (symptom._tag === "Late") return Effect.delay(call, symptom.millis)
  if (symptom._tag === "Delay") {
    return Effect.flatMap(call, (answer) => Effect.delay(Effect.succeed(answer), symptom.millis))
  }
  return call
}

const badGateway: Written = {
  _tag: "Answer",
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
}

/** Sends the first `length` bytes of a response, then breaks the connection. */
const truncate = ({ body, headers, status }: Written, length: number): Streamed => {
  const bytes = new TextEncoder().encode(body)
  // At least one byte must be missing, even from a short body.
  const part = bytes.subarray(0, Math.min(length, bytes.length - 1))
  return {
    _tag: "Stream",
    status,
    headers: { ...headers, "content-length": String(bytes.length) },
    body: Stream.concat(part.length === 0 ? Stream.empty : Stream.make(part), Stream.fail(new BodyLost()))
  }
}

/** Copies a JSON value, but keeps only the ids and the nested objects and lists. */
const idsOf = (value: unknown): object => {
  if (Array.isArray(value)) return value.map(idsOf)
  if (!Json.isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (["id", "orderId", "order_id"].includes(name)) return [[name, inner]]
      return typeof inner === "object" && inner !== null ? [[name, idsOf(inner)]] : []
    })
  )
}

/** Removes everything but the order ids from a response. */
const reduce = (answer: Written): Written => ({
  ...answer,
  body: Result.match(Json.parse(answer.body), {
    onFailure: () => answer.body,
    onSuccess: (value) => Json.stringify(idsOf(value))
  })
})

/** Sends the entire response in small parts, at most ten per second. */
const slowDown = ({ body, headers, status }: Written, bytesPerSecond: number): Streamed => {
  const bytes = new TextEncoder().encode(body)
  const perTick = Math.max(1, Math.ceil(bytesPerSecond / 10))
  const pause = 1000 * perTick / bytesPerSecond
  const parts = Array.from(
    { length: Math.ceil(bytes.length / perTick) },
    (_, index) => bytes.subarray(index * perTick, (index + 1) * perTick)
  )
  return {
    _tag: "Stream",
    status,
    headers: { ...headers, "content-length": String(bytes.length) },
    body: Stream.mapEffect(Stream.fromIterable(parts), (part) => Effect.delay(Effect.succeed(part), pause))
  }
}

/** The response that the caller sees when a fault hits the call. */
export const show = (dialect: Dialect, path: string, answer: Written, symptom: Faults.Symptom): Answer => {
  switch (symptom._tag) {
    case "Answer":
      return symptom
    case "BadGateway":
      return badGateway
    case "Refuse":
      return Responses.refuse(dialect, path, symptom.kind)
    case "Reset":
      return reset
    case "Delay":
    case "Late":
      return answer
    case "Malformed":
      return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) }
    case "Unreadable":
      return reduce(answer)
    case "Truncate":
      return truncate(answer, symptom.bytes)
    case "Slow":
      return slowDown(answer, symptom.bytesPerSecond)
  }
}
