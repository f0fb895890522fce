/** Access to a sandbox's control plane. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../protocol/Json.ts"
import type { Profile } from "../Profile.ts"
import * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Connection from "./Connection.ts"
import type { World } from "./World.ts"

/** Idempotent actions, which can be run again if there is no response. */
const repeatable: ReadonlyArray<string> = ["MovePrice", "FreezeClock", "RunClock", "SetClock", "SkewClock", "Restore"]

/**
 * Returns the function that runs control-plane actions. The function skips the rule if there is no control plane, if
 * the control plane lacks the action, or if the profile does not allow such actions.
 */
export const make = (target: Target.Target, profile: Profile): World["control"] => (action, fields) => {
  const request = requestOf(target, profile, "POST", action, Json.stringify(fields))
  if (request === undefined) return Verdict.skip("needs the control plane of a sandbox")
  const sent = target.send(request)
  const answered = repeatable.includes(action) ? Connection.read(sent) : sent
  return Effect.flatMap(answered, (answer): Effect.Effect<void, Verdict.CheckError> => {
    if (answer.status < 300) return Effect.void
    if (answer.status === 404) return Verdict.skip(`the control plane has no ${action}`)
    const reason = `the control plane refused ${action}: HTTP ${answer.status} ${answer.text.slice(0, 200)}`
    return Effect.fail(new Target.TargetError({ reason }))
  })
}

const requestOf = (
  { control }: Target.Target,
  profile: Profile,
  method: "GET" | "POST",
  action: string,
  body?: string
): Target.Request | undefined =>
  control === undefined || profile !== "control" ? undefined : {
    method,
    path: control.url + action,
    headers: { "content-type": "application/json", authorization: `Bearer ${Redacted.value(control.token)}` },
    ...(body === undefined ? {} : { body })
  }

/**
 * Returns the function that reads a value from the control plane. The function succeeds with `undefined` if the target
 * does not show the value.
 */
export const reader = (target: Target.Target, profile: Profile) =>
(
  name: string,
  method: "GET" | "POST" = "GET"
): Effect.Effect<unknown> => {
  const request = requestOf(target, profile, method, name, method === "GET" ? undefined : "{}")
  if (request === undefined) return Effect.void
  return Connection.retry(target.send(request)).pipe(
    Effect.map(({ json, status }) => status === 200 ? json : undefined),
    Effect.orElseSucceed(() => undefined)
  )
}
