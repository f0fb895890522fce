/** The rule about the server status (document, Endpoints §8). */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Paths from "../world/Paths.ts"

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "ping.response",
    statement: "Returns an array with the single string pong",
    clause: "Endpoints §8",
    profile: "read-only",
    check: (world) =>
      Effect.flatMap(world.get(Paths.ping), (answer) =>
        Verdict.expect(
          answer,
          `HTTP 200 with ["pong"]`,
          answer.status === 200 && Json.stringify(answer.json) === `["pong"]`
        ))
  })
]
