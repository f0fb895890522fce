/**
 * The control of a sandbox over HTTP: what can be asked, and what is answered. `Control` says what each does.
 *
 * @since 0.1.0
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Command from "../engine/Command.ts"
import * as Faults from "../gateway/Faults.ts"
import { RequestRecord } from "../gateway/Requests.ts"
import { JournalError } from "../store/Journal.ts"
import * as Control from "./Control.ts"
import * as Feed from "./Feed.ts"

/** Where the control plane begins. No path of the exchange does. */
export const prefix = "/control/v1/"

/**
 * The request does not have the form that the operation asks for.
 *
 * @category errors
 * @since 0.1.0
 */
export class Malformed extends Schema.TaggedError<Malformed>()("Malformed", { message: Schema.String }, {
  httpApiStatus: 400
}) {}

/**
 * Says what is wrong with a request that can't be read.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Explained extends HttpApiMiddleware.Service<Explained>()("effect-txc/sandbox/ControlApi/Explained", {
  error: Malformed
}) {}

const Unavailable = JournalError.annotate({ httpApiStatus: 503 })

/** What a change can fail with. */
const error = [Control.ControlRefused, Unavailable] as const

const key = Schema.optionalKey

const Nothing = Schema.Record(Schema.String, Schema.Never)

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Sequence = Schema.Struct({ sequence: Count })

const Account = Schema.Struct({ account: Schema.String })

const described = (description: string) => OpenApi.annotations({ description })

/**
 * Where a new venue serves. Its control token is that of the venue it comes from.
 *
 * @category models
 * @since 0.1.0
 */
export const Forked = Schema.Struct({ url: Schema.String, controlUrl: Schema.String })
/** @category models */
export type Forked = typeof Forked.Type

/**
 * A server-sent event: its `id` is the place in the feed, its `event` what happened.
 *
 * @category models
 * @since 0.1.0
 */
export const FeedEvent = Schema.Struct({
  id: Schema.String,
  event: Schema.String,
  data: Schema.fromJsonString(Schema.toCodecJson(Feed.Entry))
})

/** Lines of JSON, one for each command. */
const Lines = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))

/** What an action asks for: its name is the path's. */
const fieldsOf = <Fields extends Schema.Struct.Fields & { readonly _tag: Schema.Constraint }>(
  action: Schema.Struct<Fields>
) => action.mapFields((fields) => Struct.omit(fields, ["_tag"]))

const post = <Name extends string, Path extends `/${string}`, Payload extends Schema.Top>(
  name: Name,
  path: Path,
  payload: Payload,
  description: string
) => HttpApiEndpoint.post(name, path, { payload, success: Nothing, error }).annotateMerge(described(description))

