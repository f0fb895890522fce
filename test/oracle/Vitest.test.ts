import { conformance } from "effect-txc/oracle/vitest"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Support from "../support/oracle.ts"

// What cannot be judged is skipped, and the rest are tests that hold: the sandbox of this process, rule by rule.
conformance("the sandbox, as a test of somebody's own", Support.inProcess(Dialect.document), {
  profile: "control",
  only: ["ping", "codes", "errors"],
  runs: 1
})
