/**
 * What a check may ask of a sandbox's control plane.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Profile } from "../Profile.ts"
import * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import type { World } from "./World.ts"

/** Does actions of the target's control plane; skips where it has none, or where the profile does not allow it. */
export const make = ({ control, send }: Target.Target, profile: Profile): World["control"] => (action, fields) => {
  if (control === undefined || profile !== "control") return Verdict.skip("needs the control plane of a sandbox")
  const request: Target.Request = {
    method: "POST",
    path: control.url + action,
    headers: { "content-type": "application/json", authorization: `Bearer ${Redacted.value(control.token)}` },
    body: JSON.stringify(fields)
  }
  return Effect.flatMap(send(request), (answer): Effect.Effect<void, Verdict.CheckError> => {
    if (answer.status < 300) return Effect.void
    if (answer.status === 404) return Verdict.skip(`the control plane has no ${action}`)
    const reason = `the control plane refused ${action}: HTTP ${answer.status} ${answer.text.slice(0, 200)}`
    return Effect.fail(new Target.TargetError({ reason }))
  })
}
