/** Sandboxes that do not serve a call that only the live exchange documents. */
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as PlatformStatus from "../../../src/endpoints/PlatformStatus.ts"
import { type Mutant, mutant, withStatus } from "./Mutant.ts"

const without = (lacking: string, status: number) => withStatus(status, (_answer, { path }) => path === lacking)

export const mutants: ReadonlyArray<Mutant> = [
  mutant("kill-switch-missing", "the kill switch call returns HTTP 404", {
    breaks: ["live-calls.served", "kill-switch.timer", "kill-switch.refusal"],
    dialects: ["live"],
    ...without(KillSwitch.endpoint.path, 404)
  }),
  mutant("platform-status-missing", "the platform status call returns HTTP 501", {
    breaks: ["live-calls.served", "platform.status"],
    dialects: ["live"],
    ...without(PlatformStatus.endpoint.path, 501)
  })
]
