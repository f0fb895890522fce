/** `effect-txc watch`: shows a channel of the exchange's WebSocket until it is stopped. */
import * as Command from "effect/cli/Command"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as Channels from "../channels/all.ts"
import * as contract from "../channels/contract.ts"
import * as Credentials from "../client/Credentials.ts"
import * as Region from "../client/Region.ts"
import type * as Dialer from "../client/session/Dialer.ts"
import type * as Item from "../client/session/Item.ts"
import * as Settings from "../client/Settings.ts"
import * as ServerStatus from "../endpoints/ServerStatus.ts"
import * as WebSocketToken from "../endpoints/WebSocketToken.ts"
import * as Target from "../oracle/Target.ts"
import * as Streams from "../Streams.ts"
import * as Answer from "./Answer.ts"
import * as CredentialFlags from "./CredentialFlags.ts"
import * as EndpointCall from "./EndpointCall.ts"
import * as Flags from "./Flags.ts"
import * as Interruption from "./Interruption.ts"
import * as MarketSuggestion from "./MarketSuggestion.ts"
import { Refused } from "./Refused.ts"
import * as SchemaFlags from "./SchemaFlags.ts"
import * as Display from "./watch/Display.ts"
import type * as View from "./watch/View.ts"
import { views } from "./watch/Views.ts"

const parent = Command.make("watch").pipe(
  Command.withSharedFlags({
    json: Flags.toggle("json", "Even on a terminal, print a line of JSON for each item of the stream"),
    secretFile: CredentialFlags.secretFile
  })
)

/** Returns the URL of the configured exchange's WebSocket. Refuses a dialect without a WebSocket. */
const dialerOptions = ({ baseUrl, dialect }: Region.Region["Service"]): Effect.Effect<Dialer.Options, Refused> => {
  if (dialect.policy.streamToken === undefined) {
    return new Refused({
      wrong: "Only the live dialect has a WebSocket",
      remedy: "Start the sandbox with --dialect live, and set TXC_DIALECT=live"
    })
  }
  return Effect.succeed({ url: Target.streamsUrl(baseUrl) })
}

type Items = Stream.Stream<Item.Item<unknown, unknown>, { readonly _tag: string; readonly message: string }>

/**
 * Returns the stream of a channel. The channel's name is known only at run time, so the types of its items are lost.
 */
export const itemsOf = (services: Context.Context<never>, name: Channels.Name, topic: View.Topic): Items => {
  const modules: Readonly<Record<string, Readonly<Record<string, unknown>>>> = contract
  // The casts are safe, because every module exports a service with the module's name. A test subscribes to each
  // channel.
  const key = modules[name]?.[name] as Context.Key<never, { readonly stream: Items | ((topic: View.Topic) => Items) }>
  const { stream } = Context.get(services, key)
  return Stream.isStream(stream) ? stream : stream(topic)
}

/** Subscribes to a channel of the configured exchange. */
const subscribe = Effect.fnUntraced(function*(
  { channel, name }: Channels.Entry,
  topic: View.Topic,
  secretFile: Parameters<typeof CredentialFlags.read>[0]
) {
  const options = yield* dialerOptions(yield* Region.Region)
  const signed = WebSocketToken.WebSocketToken.layer.pipe(
    Layer.provide(EndpointCall.layerPrivate),
    Layer.provide(Layer.effect(Credentials.Credentials, CredentialFlags.read(secretFile)))
  )
  // Pings the exchange first, so that the user sees an error if it can't be reached. A stream would silently retry.
  yield* EndpointCall.callPublic(ServerStatus.endpoint, {})
  const constructor = Socket.layerWebSocketConstructorGlobal
  const services: Context.Context<never> = channel.access === "public"
    ? yield* Layer.build(Layer.provide(Streams.layerPublic(options), constructor))
    : yield* Layer.build(Layer.provide(Streams.layer(options), [constructor, signed]))
  return itemsOf(services, name, topic)
})

/** Prints a line of JSON for each item. */
const printItems = (items: Items) => Stream.runForEach(items, (item) => Console.log(Answer.toJson(item)))

