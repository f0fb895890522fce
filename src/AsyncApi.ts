/**
 * Generates an AsyncAPI 3.0 document of the live exchange's WebSocket from the contract, for API tools and for clients
 * in other languages.
 *
 * @example
 * ```ts
 * import { AsyncApi } from "effect-txc"
 *
 * // `effect-txc asyncapi` prints the same document.
 * export const text = AsyncApi.text()
 * ```
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Contract from "./channels/all.ts"
import type * as Channel from "./protocol/Channel.ts"
import * as Frame from "./protocol/Frame.ts"
import * as Json from "./protocol/Json.ts"
import * as JsonSchema from "./protocol/JsonSchema.ts"

/** A part of the AsyncAPI document, as JSON. */
interface Part {
  readonly [key: string]: unknown
}

/**
 * An AsyncAPI document that describes the exchange's WebSocket.
 *
 * @category models
 */
export interface Document {
  /** The AsyncAPI version. */
  readonly asyncapi: "3.0.0"
  /** The document's title and version, and an introduction to the protocol. */
  readonly info: Part
  /** The content type of all messages. */
  readonly defaultContentType: string
  /** Every channel's messages, keyed by service name, and the messages of the connection itself. */
  readonly channels: Readonly<Record<string, Part>>
  /** The operations from the exchange's point of view: it receives requests, replies to them, and pushes messages. */
  readonly operations: Readonly<Record<string, Part>>
  /** Parts shared by messages and operations. */
  readonly components: { readonly [K in "schemas" | "messages" | "correlationIds" | "securitySchemes"]: Part }
}

// -----------------------------------------------------------------------------
// Schemas
// -----------------------------------------------------------------------------

/** Rewrites a JSON Schema for AsyncAPI, which uses draft 7. That draft has different keywords for tuples. */
const toDraft7 = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(toDraft7)
  if (!Json.isObject(schema)) return schema
  const { items, prefixItems, ...others } = schema
  const rest = Object.fromEntries(Object.entries(others).map(([keyword, value]) => [keyword, toDraft7(value)]))
  if (prefixItems === undefined) return items === undefined ? rest : { ...rest, items: toDraft7(items) }
  return { ...rest, items: toDraft7(prefixItems), ...(items === undefined ? {} : { additionalItems: toDraft7(items) }) }
}

const object = (properties: Part, required: ReadonlyArray<string> = Object.keys(properties)): Part => ({
  type: "object",
  properties,
  required
})

const id = { type: "integer", minimum: 0, description: "Chosen by the client, and repeated in the response." }

const nothing = { type: "null" }

const answer = (result: unknown): Part => object({ id, result, error: nothing }, ["id", "result"])

// -----------------------------------------------------------------------------
// Messages
// -----------------------------------------------------------------------------

const correlationId = { $ref: "#/components/correlationIds/id" }

/** The `id` of every example request. */
const exampleId = 1

interface Asked {
  readonly method: string
  readonly params: unknown
  readonly example: unknown
  readonly title: string
}

const request = ({ example, method, params, title }: Asked): Part => ({
  name: method,
  title,
  correlationId,
  payload: object({ id, method: { const: method }, params }),
  examples: [{ name: "example", payload: { id: exampleId, method, params: example } }]
})

const replied = (method: string, title: string, result: unknown): Part => ({
  name: `${method}_answer`,
  title,
  correlationId,
  payload: answer(result)
})

const successful = answer(object({ status: { const: Frame.success.status } }))

const codes = Object.entries(Frame.codes).map(([reason, code]) => `- \`${code}\`: ${reason}`).join("\n")

const messages = {
  Succeeded: {
    name: "succeeded",
    title: "A request without a result has succeeded",
    correlationId,
    payload: successful
  },
  Refused: {
    name: "refused",
    title: "A request was refused",
    description: `The codes differ from the HTTP API's codes:\n\n${codes}\n\nOther codes are possible.`,
    correlationId,
    payload: object({
      id,
      result: nothing,
      error: object({ code: { type: "integer" }, message: { type: "string" } })
    }, ["id", "error"])
  }
}

