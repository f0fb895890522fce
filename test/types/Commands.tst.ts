import type * as Schema from "effect/Schema"
import { describe, expect, it } from "tstyche"
import type * as Command from "../../src/sandbox/engine/Command.ts"
import type * as Operation from "../../src/sandbox/engine/Operation.ts"

describe("what the interfaces document is what the journal's schemas accept", () => {
  it("of operations", () => {
    expect<Schema.Schema.Type<typeof Operation.Operation>>().type.toBe<Operation.Operation>()
  })

  it("of actions", () => {
    expect<Schema.Schema.Type<typeof Command.Action>>().type.toBe<Command.Action>()
  })

  it("of commands", () => {
    expect<Schema.Schema.Type<typeof Command.Command>>().type.toBe<Command.Command>()
    expect<Schema.Schema.Type<typeof Command.Nonce>>().type.toBe<Command.Nonce>()
  })
})
