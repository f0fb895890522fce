/**
 * `effect-txc sign`: builds and signs a request, and prints it instead of sending it.
 *
 * @since 0.1.0
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Credentials from "../client/Credentials.ts"
import * as Signer from "../client/Signer.ts"
import * as Signature from "../protocol/Signature.ts"
import * as FromOutside from "./Credentials.ts"

/** @category commands */
export const sign = Command.make(
  "sign",
  {
    body: Argument.String("body").pipe(
      Argument.withDescription("The exact body that will be sent, with request and nonce in it")
    ),
    secretFile: FromOutside.secretFile
  },
  Effect.fn(function*({ body, secretFile }) {
    const credentials = yield* FromOutside.read(secretFile)
    const payload = Signature.payloadOf(new TextEncoder().encode(body))
    const signature = yield* Effect.flatMap(Signer.Signer, ({ sign }) => sign(payload)).pipe(
      Effect.provide(Signer.layerNode.pipe(Layer.provide(Layer.succeed(Credentials.Credentials, credentials))))
    )
    yield* Console.log(
      [
        "Content-type: application/json",
        `X-TXC-APIKEY: ${Redacted.value(credentials.apiKey)}`,
        `X-TXC-PAYLOAD: ${payload}`,
        `X-TXC-SIGNATURE: ${signature}`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Print the headers that a request with this body needs. Set TXC_API_KEY"),
  Command.withExamples([
    {
      command: `effect-txc sign '{"request":"/api/v4/main-account/balance","nonce":"1700000000000"}'`,
      description: "With the secret from TXC_API_SECRET"
    }
  ])
)
