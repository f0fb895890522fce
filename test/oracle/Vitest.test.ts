import { conformance } from "effect-txc/oracle/vitest"
import * as Layer from "effect/Layer"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Support from "../support/oracle.ts"
import { all } from "./mutants/all.ts"
import * as Mutant from "./mutants/Mutant.ts"

// Registers the rules as tests of a sandbox in this process. Each rule that can be checked must pass.
conformance("a sandbox in a user's test suite", Support.inProcess(Dialect.document), {
  profile: "control",
  only: ["ping", "codes", "errors"],
  // Only the live exchange documents the response, so the rule's test would be skipped.
  skip: ["errors.unknown.public"],
  runs: 1
})

// An informational rule never fails its test, whatever the target does.
const mutant = all.find(({ id }) => id === "method-404")
conformance(
  "a sandbox that deviates from an informational rule only",
  Support.inProcess(Dialect.document, Mutant.layer(mutant ?? {}, Dialect.document).pipe(Layer.orDie)),
  { profile: "control", only: mutant?.breaks ?? [], runs: 1 }
)
