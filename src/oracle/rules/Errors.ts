/** Rules about the format of errors (document, "Errors"). */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import type { World } from "../world/World.ts"

const section = Section.of({ clause: "Errors", profile: "read-only", level: "SHOULD" })

/** The reasons for a refusal. */
const reasons = [
  "signature",
  "payload",
  "nonce",
  "fields"
] as const

/** Makes a call that must be refused for this reason. */
const refused = Effect.fnUntraced(function*(world: World, reason: (typeof reasons)[number]) {
  const account = yield* world.reader
  switch (reason) {
    case "signature":
      return yield* world.call(account, Paths.mainBalance, {}, { signature: () => "0".repeat(128) })
    case "payload":
      return yield* world.call(account, Paths.mainBalance, {}, { headers: { "x-txc-payload": undefined } })
    case "nonce":
      return yield* world.call(account, Paths.mainBalance, {}, { envelope: { nonce: undefined } })
    case "fields":
      return yield* world.call(account, Paths.subAccounts, { limit: 0 })
  }
})

const privateField = (id: string, statement: string, expected: string, holds: (json: Answer["json"]) => boolean) =>
  section.forEach(`errors.private.${id}`, {
    statement,
    level: "MUST",
    live: id === "errors"
      ? Rule.other("errors may be missing if no parameter is wrong", Rule.liveAnswers)
      : Rule.same,
    values: [...reasons],
    check: (world, reason) =>
      Effect.flatMap(refused(world, reason), (answer) => Verdict.expect(answer, expected, holds(answer.json)))
  })

const publicField = (id: string, statement: string, expected: string, holds: (json: Answer["json"]) => boolean) =>
  section.forEach(`errors.public.${id}`, {
    statement,
    // The document shows no failing public call, so the refusals on these paths are open points.
    live: Rule.notApplicable("the live exchange shows public errors in several forms"),
    values: [Paths.unknown.public, Paths.unknownOrderBook],
    check: (world, path) =>
      Effect.flatMap(
        world.get(path),
        (answer) => Verdict.expect(answer, expected, answer.status >= 400 && holds(answer.json))
      )
  })

export const rules: ReadonlyArray<Rule.Rule> = [
  privateField(
    "code",
    "Shows code, an integer, in a private error",
    "code, an integer",
    (json) => Json.isObject(json) && Number.isSafeInteger(json["code"])
  ),
  privateField(
    "message",
    "Shows message, a string, in a private error",
    "message, a string",
    (json) => Json.isObject(json) && typeof json["message"] === "string"
  ),
  privateField(
    "errors",
    "Shows errors, a possibly empty object of message arrays by parameter, in a private error",
    "errors, an object of arrays of strings",
    (json) => Json.isObject(json) && Refusals.isErrors(json["errors"])
  ),
  section.forEach("errors.private.status", {
    statement: "Returns HTTP 4xx for an error",
    live: Rule.documented("HTTP 4xx"),
    values: [...reasons],
    check: (world, reason) =>
      Effect.flatMap(
        refused(world, reason),
        (answer) => Verdict.expect(answer, "HTTP 4xx", answer.status >= 400 && answer.status < 500)
      )
  }),
  section.always("errors.private.messages", {
    statement: "Shows at least one message per invalid parameter",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.call(yield* world.reader, Paths.subAccounts, { limit: 0, offset: -1 })
      const { json } = answer
      const errors = Json.isObject(json) && Json.isObject(json["errors"]) ? Object.values(json["errors"]) : []
      yield* Verdict.expect(
        answer,
        "arrays with at least one message",
        errors.length === 2 && errors.every((list) => Array.isArray(list) && list.length > 0)
      )
    })
  }),
  section.always("errors.private.only-wrong", {
    statement: "Names no valid parameter in errors",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.call(yield* world.reader, Paths.subAccounts, { limit: 0, offset: 0 })
      const { json } = answer
      const errors = Json.isObject(json) && Json.isObject(json["errors"]) ? Object.keys(json["errors"]) : []
      yield* Verdict.conclude("errors that name limit only", errors, errors.join() === "limit", answer)
    })
  }),
  publicField(
    "success",
    "Shows success false in a public error",
    "success false",
    (json) => Json.isObject(json) && json["success"] === false
  ),
  publicField(
    "message",
    "Shows message, a string, in a public error",
    "message, a string",
    (json) => Json.isObject(json) && typeof json["message"] === "string"
  ),
  publicField(
    "params",
    "Shows params, an array, in a public error",
    "params, an array",
    (json) => Json.isObject(json) && Array.isArray(json["params"])
  ),
  LiveCalls.section.always("errors.unknown.public", {
    statement: "Returns HTTP 404 for an unknown public path",
    profile: "read-only",
    check: (world) =>
      Effect.flatMap(
        world.get(Paths.unknown.public),
        (answer) => Verdict.expect(answer, "HTTP 404", answer.status === 404)
      )
  }),
  section.forEach("errors.order.validation", {
    statement: "Refuses invalid fields of OCO and cancel-all calls: code 30, Validation failed, and errors",
    profile: "control",
    level: "MUST",
    live: Rule.other("HTTP 422, and codes from 30 to 43 by field"),
    values: [Paths.oco, Paths.cancelAll],
    check: Effect.fnUntraced(function*(world, path) {
      const answer = yield* world.call(
        yield* world.reader,
        path,
        path === Paths.oco ? { market: "NO_SUCH" } : { type: ["option"] }
      )
      yield* Refusals.order(answer, world.dialect, true, path === Paths.oco ? "side" : "type")
    })
  }),
  section.always("errors.order.validation.status", {
    statement: "Sends code 30 with HTTP 400, the only error status that the document shows",
    profile: "control",
    live: Rule.documented("HTTP 422"),
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.call(yield* world.reader, Paths.cancelAll, { type: ["option"] })
      const { status } = Dialects.orderValidation(world.dialect)
      yield* Verdict.expect(answer, `HTTP ${status}`, answer.status === status)
    })
  }),
  section.always("errors.reduce-only", {
    statement: "Sends code 116 with HTTP 400 and errors that name reduceOnly",
    profile: "control",
    live: Rule.other("HTTP 422"),
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const answer = yield* world.call(
        yield* world.trader,
        Paths.oco,
        Orders.oco(market, "buy", { reduceOnly: true })
      )
      if (Json.isObject(answer.json) && answer.json["code"] === 30)
        return yield* Verdict.skip("the target does not accept reduceOnly")
      yield* Refusals.exactly(answer, Dialects.reduceOnly(world.dialect), "because there is no position")
      yield* Verdict.expect(
        answer,
        "errors that name reduceOnly",
        Refusals.namedFields(answer).includes("reduceOnly")
      )
    })
  }),
  section.forEach("errors.unknown-path", {
    statement: "Returns HTTP 404 and a JSON error object for an unknown path",
    level: "INFO",
    values: Object.values(Paths.unknown),
    check: Effect.fnUntraced(function*(world, path) {
      const answer = yield* world.call(yield* world.reader, path)
      yield* Verdict.expect(
        answer,
        "HTTP 404 with a JSON object",
        answer.status === 404 && Json.isObject(answer.json)
      )
    })
  }),
  section.always("errors.method", {
    statement: "Returns HTTP 405 and a JSON error object for a wrong method",
    level: "INFO",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.get(Paths.mainBalance)
      yield* Verdict.expect(
        answer,
        "HTTP 405 with a JSON object",
        answer.status === 405 && Json.isObject(answer.json)
      )
    })
  })
]
