import { conformance } from "effect-txc/oracle/vitest"
import * as Layer from "effect/Layer"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Support from "../support/oracle.ts"
import { all } from "./mutants/all.ts"
import * as Mutant from "./mutants/Mutant.ts"

// The sandbox of this process, rule by rule: every rule that can be judged is a test that passes.
conformance("the sandbox, as a test of somebody's own", Support.inProcess(Dialect.document), {
  profile: "control",
  only: ["ping", "codes", "errors"],
  runs: 1
})

// An informational rule fails no test, whatever the target does.
const mutant = all.find(({ id }) => id === "method-404")
conformance(
  "a sandbox of which only an informational rule sees something else",
  Support.inProcess(Dialect.document, Mutant.layer(mutant ?? {}, Dialect.document).pipe(Layer.orDie)),
  { profile: "control", only: mutant?.breaks ?? [], runs: 1 }
)
