/** `effect-txc sign`: builds and signs a request, and prints it instead of sending it. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Credentials from "../client/Credentials.ts"
import * as Region from "../client/Region.ts"
import * as Settings from "../client/Settings.ts"
import * as Signer from "../client/Signer.ts"
import * as Curl from "../protocol/Curl.ts"
import * as Json from "../protocol/Json.ts"
import * as Signature from "../protocol/Signature.ts"
import * as CredentialFlags from "./CredentialFlags.ts"

/**
 * Returns the URL of the request as a shell word. The path comes from the request's body. If the base URL is not
 * configured, the shell reads it from `TXC_BASE_URL`.
 */
const urlOf = Effect.fnUntraced(function*(body: string) {
  const region = yield* Effect.option(Effect.provide(Region.Region, Settings.layerRegion))
  const fields = Option.getOrUndefined(Result.getSuccess(Json.parse(body)))
  const path = Json.isObject(fields) && typeof fields["request"] === "string" ? fields["request"] : ""
  return Option.match(region, {
    onNone: () => `"$TXC_BASE_URL"${Curl.word(path)}`,
    onSome: ({ baseUrl }) => Curl.word(baseUrl + path)
  })
})

export const sign = Command.make(
  "sign",
  {
    body: Argument.String("body").pipe(
      Argument.withDescription("The exact body to send, including request and nonce")
    ),
    secretFile: CredentialFlags.secretFile
  },
  Effect.fn(function*({ body, secretFile }) {
    const credentials = yield* CredentialFlags.read(secretFile)
    const payload = Signature.payloadOf(new TextEncoder().encode(body))
    const signature = yield* Effect.flatMap(Signer.Signer, ({ sign }) => sign(payload)).pipe(
      Effect.provide(Signer.layerNode.pipe(Layer.provide(Layer.succeed(Credentials.Credentials, credentials))))
    )
    const headers = [
      "Content-type: application/json",
      `X-TXC-APIKEY: ${Redacted.value(credentials.apiKey)}`,
      `X-TXC-PAYLOAD: ${payload}`,
      `X-TXC-SIGNATURE: ${signature}`
    ]
    yield* Console.log(headers.join("\n"))
    // Prints to standard error, because programs read the headers from standard output.
    yield* Console.error(Curl.send({ url: yield* urlOf(body), headers: headers.map(Curl.word), body: Curl.word(body) }))
  })
).pipe(
  Command.withDescription(
    "Print the headers of a request with this body, and on standard error the curl command that sends it. Set " +
      "TXC_API_KEY. Every body needs a new nonce, and is accepted once"
  ),
  Command.withShortDescription("Print the headers and the curl command for a signed request, without sending it"),
  Command.withExamples([
    {
      command: `effect-txc sign '{"request":"/api/v4/main-account/balance","nonce":"1700000000000"}'`,
      description: "With the secret from TXC_API_SECRET"
    }
  ])
)