const group = HttpApiGroup.make("control", { topLevel: true }).add(
  post("openAccount", "/OpenAccount", fieldsOf(Command.OpenAccount), "Opens an account."),
  post(
    "openSubAccount",
    "/OpenSubAccount",
    fieldsOf(Command.OpenSubAccount),
    "Opens a sub-account, which is an account of its own too."
  ),
  post(
    "setSubAccount",
    "/SetSubAccount",
    fieldsOf(Command.SetSubAccount),
    "Says what a sub-account may trade. What is absent stays as it is."
  ),
  post("addKey", "/AddKey", fieldsOf(Command.AddKey), "Adds an API key with its secret."),
  post(
    "setKey",
    "/SetKey",
    fieldsOf(Command.SetKey),
    "Switches a key on or off, or restricts it to some paths; null lets it call all again."
  ),
  post("fund", "/Fund", fieldsOf(Command.Fund), "Credits a wallet from outside the exchange."),
  post(
    "createCode",
    "/CreateCode",
    fieldsOf(Command.IssueCode),
    "Takes an amount from an account's main wallet and puts it into a code that another can apply."
  ),
  post("openPlan", "/OpenPlan", fieldsOf(Command.OpenPlan), "Opens a fixed-term plan."),
  post(
    "invest",
    "/Invest",
    fieldsOf(Command.Invest),
    "Puts an amount into a plan. Interest is paid as time goes by, day by day."
  ),
  post(
    "payInterest",
    "/PayInterest",
    fieldsOf(Command.PayInterest),
    "Pays interest of a plan at once."
  ),
  post(
    "movePrice",
    "/MovePrice",
    fieldsOf(Command.MovePrice),
    "Moves the price of a market: whoever bids more or asks less trades, and orders that wait for it wake."
  ),
  post("stepPrice", "/StepPrice", fieldsOf(Command.StepPrice), "Moves the price by so much."),
  post(
    "playPrices",
    "/PlayPrices",
    fieldsOf(Command.PlayPrices),
    "Moves the price again and again, as the venue's time goes by."
  ),
  post(
    "openPosition",
    "/OpenPosition",
    fieldsOf(Command.OpenPosition),
    "Trades a position with the rest of the world, without an order: at the last price, or at this one."
  ),
  HttpApiEndpoint.get("accounts", "/Accounts", {
    success: Schema.Array(Control.AccountSummary),
    error: Unavailable
  }).annotateMerge(described("All accounts and their keys.")),
  HttpApiEndpoint.get("openOrders", "/OpenOrders", {
    query: Account,
    success: Schema.Array(Control.OpenOrder),
    error: Unavailable
  }).annotateMerge(described("The orders of an account that can still trade.")),
  HttpApiEndpoint.get("positions", "/Positions", {
    query: Account,
    success: Schema.Array(Control.OpenPosition),
    error: Unavailable
  }).annotateMerge(described("The open positions of an account.")),
  HttpApiEndpoint.get("balances", "/Balances", {
    query: Account,
    success: Schema.Array(Control.Balance),
    error: Unavailable
  }).annotateMerge(described("What an account has, in all wallets.")),
  HttpApiEndpoint.get("clock", "/Clock", { success: Control.ClockReading, error: Unavailable }).annotateMerge(
    described("The venue's clock, in Unix microseconds.")
  ),
  post("freezeClock", "/FreezeClock", Nothing, "Stops the clock where it is."),
  post("runClock", "/RunClock", Nothing, "Lets the clock run on from where it is."),
  post(
    "setClock",
    "/SetClock",
    Schema.Struct({ at: Count }),
    "Sets the clock to a later time, in Unix microseconds. Everything that comes due until then happens, in order. In a " +
      "venue in which nothing has happened yet, to any time, at which it then stands still."
  ),
  post(
    "advanceClock",
    "/AdvanceClock",
    Schema.Struct({ millis: Count }),
    "Sets the clock so many milliseconds on. Everything that comes due until then happens, in order."
  ),
  post(
    "skewClock",
    "/SkewClock",
    Schema.Struct({ millis: Schema.Int }),
    "Sets how far what callers are told, and their nonces are judged by, is ahead of the clock; below zero, behind it."
  ),
  HttpApiEndpoint.post("addFault", "/Faults", {
    payload: Faults.Fault,
    success: Schema.Struct({ id: Schema.Int })
  }).annotateMerge(described("Adds a fault, and gives its number.")),
  HttpApiEndpoint.get("faults", "/Faults", { success: Schema.Array(Faults.Armed) }).annotateMerge(
    described("The faults in force, how many calls each was for, and how often it was fired.")
  ),
  HttpApiEndpoint.delete("clearFaults", "/Faults", { success: Nothing }).annotateMerge(described("Ends all faults.")),
  HttpApiEndpoint.delete("removeFault", "/Faults/:id", {
    params: { id: Schema.NumberFromString.check(Schema.isInt()) },
    success: Nothing,
    error: Control.ControlRefused
  }).annotateMerge(described("Ends a fault.")),
  HttpApiEndpoint.post("limit", "/Limit", {
    payload: Schema.Struct({
      path: key(Schema.String),
      limit: key(Schema.Struct({ calls: Count, perSeconds: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)) }))
    }),
    success: Nothing
  }).annotateMerge(described(
    "Replaces the documented rate limit of a path, or of all; without a limit it is restored. Public paths are counted " +
      "together, as \"public\"."
  )),
  HttpApiEndpoint.get("requests", "/Requests", {
    query: Schema.Struct({ after: key(Schema.NumberFromString.check(Schema.isInt())) }),
    success: Schema.Array(RequestRecord)
  }).annotateMerge(described("The calls that were made on the exchange, and what came of each: those after a number.")),
  HttpApiEndpoint.get("events", "/Events", {
    query: Schema.Struct({ after: key(Schema.String) }),
    headers: Schema.Struct({ "last-event-id": key(Schema.String) }),
    success: HttpApiSchema.StreamSse({ events: FeedEvent, error: Feed.FeedGone }),
    error: Feed.FeedGone
  }).annotateMerge(described(
    "What happens, as server-sent events: after the place named by the header Last-Event-ID or by `after`, or from now " +
      "on. \"0\" is the beginning."
  )),
  HttpApiEndpoint.get("status", "/Status", { success: Control.Status, error: Unavailable }).annotateMerge(
    described("Where the venue stands: how many commands there have been, and the hash of them all.")
  ),
  HttpApiEndpoint.post("snapshot", "/Snapshot", { payload: Nothing, success: Sequence, error: Unavailable })
    .annotateMerge(
      described("Gives the number of the last command, to restore.")
    ),
  post(
    "restore",
    "/Restore",
    Sequence,
    "Everything is again as the first so many commands had left it. The journal goes on, and loses nothing."
  ),
  post("reset", "/Reset", Nothing, "Restores what there was when the venue was set up."),
  post("begin", "/Begin", Nothing, "Says that the venue is set up now: a reset goes back to this."),
  HttpApiEndpoint.post("fork", "/Fork", {
    payload: Schema.Struct({ sequence: key(Count) }),
    success: Forked,
    error
  }).annotateMerge(described(
    "Serves a new venue on a port of its own, in memory: with all that the first so many commands have made, or all."
  )),
  HttpApiEndpoint.get("journal", "/Journal", {
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
    error: Unavailable
  }).annotateMerge(described("All commands, each as a line of JSON. It holds the secrets of the venue's keys.")),
  HttpApiEndpoint.post("replay", "/Journal", { payload: Lines, success: Nothing, error }).annotateMerge(
    described("Carries out the commands of another journal, in a venue in which nothing has happened.")
  )
).middleware(Explained)

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>

const withoutSecurity = (paths: Paths): Paths =>
  Record.map(
    paths,
    (operations) => Record.map(operations, (operation) => Struct.omit(operation as { security?: [] }, ["security"]))
  )

/**
 * @category api
 * @since 0.1.0
 */
export class ControlApi extends HttpApi.make("control").add(group.prefix("/control/v1")).annotateMerge(
  OpenApi.annotations({
    title: "The control of an effect-txc sandbox",
    version: "1",
    description: "Every request needs the header `Authorization: Bearer <control token>`.",
    transform: (spec) => ({
      ...spec,
      security: [{ token: [] }],
      // An operation that says that it needs none would be taken at its word.
      paths: withoutSecurity(spec["paths"] as Paths),
      components: {
        ...spec["components"] as object,
        securitySchemes: { token: { type: "http", scheme: "bearer" } }
      }
    })
  })
) {}
