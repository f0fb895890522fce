/** `effect-txc asyncapi`: writes the AsyncAPI document of the exchange's WebSocket. */
import * as Command from "effect/cli/Command"
import * as AsyncApi from "../AsyncApi.ts"
import * as DocumentFile from "./DocumentFile.ts"

export const asyncapi = Command.make(
  "asyncapi",
  { file: DocumentFile.flag },
  ({ file }) => DocumentFile.write(AsyncApi.text(), file)
).pipe(
  Command.withDescription(
    "Write the live exchange's WebSocket as an AsyncAPI 3.0 document, for tools and other languages"
  ),
  Command.withShortDescription("Write the WebSocket as an AsyncAPI document"),
  Command.withExamples([
    { command: "effect-txc asyncapi --file asyncapi.json", description: "The live exchange's WebSocket" }
  ])
)