/** Draws a table of the items in place. */
const drawItems = Effect.fnUntraced(
  function*(items: Items, view: View.View<never, never>, topic: View.Topic, title: string) {
    const table = view.begin(topic)
    let health = Display.begun
    const apply = (item: Item.Item<unknown, unknown>) =>
      Effect.map(DateTime.now, (now) => {
        health = Display.after(health, item, now)
        // The cast is safe, because the view belongs to the channel of this stream.
        if (item._tag !== "Interrupted") table.apply(item as never)
      })
    yield* Effect.raceFirst(
      Stream.runForEach(items, apply),
      Display.draw((screen, height) => Display.frame(title, health, table.rows(), screen, height))
    )
  }
)

/**
 * Returns the fields of a channel's topic, for use as arguments and flags. A field with a default value is optional.
 */
const fieldsOf = (
  { channel }: Channels.Entry,
  { defaults = {}, isOfOneMarket }: View.View<never, never>
): ReadonlyArray<SchemaFlags.Field> =>
  SchemaFlags.fieldsOf(channel.topic).map((field) => {
    const key = field.path.join(".")
    const value = defaults[key]
    const isRequired = isOfOneMarket === true && key === "market" ? true : field.isRequired && value === undefined
    const description = value === undefined
      ? isRequired ? `such as ${channel.example[key]}` : `such as ${channel.example[key]}; all by default`
      : `${Answer.cell(value)} by default`
    return { ...field, isRequired, description: field.choices.length > 0 && value === undefined ? "" : description }
  })

/** Formats a topic's fields for human readers: `BTC_USDT` and `limit 10`. */
const described = (fields: ReadonlyArray<SchemaFlags.Field>, topic: View.Topic): ReadonlyArray<string> =>
  fields.flatMap(({ name, path }) => {
    const value = topic[path.join(".")]
    return value === undefined
      ? []
      : [name === "market" || name === "ticker" ? Answer.cell(value) : `${name} ${Answer.cell(value)}`]
  })

const toCommand = (entry: Channels.Entry) => {
  const view: View.View<never, never> = views[entry.name]
  const fields = fieldsOf(entry, view)
  return Command.make(
    view.command,
    SchemaFlags.paramsOf(fields),
    Effect.fnUntraced(function*(typed) {
      const { json, secretFile } = yield* parent
      const topic = { ...view.defaults, ...SchemaFlags.valueOf(fields, typed) }
      yield* Interruption.endWith(0)
      const { canAnimate } = yield* TerminalCapabilities.TerminalCapabilities
      yield* Effect.gen(function*() {
        const { baseUrl } = yield* Region.Region
        const items = yield* subscribe(entry, topic, secretFile)
        const shown = canAnimate && !json
          ? drawItems(items, view, topic, `${[view.command, ...described(fields, topic)].join(", ")} on ${baseUrl}`)
          : printItems(items)
        yield* Effect.catch(
          shown,
          (error) =>
            error._tag === "StreamRefused" ? MarketSuggestion.failWith(error, topic["market"]) : Effect.fail(error)
        )
      }).pipe(Effect.scoped, Effect.provide(Settings.layerRegion))
    })
  ).pipe(
    Command.withDescription(`${view.summary}, from the channel ${entry.channel.wire}`),
    Command.withShortDescription(view.summary)
  )
}

const commandsOf = (access: "public" | "private") =>
  Channels.entries.filter(({ channel }) => channel.access === access).map(toCommand)

export const watch = parent.pipe(
  Command.withDescription(
    "Watch a channel until Ctrl-C. On a terminal the command draws a table in place, and says when the stream was interrupted and " +
      "resumed; otherwise, or with --json, it prints a line of JSON for each event, state and interruption. Settings are those of " +
      "effect-txc call. Public channels need no key. Only the live dialect has channels"
  ),
  Command.withShortDescription("Watch prices, books, orders or balances until Ctrl-C"),
  Command.withExamples([
    { command: "effect-txc watch book BTC_USDT", description: "The order book, ten levels on each side" },
    { command: "effect-txc watch orders BTC_USDT", description: "Your open orders" },
    { command: "effect-txc watch trades BTC_USDT --json > trades.ndjson", description: "For a program" }
  ]),
  Command.withSubcommands([
    { group: "PUBLIC", commands: commandsOf("public") as never },
    { group: "PRIVATE", commands: commandsOf("private") as never }
  ])
)
