import type * as Schema from "effect/Schema"
import { describe, expect, it } from "tstyche"
import type * as Command from "../../src/sandbox/engine/Command.ts"
import type * as Operation from "../../src/sandbox/engine/Operation.ts"

describe("the documented command interfaces match the journal's schemas", () => {
  it("an operation has the same type as its schema in the journal", () => {
    expect<Schema.Schema.Type<typeof Operation.Operation>>().type.toBe<Operation.Operation>()
  })

  it("a nonce has the same type as its schema in the journal", () => {
    expect<Schema.Schema.Type<typeof Command.Nonce>>().type.toBe<Command.Nonce>()
  })
})

describe("commands of owner actions", () => {
  it("an owner action's command has the method's options, and the method's capitalized name as its tag", () => {
    expect<Extract<Command.Action, { readonly _tag: "CreateCode" }>>().type.toBe<
      Command.CreateCodeOptions & { readonly _tag: "CreateCode" }
    >()
  })
})
