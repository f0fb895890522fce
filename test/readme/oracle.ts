import { Dialect } from "effect-txc"
import { check, Report, Target } from "effect-txc/oracle"
import { InProcess, Sandbox } from "effect-txc/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

// The target here is a sandbox in the same process. To check another exchange, pass its base URL to Target.http.
const target = Target.fromLayer(Sandbox.layer({ controlToken: "a token of mine" }), {
  baseUrl: InProcess.baseUrl,
  dialect: Dialect.document,
  control: { url: `${InProcess.baseUrl}/control/v1/`, token: Redacted.make("a token of mine") }
})

export const program = Effect.gen(function*() {
  const report = yield* check(yield* target, { profile: "control", only: ["codes", "ping"], runs: 5 })
  yield* Effect.logInfo(Report.text(report))
  return Report.exitCode(report)
}).pipe(Effect.scoped)
