/** `effect-txc call`: makes one call and prints its response. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Credentials from "../client/Credentials.ts"
import * as Settings from "../client/Settings.ts"
import { all } from "../endpoints/all.ts"
import type * as Endpoint from "../protocol/Endpoint.ts"
import * as Json from "../protocol/Json.ts"
import * as Answer from "./Answer.ts"
import * as CallList from "./CallList.ts"
import * as Confirmation from "./Confirmation.ts"
import * as CredentialFlags from "./CredentialFlags.ts"
import * as EndpointCall from "./EndpointCall.ts"
import * as MarketSuggestion from "./MarketSuggestion.ts"
import { ExtraHelp } from "./Presenter.ts"
import { Refused } from "./Refused.ts"
import * as Suggestion from "./Suggestion.ts"

type Fields = Readonly<Record<string, unknown>>

/** Parses the request argument. Refuses unknown fields, because the codec would silently drop them. */
const read = (endpoint: Endpoint.Any, text: string): Result.Result<Fields, Refused> => {
  const remedy = `Write it as in: ${CallList.example(endpoint)}`
  const json = Json.parse(text)
  if (Result.isFailure(json)) {
    const { message } = json.failure as Error
    return Result.fail(new Refused({ wrong: `The argument <request> is not JSON: ${message}`, remedy }))
  }
  const fields = json.success
  if (!Json.isObject(fields)) {
    return Result.fail(new Refused({ wrong: "The argument <request> is JSON, but not an object", remedy }))
  }
  const known = CallList.fieldsOf(endpoint)
  const unknown = Object.keys(fields).find((field) => !known.includes(field))
  if (unknown === undefined) return Result.succeed(fields)
  const has = known.length === 0 ? "The call has no fields" : `Its fields are ${known.join(", ")}`
  const wrong = `${endpoint.name} has no field ${unknown}${Suggestion.question(unknown, known)}`
  return Result.fail(new Refused({ wrong, remedy: `${has}. ${remedy}` }))
}

/**
 * Whether the market may be the reason for a refusal: the error names the field `market`, or the call is public,
 * because errors of public calls name no fields.
 */
const isAboutMarket = (error: { readonly _tag: string; readonly fields?: object }): boolean =>
  error._tag === "PublicRequestRejected" || error.fields !== undefined && Object.hasOwn(error.fields, "market")

const make = (endpoint: Endpoint.Any, fields: object, secretFile: Option.Option<string>) =>
  endpoint.access === "public"
    ? EndpointCall.callPublic(endpoint, fields)
    : EndpointCall.callPrivate(endpoint, fields).pipe(
      Effect.provide(Layer.effect(Credentials.Credentials, CredentialFlags.read(secretFile)))
    )

export const call = Command.make(
  "call",
  {
    name: Argument.Literals("call", CallList.names).pipe(Argument.withDescription("The call to make")),
    request: Argument.String("request").pipe(
      Argument.withDescription("The request's fields as JSON, with this library's field names"),
      Argument.withDefault("{}")
    ),
    yes: Flag.Boolean("yes").pipe(
      Flag.withAlias("y"),
      Flag.withDescription("Send a mutating call over https without confirmation"),
      Flag.withDefault(false)
    ),
    secretFile: CredentialFlags.secretFile
  },
  Effect.fn(function*({ name, request, secretFile, yes }) {
    const endpoint = all.find((endpoint) => endpoint.name === name)
    if (endpoint === undefined) return
    const fields = yield* Effect.fromResult(read(endpoint, request))
    yield* Effect.gen(function*() {
      yield* Confirmation.ask(endpoint, fields, yes)
      const answer = yield* make(endpoint, fields, secretFile).pipe(
        Effect.catchIf(isAboutMarket, (error) => MarketSuggestion.failWith(error, fields["market"]))
      )
      yield* Console.log(Answer.toJson(answer, 2))
    }).pipe(Effect.provide(Settings.layerRegion))
  })
).pipe(
  Command.withDescription(
    "Make one call and print its response. Set TXC_REGION, or TXC_BASE_URL with TXC_DIALECT, and TXC_API_KEY with " +
      "TXC_API_SECRET or --secret-file. A mutating call over https asks for confirmation; reads and calls " +
      "to a sandbox do not"
  ),
  Command.withShortDescription("Make one call to a sandbox or the live exchange, and print its response"),
  Command.annotate(ExtraHelp, CallList.list),
  Command.withExamples([
    { command: "effect-txc call ServerStatus.ping", description: "A public call" },
    { command: `effect-txc call SubAccounts.page '{"limit":5}'`, description: "The first five sub-accounts" }
  ])
)