const shared = (name: keyof typeof messages): Part => ({ $ref: `#/components/messages/${name}` })

// -----------------------------------------------------------------------------
// Channels
// -----------------------------------------------------------------------------

/** A channel in the document, with its operations. */
interface Described {
  readonly channel: Part
  readonly operations: Readonly<Record<string, Part>>
}

const at = (channel: string, message: string): Part => ({ $ref: `#/channels/${channel}/messages/${message}` })

const authorized = { security: [{ $ref: "#/components/securitySchemes/token" }] }

/** An operation in which a client sends a request and the exchange replies. */
const requestOperation = (channel: string, message: string, reply: string, more: Part = {}): Part => ({
  action: "receive",
  channel: { $ref: `#/channels/${channel}` },
  messages: [at(channel, message)],
  reply: { channel: { $ref: `#/channels/${channel}` }, messages: [at(channel, reply), at(channel, "Refused")] },
  ...more
})

const sharings: Readonly<Record<Channel.Sharing, string>> = {
  set: "A subscription replaces the channel's earlier subscription on its connection.",
  added: "A subscription whose last parameter is `true` is added to the earlier ones; otherwise it replaces them.",
  single: "A connection has at most one subscription to the channel; a new subscription replaces it."
}

const firsts: Readonly<Record<Channel.Any["first"], string>> = {
  snapshot: "The first message contains the current state.",
  value: "The first message contains the current value.",
  nothing: "The first message is pushed after the next change."
}

const cadence = ({ everyMillis, repeatsAfterMillis, when }: Channel.Pushes): string =>
  [
    when === "always"
      ? `Pushed every ${everyMillis} ms.`
      : everyMillis === 0
      ? "Pushed immediately."
      : `Pushed after a change, at most once every ${everyMillis} ms.`,
    ...(repeatsAfterMillis === undefined
      ? []
      : [`The complete state is repeated after ${repeatsAfterMillis} ms without a change.`])
  ].join(" ")

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const describe = (channel: Channel.Any, wire: (schema: Schema.Constraint) => unknown): Described => {
  const { example, first, leave, name, pushed, pushes, queries, sharing, subscribe, topics, unsubscribe, update } =
    channel
  const codec = channel["~codec"]
  const security = channel.access === "private" ? authorized : {}
  const queried = Object.entries(queries).map(([method, query]) => ({ query, called: capitalized(method) }))
  const described = {
    Subscribe: request({
      method: subscribe,
      params: wire(topics),
      example: Result.getOrThrow(codec.encodeTopics([example])),
      title: "Subscribes"
    }),
    Unsubscribe: request({
      method: unsubscribe,
      params: { type: "array" },
      example: leave(example),
      title: "Unsubscribes from the given topic, or from all topics if there are no parameters"
    }),
    Update: {
      name: pushed,
      title: "A message for subscribers",
      payload: object({ id: nothing, method: { const: pushed }, params: wire(update) }, ["method", "params"])
    },
    Succeeded: shared("Succeeded"),
    Refused: shared("Refused"),
    ...Object.fromEntries(queried.flatMap(({ called, query: { example, method, params, result, ...query } }) => [
      [
        called,
        request({
          method,
          params: wire(params),
          example: Result.getOrThrow(query["~codec"].encodeParams(example)),
          title: "Reads once"
        })
      ],
      [`${called}Answer`, replied(method, "The response", wire(result))]
    ]))
  }
  return {
    channel: {
      address: "/ws",
      title: name,
      description: [
        channel.access === "private" ? "Needs an authorized connection." : "Public.",
        sharings[sharing],
        firsts[first],
        cadence(pushes)
      ].join(" "),
      messages: described
    },
    operations: {
      [`${name}Subscribe`]: requestOperation(name, "Subscribe", "Succeeded", security),
      [`${name}Unsubscribe`]: requestOperation(name, "Unsubscribe", "Succeeded", security),
      [`${name}Push`]: {
        action: "send",
        channel: { $ref: `#/channels/${name}` },
        messages: [at(name, "Update")],
        ...security
      },
      ...Object.fromEntries(
        queried.map(({ called }) => [`${name}${called}`, requestOperation(name, called, `${called}Answer`, security)])
      )
    }
  }
}

