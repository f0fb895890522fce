/** `effect-txc openapi`: writes the OpenAPI document of the exchange's protocol. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as OpenApi from "../OpenApi.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as Flags from "./Flags.ts"

export const openapi = Command.make(
  "openapi",
  {
    dialect: Flag.Literals("dialect", ["document", "live"]).pipe(
      Flag.withDescription("The dialect: that of the document, or that of the live exchange"),
      Flag.withDefault("document")
    ),
    file: Flags.optional(Flag.File("file"), "The file to write; standard output by default")
  },
  Effect.fn(function*({ dialect, file }) {
    const text = OpenApi.text(Dialect.byName[dialect])
    if (Option.isNone(file)) return yield* Console.log(text.trimEnd())
    const files = yield* FileSystem.FileSystem
    yield* files.writeFileString(file.value, text)
  })
).pipe(
  Command.withDescription("Write the exchange's protocol as an OpenAPI 3.1 document, for tools and other languages"),
  Command.withShortDescription("Write the protocol as an OpenAPI document"),
  Command.withExamples([
    { command: "effect-txc openapi --dialect live --file openapi.json", description: "The live exchange's protocol" }
  ])
)
