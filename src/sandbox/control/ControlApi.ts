/**
 * The control of a sandbox over HTTP: its operations, their fields and their responses. `Control` documents each
 * operation's behavior.
 *
 * @example
 * ```ts
 * import * as OpenApi from "effect/http-api/OpenApi"
 * import { ControlApi } from "effect-txc/sandbox"
 *
 * const document = OpenApi.fromApi(ControlApi.ControlApi)
 * ```
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
import * as Paths from "../../protocol/Paths.ts"
import * as Command from "../engine/Command.ts"
import * as Times from "../engine/Times.ts"
import * as Faults from "../gateway/Faults.ts"
import { countedAs } from "../gateway/Limits.ts"
import * as NearMiss from "../gateway/NearMiss.ts"
import { RequestRecord } from "../gateway/RequestRecord.ts"
import { routes } from "../handlers/Routes.ts"
import * as Feed from "../venue/Feed.ts"
import * as Control from "./Control.ts"
import { Account, described, error, Nothing, Unavailable } from "./Operations.ts"
import * as ViewsApi from "./ViewsApi.ts"

/** The prefix of all control plane paths. No path of the exchange starts with this prefix. */
export const prefix = "/control/v1/"

/**
 * The request does not have the form that the operation requires.
 *
 * @category errors
 */
export class Malformed extends Schema.TaggedError<Malformed>()("Malformed", {
  message: Schema.String
}, {
  httpApiStatus: 400
}) {
  /** Describes the mistake. */
  declare readonly message: string
}

/**
 * Explains why a request can't be read.
 *
 * @category middleware
 */
export class Explained extends HttpApiMiddleware.Service<Explained>()("effect-txc/sandbox/ControlApi/Explained", {
  error: Malformed
}) {}

const key = Schema.optionalKey

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Part = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))

const Sequence = Schema.Struct({ sequence: Count })

/**
 * The addresses of a fork. The fork has the control token of the venue from which it was created.
 *
 * @category models
 */
export interface Forked {
  /** The fork's number, which is needed to close the fork. */
  readonly id: number
  /** The base URL of the fork's exchange. */
  readonly url: string
  /** The base URL of the fork's control plane. */
  readonly controlUrl: string
}

/**
 * The schema of {@link Forked}.
 *
 * @category schemas
 */
export const Forked: Schema.Codec<Forked, unknown> = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  controlUrl: Schema.String
})

/**
 * An entry of the feed as a server-sent event.
 *
 * @category models
 */
export const FeedEvent = Schema.Struct({
  /** The event's position in the feed. A reader sends this position to continue after the event. */
  id: Schema.String,
  /** The event's tag, such as `Traded`. */
  event: Schema.String,
  /** The feed entry, as JSON. */
  data: Schema.fromJsonString(Schema.toCodecJson(Feed.Entry))
})

/** Commands, each as a line of JSON. */
const Lines = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))

const served = routes.map(({ endpoint }) => endpoint)

/** The names of the rate limits. */
const limited: ReadonlySet<string> = new Set(served.map(countedAs))

/**
 * Explains that no endpoint has the given path, and suggests a similar path. A fault or limit on an unknown path would
 * have no effect.
 */
const unknownPath = (path: string, names: Iterable<string>, otherwise: string): string =>
  `no endpoint has the path ${path}; ${NearMiss.suggestion(path, names) ?? otherwise}`

const FaultPayload = Faults.Fault.check(
  Schema.makeFilter(({ path }) =>
    path === undefined || served.some((endpoint) => Paths.match(endpoint, path) !== undefined)
      ? undefined
      : unknownPath(path, served.map(({ path }) => path), `see ${prefix}Endpoints`)
  )
)

const LimitPayload = Schema.Struct({
  path: key(Schema.String),
  limit: key(Schema.Struct({ calls: Count, perSeconds: Times.Seconds }))
}).check(Schema.makeFilter(({ path }) =>
  path === undefined || limited.has(path)
    ? undefined
    : unknownPath(path, limited, `a limit needs the path of a private call, or the name "public" or "public v1"`)
))

const post = <Name extends string, Path extends `/${string}`, Payload extends Schema.Top>(
  name: Name,
  path: Path,
  payload: Payload,
  description: string
) => HttpApiEndpoint.post(name, path, { payload, success: Nothing, error }).annotateMerge(described(description))

/** The operations that are derived from the owner actions. */
type OwnerOperations = {
  readonly [Method in keyof Command.OwnerActions]: ReturnType<
    typeof post<Method, `/${Capitalize<Method>}`, Command.OwnerActions[Method]["options"]>
  >
}

