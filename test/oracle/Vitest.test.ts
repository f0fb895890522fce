import { conformance } from "effect-txc/oracle/vitest"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Support from "../support/oracle.ts"

// The sandbox of this process, rule by rule: every rule that can be judged is a test that passes.
conformance("the sandbox, as a test of somebody's own", Support.inProcess(Dialect.document), {
  profile: "control",
  only: ["ping", "codes", "errors"],
  runs: 1
})