/** The requests that do not belong to a channel. */
const connection = (): Described => {
  const { authorize, ping, time } = Frame.methods
  const noParams = { type: "array", maxItems: 0 }
  return {
    channel: {
      address: "/ws",
      title: "Connection",
      description: "The requests that do not belong to a channel.",
      messages: {
        Ping: request({ method: ping, params: noParams, example: [], title: "Keeps the connection alive" }),
        PingAnswer: replied(ping, "The connection is alive", { const: "pong" }),
        Time: request({ method: time, params: noParams, example: [], title: "Reads the exchange's time" }),
        TimeAnswer: replied(time, "The exchange's time", { type: "integer", description: "Unix seconds." }),
        Authorize: request({
          method: authorize,
          params: {
            type: "array",
            items: [{ type: "string", description: "The token." }, { type: "string" }],
            minItems: 2,
            maxItems: 2
          },
          example: ["token", "public"],
          title: "Gives the connection access to an account's private channels"
        }),
        Succeeded: shared("Succeeded"),
        Refused: shared("Refused")
      }
    },
    operations: {
      ping: requestOperation("Connection", "Ping", "PingAnswer"),
      time: requestOperation("Connection", "Time", "TimeAnswer"),
      authorize: requestOperation("Connection", "Authorize", "Succeeded")
    }
  }
}

// -----------------------------------------------------------------------------
// The document
// -----------------------------------------------------------------------------

const introduction = `
Every message is a JSON object in a text frame. A client sends requests with an \`id\` of its choice. The exchange
responds to each request with the same \`id\` and either a result or an error. The exchange pushes messages without an \`id\` to
subscribers; the response to a subscription comes before its first message.

The exchange closes a connection if the client sends nothing for 60 seconds, or sends text that is not JSON. For
private channels, request a token with \`POST /api/v4/profile/websocket_token\`, and send \`authorize\` first.

Amounts and prices are decimal strings. Identifiers are integers of any length: a JSON parser that reads them as
doubles loses digits above 2^53.
`.trim()

/**
 * Creates the AsyncAPI document of the live exchange's WebSocket: every channel of the contract, with its messages and
 * queries. The document is not specific to a venue: it contains no address, account or market. It does not include the
 * methods that place orders.
 *
 * @category constructors
 */
export const make = (): Document => {
  const schemas = JsonSchema.writer("#/components/schemas/")
  const wire = (schema: Schema.Constraint) => toDraft7(schemas.wire(schema))
  const described = Contract.entries.map(({ channel, name }) => [name, describe(channel, wire)] as const)
  const all = [["Connection", connection()] as const, ...described]
  return {
    asyncapi: "3.0.0",
    info: { title: "WebSocket of the live exchange", version: "4", description: introduction },
    defaultContentType: "application/json",
    channels: Object.fromEntries(all.map(([name, { channel }]) => [name, channel])),
    operations: Object.assign({}, ...all.map(([, { operations }]) => operations)),
    components: {
      schemas: toDraft7(schemas.definitions) as Part,
      messages,
      correlationIds: { id: { location: "$message.payload#/id", description: "The request's id." } },
      securitySchemes: {
        token: {
          type: "apiKey",
          in: "password",
          description: "The token from `POST /api/v4/profile/websocket_token`, sent with `authorize`."
        }
      }
    }
  }
}

/**
 * The document from {@link make}, as indented JSON.
 *
 * @category constructors
 */
export const text = (): string => `${JSON.stringify(make(), undefined, 2)}\n`
