/** `effect-txc openapi`: writes the OpenAPI document of the exchange's protocol. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as OpenApi from "../OpenApi.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as DocumentFile from "./DocumentFile.ts"

export const openapi = Command.make(
  "openapi",
  {
    dialect: Flag.Literals("dialect", ["document", "live"]).pipe(
      Flag.withDescription("The dialect: that of the document, or that of the live exchange"),
      Flag.withDefault("document")
    ),
    file: DocumentFile.flag
  },
  ({ dialect, file }) => DocumentFile.write(OpenApi.text(Dialect.byName[dialect]), file)
).pipe(
  Command.withDescription("Write the exchange's protocol as an OpenAPI 3.1 document, for tools and other languages"),
  Command.withShortDescription("Write the protocol as an OpenAPI document"),
  Command.withExamples([
    { command: "effect-txc openapi --dialect live --file openapi.json", description: "The live exchange's protocol" }
  ])
)