const ownerOperations = Command.eachOwnerAction<OwnerOperations>((method, tag) => {
  const { description, options } = Command.ownerActions[method]
  return post(method, `/${tag}`, options, description) as OwnerOperations[keyof OwnerOperations]
})

const group = HttpApiGroup.make("control", { topLevel: true }).add(
  ...Object.values(ownerOperations) as [OwnerOperations[keyof OwnerOperations]],
  HttpApiEndpoint.get("counterparty", "/Counterparty", { success: Control.Counterparty, error: Unavailable })
    .annotateMerge(
      described("The counterparty's markets, its settings for each market, and the funds credited to it.")
    ),
  HttpApiEndpoint.get("accounts", "/Accounts", {
    success: Schema.Array(Control.AccountSummary),
    error: Unavailable
  }).annotateMerge(described("All accounts and their keys, without the counterparty.")),
  HttpApiEndpoint.get("openOrders", "/OpenOrders", {
    query: Schema.Struct({ account: Schema.String, offset: key(Part), limit: key(Part) }),
    success: Schema.Array(Control.OpenOrder),
    error: Unavailable
  }).annotateMerge(described(
    "An account's open orders, oldest first. `offset` skips that many of the latest orders, and `limit` is the " +
      "maximum number of orders."
  )),
  HttpApiEndpoint.get("positions", "/Positions", {
    query: Account,
    success: Schema.Array(Control.OpenPosition),
    error: Unavailable
  }).annotateMerge(described("An account's open positions.")),
  HttpApiEndpoint.get("balances", "/Balances", {
    query: Account,
    success: Schema.Array(Control.Balance),
    error: Unavailable
  }).annotateMerge(described("An account's balances in all wallets, and its debts.")),
  HttpApiEndpoint.get("clock", "/Clock", { success: Control.ClockReading, error: Unavailable }).annotateMerge(
    described(
      "The venue's clock, in Unix microseconds, and how far the callers' clock is ahead of the machine's."
    )
  ),
  post("freezeClock", "/FreezeClock", Nothing, "Freezes the clock at its current time."),
  post("runClock", "/RunClock", Nothing, "Lets the clock run again from its current time."),
  post(
    "setClock",
    "/SetClock",
    Schema.Struct({ at: Count }),
    "Sets the clock to a later time, in Unix microseconds, and carries out everything due by then, in order. If the " +
      "venue has no commands yet, any time before the year 2200 is allowed, even an earlier one, and the clock freezes " +
      "at that time."
  ),
  post(
    "advanceClock",
    "/AdvanceClock",
    Schema.Struct({ millis: Count }),
    "Advances the clock by `millis` milliseconds, and carries out everything due by then, in order."
  ),
  post(
    "skewClock",
    "/SkewClock",
    Schema.Struct({ millis: Schema.Int }),
    "Sets how far the callers' clock, against which nonces are checked, is ahead of the machine's clock; a negative value " +
      "puts it behind. The venue's clock does not change."
  ),
  HttpApiEndpoint.post("addFault", "/Faults", {
    payload: FaultPayload,
    success: Schema.Struct({ id: Schema.Int }),
    error: Unavailable
  }).annotateMerge(described("Adds a fault, and returns its number.")),
  HttpApiEndpoint.get("faults", "/Faults", { success: Schema.Array(Faults.Armed), error: Unavailable }).annotateMerge(
    described("The active faults, and how often each has matched and fired.")
  ),
  HttpApiEndpoint.delete("clearFaults", "/Faults", { success: Nothing, error: Unavailable }).annotateMerge(
    described("Removes all faults.")
  ),
  HttpApiEndpoint.delete("removeFault", "/Faults/:id", {
    params: { id: Schema.NumberFromString.check(Schema.isInt()) },
    success: Nothing,
    error
  }).annotateMerge(described("Removes a fault.")),
  HttpApiEndpoint.post("limit", "/Limit", {
    payload: LimitPayload,
    success: Nothing,
    error: Unavailable
  }).annotateMerge(described(
    "Replaces the documented rate limit of one path, or of every path if `path` is absent. If `limit` is absent, " +
      "restores the documented limit. Public paths share one limit per API version: \"public\" for API V4, and " +
      "\"public v1\" for API V1."
  )),
  HttpApiEndpoint.get("requests", "/Requests", {
    query: Schema.Struct({ after: key(Schema.NumberFromString.check(Schema.isInt())), latest: key(Part) }),
    success: Schema.Array(RequestRecord),
    error: Unavailable
  }).annotateMerge(
    described(
      "The logged calls to the exchange and their outcomes: the calls after call number `after`, or all. " +
        "`latest` limits the result to that many of the most recent calls."
    )
  ),
  HttpApiEndpoint.get("connections", "/Connections", {
    success: Schema.Array(Control.OpenConnection),
    error: Unavailable
  }).annotateMerge(described("The open WebSocket connections, oldest first.")),
  HttpApiEndpoint.get("sentMessages", "/Connections/:id/Messages", {
    params: { id: Schema.NumberFromString.check(Schema.isInt()) },
    success: Schema.Array(Control.SentMessage),
    error
  }).annotateMerge(described(
    "The latest messages sent over a connection, oldest first: at most 50, with at most 32 KiB of text."
  )),
  post(
    "cutConnection",
    "/CutConnection",
    Schema.Struct({ id: Schema.Int, close: key(Schema.Boolean) }),
    "Closes a connection: abruptly, or with a close frame first if `close` is true."
  ),
  HttpApiEndpoint.get("events", "/Events", {
    query: Schema.Struct({ after: key(Schema.String) }),
    headers: Schema.Struct({ "last-event-id": key(Schema.String) }),
    success: HttpApiSchema.StreamSse({ events: FeedEvent, error: Feed.FeedGone }),
    error: Feed.FeedGone
  }).annotateMerge(described(
    "The events on the exchange, as server-sent events: after the position in the header Last-Event-ID or in `after`, or " +
      "only new events. \"0\" is the position before the first event."
  )),
  HttpApiEndpoint.get("status", "/Status", { success: Control.Status, error: Unavailable }).annotateMerge(
    described(
      "The venue's dialect, the number of its commands, their hash, and the command number that a reset returns to."
    )
  ),
  HttpApiEndpoint.post("snapshot", "/Snapshot", { payload: Nothing, success: Sequence, error: Unavailable })
    .annotateMerge(
      described("Saves the state, so that it can be restored quickly, and returns the number of the last command.")
    ),
  post(
    "restore",
    "/Restore",
    Sequence,
    "Restores the state after `sequence` commands. The restore is a new command, so the journal still has all earlier ones."
  ),
  post(
    "reset",
    "/Reset",
    Nothing,
    "Restores the state at the latest `Begin`, or the empty exchange if there was none. Earlier calls are no longer " +
      "counted towards the rate limits. Faults and replaced limits stay in force."
  ),
  post("begin", "/Begin", Nothing, "Marks the end of the venue's setup: a reset returns to this state."),
  HttpApiEndpoint.post("fork", "/Fork", {
    payload: Schema.Struct({ sequence: key(Count) }),
    success: Forked,
    error
  }).annotateMerge(described(
    "Creates a new venue in memory from this venue's first `sequence` commands, or from all of them, and serves it " +
      "on its own port. At most 16 forks can exist at the same time, including forks of forks."
  )),
  HttpApiEndpoint.get("forks", "/Forks", { success: Schema.Array(Control.Fork), error: Unavailable }).annotateMerge(
    described("The venue's open forks, and their own forks.")
  ),
  HttpApiEndpoint.delete("endFork", "/Forks/:id", {
    params: { id: Schema.NumberFromString.check(Schema.isInt()) },
    success: Nothing,
    error
  }).annotateMerge(described("Closes a fork, and its own forks.")),
  HttpApiEndpoint.get("journal", "/Journal", {
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
    error: Unavailable
  }).annotateMerge(described(
    "All commands, each as a line of JSON, including the secrets of the venue's keys. All commands are checked " +
      "before the first one is sent."
  )),
  HttpApiEndpoint.post("replay", "/Journal", { payload: Lines, success: Nothing, error }).annotateMerge(
    described("Applies the commands of another journal, each at its own time. The venue must have no commands.")
  )
).middleware(Explained)

type Operations = Readonly<Record<string, Readonly<Record<string, object>>>>

const withoutSecurity = (paths: Operations): Operations =>
  Record.map(
    paths,
    (operations) => Record.map(operations, (operation) => Struct.omit(operation as { security?: [] }, ["security"]))
  )

/**
 * Annotates an API so that every operation needs a token.
 *
 * @category api
 */
export const secured = (title: string, description: string) =>
  OpenApi.annotations({
    title,
    version: "1",
    description,
    transform: (spec) => ({
      ...spec,
      security: [{ token: [] }],
      // An operation that declares an empty security list would need no token.
      paths: withoutSecurity(spec["paths"] as Operations),
      components: {
        ...spec["components"] as object,
        securitySchemes: { token: { type: "http", scheme: "bearer" } }
      }
    })
  })

/**
 * The operations of the control plane.
 *
 * @category api
 */
export class ControlApi extends HttpApi.make("control").add(
  group.prefix("/control/v1"),
  ViewsApi.group.middleware(Explained).prefix("/control/v1")
).annotateMerge(
  secured(
    "The control of an effect-txc sandbox",
    "Every request needs the header `Authorization: Bearer <control token>`."
  )
) {}
