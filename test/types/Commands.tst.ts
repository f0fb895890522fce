import type * as Schema from "effect/Schema"
import { describe, expect, it } from "tstyche"
import type * as Command from "../../src/sandbox/engine/Command.ts"
import type * as Operation from "../../src/sandbox/engine/Operation.ts"

describe("what the interfaces document is what the journal's schemas accept", () => {
  it("operations have the same type as their schema in the journal", () => {
    expect<Schema.Schema.Type<typeof Operation.Operation>>().type.toBe<Operation.Operation>()
  })

  it("nonces have the same type as their schema in the journal", () => {
    expect<Schema.Schema.Type<typeof Command.Nonce>>().type.toBe<Command.Nonce>()
  })
})

describe("the command of an owner action", () => {
  it("the command of an owner action has the method's options, and its name with a capital letter", () => {
    expect<Extract<Command.Action, { readonly _tag: "CreateCode" }>>().type.toBe<
      Command.CreateCodeOptions & { readonly _tag: "CreateCode" }
    >()
  })
})
