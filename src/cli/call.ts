/**
 * `effect-txc call`: makes one call and prints its answer.
 *
 * @since 0.1.0
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Credentials from "../client/Credentials.ts"
import * as Region from "../client/Region.ts"
import { all } from "../endpoints/all.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as AnyCall from "./AnyCall.ts"
import * as FromOutside from "./Credentials.ts"

const names = all.map(({ name }) => name)

/** Shows the entries of a `Map`, and the secret of a key that was just created: the exchange never shows it again. */
const reveal = (value: unknown): unknown =>
  Redacted.isRedacted(value)
    ? Redacted.value(value)
    : value instanceof Map
    ? reveal(Object.fromEntries(value))
    : Array.isArray(value)
    ? value.map(reveal)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, reveal(inner)]))
    : value

const toJson = (answer: unknown): string => JSON.stringify(reveal(answer), undefined, 2) ?? "done"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Fields that the call does not have. No compiler has checked this request, and the call would be sent without them. */
class UnknownFields extends Schema.TaggedError<UnknownFields>()("UnknownFields", {
  call: Schema.String,
  unknown: Schema.Array(Schema.String),
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const has = this.known.length === 0 ? "no fields" : this.known.join(", ")
    return `${this.call} has no ${this.unknown.join(", ")}; it has ${has}`
  }
}

/** @category commands */
export const call = Command.make(
  "call",
  {
    name: Argument.Literals("call", names).pipe(Argument.withDescription("Which call to make")),
    request: Argument.String("request").pipe(
      Argument.withDescription("The request's fields as JSON, by the names of this library"),
      Argument.withDefault("{}")
    ),
    secretFile: FromOutside.secretFile
  },
  Effect.fn(function*({ name, request, secretFile }) {
    const fields = yield* decode(request)
    const endpoint = all.find((endpoint) => endpoint.name === name)
    if (endpoint === undefined) return
    const known = Object.keys(Endpoint.codec(endpoint, Dialect.document).shape.fields)
    const unknown = Object.keys(fields).filter((field) => !known.includes(field))
    if (unknown.length > 0) return yield* new UnknownFields({ call: name, unknown, known })
    const credentials = Layer.effect(Credentials.Credentials, FromOutside.read(secretFile))
    const answer = endpoint.access === "public"
      ? yield* Effect.provide(AnyCall.callPublic(endpoint, fields), Region.layerConfig)
      : yield* Effect.provide(AnyCall.callPrivate(endpoint, fields), Layer.merge(Region.layerConfig, credentials))
    yield* Console.log(toJson(answer))
  })
).pipe(
  Command.withDescription(
    "Make one call and print its answer. Set TXC_REGION, or TXC_BASE_URL with TXC_DIALECT; and TXC_API_KEY"
  ),
  Command.withExamples([
    { command: "effect-txc call ServerStatus.ping", description: "A public call" },
    { command: `effect-txc call SubAccounts.page '{"limit":5}'`, description: "The first five sub-accounts" }
  ])
)
