/**
 * The control of a sandbox over HTTP, under a path of its own and with a token of its own: an exchange key opens nothing
 * here, and the token opens nothing on the exchange.
 *
 * `POST {prefix}{action}` carries out an action of `Control` with the fields of its JSON body, for example
 * `MovePrice` with `{"market":"BTC_USDT","price":"40000"}`. `POST {prefix}Faults` adds a fault, `DELETE {prefix}Faults`
 * clears all.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Json from "../protocol/Json.ts"
import { Action } from "./engine/Command.ts"
import type { Reply } from "./engine/Reply.ts"
import * as Faults from "./Faults.ts"
import type { Answer, Request } from "./Message.ts"
import type { Venue } from "./Venue.ts"

/** Where the control plane begins. No path of the exchange does. */
export const prefix = "/control/v1/"

/** The actions that can be asked for: all but calls, which are made on the exchange. */
const names: ReadonlyArray<string> = Action.members.map((member) => member.fields._tag.schema.literal).filter((name) =>
  name !== "Call"
)

const decodeAction = Schema.decodeUnknownResult(Action)
const decodeFault = Schema.decodeUnknownResult(Faults.Fault)

const json = (status: number, body: object): Answer => ({
  _tag: "Answer",
  status,
  headers: { "content-type": "application/json" },
  body: Json.stringify(body)
})

const refused = (status: number, message: string): Answer => json(status, { message })

const digest = (text: string) => createHash("sha256").update(text).digest()

/** Compares digests, so that neither the length nor the place of a difference shows in the time it takes. */
const isAuthorized = (request: Request, token: string): boolean =>
  timingSafeEqual(digest(String(request.headers["authorization"] ?? "")), digest(`Bearer ${token}`))

const toAnswer = (reply: Reply): Answer =>
  reply._tag === "Invalid" || reply._tag === "Refused"
    ? json(400, {
      message: "refused",
      fields: Object.fromEntries(reply.violations.map(([field, rule]) => [field, rule.rule]))
    })
    : json(200, {})

/**
 * Answers a request of the control plane; `undefined` when it is one of the exchange.
 *
 * @category control
 * @since 0.1.0
 */
export const handle = (
  venue: Venue["Service"],
  token: string,
  request: Request
): Effect.Effect<Answer> | undefined => {
  if (!request.path.startsWith(prefix)) return undefined
  if (!isAuthorized(request, token)) {
    return Effect.succeed(refused(401, "the control plane needs the header: Authorization: Bearer <control token>"))
  }
  // A page of another origin can send a form, but not this content type without being asked for permission first.
  const type = String(request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  if (request.method === "POST" && type !== "application/json") {
    return Effect.succeed(refused(415, "send JSON, with the header: Content-type: application/json"))
  }
  const name = request.path.slice(prefix.length)
  if (request.method === "DELETE" && name === "Faults") {
    venue.faults.clear()
    return Effect.succeed(json(200, {}))
  }
  if (request.method !== "POST") return Effect.succeed(refused(405, "POST an action, or DELETE the faults"))
  const body = Json.parse(new TextDecoder().decode(request.body))
  if (Result.isFailure(body) || !Json.isObject(body.success)) {
    return Effect.succeed(refused(400, "the body is no JSON object"))
  }
  if (name === "Faults") {
    const fault = decodeFault(body.success)
    if (Result.isFailure(fault)) return Effect.succeed(refused(400, fault.failure.message))
    venue.faults.add(fault.success)
    return Effect.succeed(json(200, {}))
  }
  if (!names.includes(name))
    return Effect.succeed(refused(404, `no such action; there are ${names.join(", ")}, Faults`))
  const action = decodeAction({ ...body.success, _tag: name })
  if (Result.isFailure(action)) return Effect.succeed(refused(400, action.failure.message))
  if (action.success._tag === "Call") return Effect.succeed(refused(404, "calls are made on the exchange"))
  return Effect.match(venue.perform(action.success), {
    onSuccess: toAnswer,
    onFailure: (error) => refused(503, error.message)
  })
}
