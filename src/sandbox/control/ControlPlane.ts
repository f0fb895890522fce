/**
 * The control plane: the control of a sandbox over HTTP, under its own path and with its own token. An exchange key opens
 * nothing here, and the token opens nothing on the exchange.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Json from "../../protocol/Json.ts"
import { type Answer, BodyLost, isReading, json, type Request } from "../gateway/Message.ts"
import * as Dashboard from "../page/Dashboard.ts"
import type { JournalError } from "../store/Journal.ts"
import type { Venue } from "../Venue.ts"
import * as Control from "./Control.ts"
import { ControlApi, Explained, type Forked, Malformed, prefix } from "./ControlApi.ts"
import { refuse } from "./ControlRefused.ts"
import type { Place } from "./Forks.ts"
import * as HistoryControl from "./HistoryControl.ts"
import { endpoints } from "./ViewsApi.ts"

/**
 * The control plane of a venue.
 *
 * @category models
 * @since 0.1.0
 */
export interface ControlPlane {
  /** Whether a path is the control plane's. */
  readonly isFor: (path: string) => boolean
  /** Whether a request with these headers has the token. */
  readonly isOpenTo: (headers: Request["headers"]) => boolean
  /** Answers a request to the control plane. */
  readonly handle: (request: Request) => Effect.Effect<Answer>
}

/**
 * How to make a control plane.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The token. A caller that has it may do everything here. */
  readonly token: string
  /** Serves a fork as long as the scope lives, and gives its address. Without it there are no forks. */
  readonly serve?: (venue: Venue["Service"]) => Effect.Effect<Place, Failure, Scope.Scope>
}

const digest = (text: string) => createHash("sha256").update(text).digest()

/** Compares digests, so that the time it takes shows neither the length of the token nor where a guess differs. */
const isAuthorized = (headers: Request["headers"], token: string): boolean =>
  timingSafeEqual(digest(String(headers["authorization"] ?? "")), digest(`Bearer ${token}`))

/** Whether a page of another origin sent the request. Only browsers send an origin. */
const isForeign = ({ headers }: Request): boolean => {
  const { host, origin } = headers
  return origin !== undefined && String(origin).replace(/^https?:\/\//u, "") !== String(host ?? "")
}

/** The names of the fields of each operation, in its body or its query. */
const fieldsOf: ReadonlyMap<string, ReadonlyArray<PropertyKey>> = new Map(
  Object.values({ ...ControlApi.groups.control.endpoints, ...ControlApi.groups.views.endpoints }).map(
    ({ method, path, payload, query }) => {
      const schemas = [...payload.values()].flatMap(({ schemas }) => schemas).concat(query ?? [])
      const names = schemas.flatMap(({ ast }) =>
        SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => name) : []
      )
      return [`${method} ${path}`, names] as const
    }
  )
)

/** Fields that the operation does not have, perhaps misspelled: without them the operation could mean something else. */
const unexpected = (method: string, path: string, query: string, body: Uint8Array): ReadonlyArray<string> => {
  const known = fieldsOf.get(`${method} ${path}`)
  if (known === undefined || path === `${prefix}Journal`) return []
  const json = Json.parse(Buffer.from(body).toString("utf8"))
  const fields = Result.isSuccess(json) && Json.isObject(json.success) ? Object.keys(json.success) : []
  return [...fields, ...new URLSearchParams(query).keys()].filter((name) => !known.includes(name))
}

const wrongType = (path: string): Answer =>
  json(415, {
    message: `the body of ${path} must come with the header Content-Type: application/` +
      (path === `${prefix}Journal` ? "x-ndjson" : "json")
  })

const groupLayer = (
  venue: Venue["Service"],
  control: Control.Control["Service"],
  fork: (sequence?: number) => Effect.Effect<Forked, Failure>
) =>
  HttpApiBuilder.group(ControlApi, "control", (handlers) => {
    const done = <E>(effect: Effect.Effect<void, E>) => Effect.as(effect, {})
    return handlers.handleAll({
      openAccount: ({ payload }) => done(control.openAccount(payload)),
      openSubAccount: ({ payload }) => done(control.openSubAccount(payload)),
      setSubAccount: ({ payload }) => done(control.setSubAccount(payload)),
      addKey: ({ payload }) => done(control.addKey(payload)),
      setKey: ({ payload }) => done(control.setKey(payload)),
      setCurrency: ({ payload }) => done(control.setCurrency(payload)),
      fund: ({ payload }) => done(control.fund(payload)),
      createCode: ({ payload }) => done(control.createCode(payload)),
      openPlan: ({ payload }) => done(control.openPlan(payload)),
      invest: ({ payload }) => done(control.invest(payload)),
      payInterest: ({ payload }) => done(control.payInterest(payload)),
      movePrice: ({ payload }) => done(control.movePrice(payload)),
      stepPrice: ({ payload }) => done(control.stepPrice(payload)),
      playPrices: ({ payload }) => done(control.playPrices(payload)),
      openPosition: ({ payload }) => done(control.openPosition(payload)),
      openOrders: ({ query }) => control.openOrders(query.account, query),
      accounts: () => control.accounts,
      positions: ({ query }) => control.positions(query.account),
      balances: ({ query }) => control.balances(query.account),
      clock: () => control.clock,
      freezeClock: () => done(control.freezeClock),
      runClock: () => done(control.runClock),
      setClock: ({ payload }) => done(control.setClock(payload)),
      advanceClock: ({ payload }) => done(control.advanceClock(payload)),
      skewClock: ({ payload }) => done(control.skewClock(payload)),
      addFault: ({ payload }) => Effect.map(control.addFault(payload), (id) => ({ id })),
      faults: () => control.faults,
      clearFaults: () => done(control.clearFaults),
      removeFault: ({ params }) => done(control.removeFault(params.id)),
      limit: ({ payload }) => done(control.limit(payload.limit, payload.path)),
      requests: ({ query }) => control.requests(query.after, query.latest),
      events: ({ headers, query }) =>
        Effect.map(venue.feed.after(headers["last-event-id"] ?? query.after), (entries) =>
          Stream.map(entries, (entry) => ({ id: entry.id, event: entry.event._tag, data: entry }))),
      status: () =>
        control.status,
      snapshot: () => Effect.map(control.snapshot, (sequence) => ({ sequence })),
      restore: ({ payload }) => done(control.restore(payload.sequence)),
      reset: () => done(control.reset),
      begin: () => done(control.begin),
      fork: ({ payload }) => fork(payload.sequence),
      forks: () => control.forks,
      endFork: ({ params }) => done(control.endFork(params.id)),
      // The status says whether the journal is intact, so the commands are checked before it is sent.
      journal: () =>
        Effect.map(
          Effect.andThen(venue.journal.committed, venue.journal.lines),
          (lines) => Stream.encodeText(Stream.map(lines, (line) => `${line}\n`))
        ),
      replay: ({ payload }) => done(control.replay(payload.split("\n")))
    })
  })

const viewsLayer = (control: Control.Control["Service"]) =>
  HttpApiBuilder.group(ControlApi, "views", (handlers) =>
    handlers.handleAll({
      endpoints: () => Effect.succeed(endpoints),
      markets: () => control.markets,
      depth: ({ query }) => control.depth(query.market),
      candles: ({ query }) => control.candles(query.market, query.seconds),
      countOfOpenOrders: ({ query }) => Effect.map(control.countOfOpenOrders(query.account), (count) => ({ count })),
      cancelOrder: ({ payload }) => Effect.as(control.cancelOrder(payload), {}),
      fills: ({ query }) => control.fills(query.account),
      nextDue: () => Effect.map(control.nextDue, (at) => at === undefined ? {} : { at }),
      look: ({ params }) => control.look(params.number),
      again: ({ params }) => Effect.as(control.again(params.number), {}),
      saved: () => control.saved,
      commands: ({ query }) => control.commands(query.before, query.limit)
    }))

type Failure = Control.ControlRefused | JournalError

const explainedLayer = HttpApiMiddleware.layerSchemaErrorTransform(
  Explained,
  ({ cause, kind }) => Effect.fail(new Malformed({ message: `${kind}: ${cause.message}` }))
)

const toAnswer = (response: HttpServerResponse.HttpServerResponse): Answer => {
  const { body, headers, status } = response
  switch (body._tag) {
    case "Stream":
      return {
        _tag: "Stream",
        status,
        headers: { ...headers, ...(body.contentType === undefined ? {} : { "content-type": body.contentType }) },
        body: Stream.mapError(body.stream, () => new BodyLost())
      }
    case "Uint8Array":
      return {
        _tag: "Answer",
        status,
        headers: { ...headers, "content-type": body.contentType },
        body: new TextDecoder().decode(body.body)
      }
    default:
      return { _tag: "Answer", status, headers, body: "" }
  }
}

/** A request as the API reads it; `undefined` when HTTP has no such method or path. */
const toWebRequest = ({ body, headers, method, path, query = "" }: Request): globalThis.Request | undefined => {
  const url = `http://localhost${path}${query === "" ? "" : `?${query}`}`
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const]
  )
  // Most operations ask for nothing: an empty body says that as well as an empty object.
  const isBare = method === "POST" && body.length === 0 && headers["content-type"] === undefined
  const sent = method === "GET" || method === "HEAD" ? undefined : isBare ? Buffer.from("{}") : Buffer.from(body)
  return Result.getOrUndefined(Result.try(() =>
    new globalThis.Request(url, {
      method,
      headers: { ...Object.fromEntries(given), ...(isBare ? { "content-type": "application/json" } : {}) },
      ...(sent === undefined || sent.length === 0 ? {} : { body: sent })
    })
  ))
}

/** The API of a control as an HTTP application. */
const toApp = (
  venue: Venue["Service"],
  control: Control.Control["Service"],
  fork: (sequence?: number) => Effect.Effect<Forked, Failure>
) =>
  HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(ControlApi, { openapiPath: `${prefix}openapi.json` }).pipe(
      Layer.provide([groupLayer(venue, control, fork), viewsLayer(control)]),
      Layer.provide(explainedLayer),
      Layer.provide(HttpServer.layerServices)
    )
  ).pipe(
    // Layers that are built side by side share a memo map: another venue's router must not become this one's.
    Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap)
  )

type App = Effect.Success<ReturnType<typeof toApp>>

/** Answers an authorized request. What a request opens lives as long as its answer's stream. */
const run = Effect.fnUntraced(function*(app: App, scope: Scope.Scope, request: Request) {
  const { body, method, path, query = "" } = request
  const [field] = unexpected(method, path, query, body)
  if (field !== undefined) return json(400, { _tag: "Malformed", message: `${path} has no field "${field}"` })
  const asked = toWebRequest(request)
  if (asked === undefined) return json(400, { message: `${method} ${path} is not answered here` })
  const requestScope = yield* Scope.fork(scope)
  return yield* app.pipe(
    Effect.map((response) => HttpEffect.scopeTransferToStream(response)),
    Effect.map(toAnswer),
    Effect.map((answer) => answer._tag === "Answer" && answer.status === 415 ? wrongType(path) : answer),
    Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(asked)),
    Effect.provideService(Scope.Scope, requestScope),
    Effect.onExit((exit) =>
      Exit.isSuccess(exit) && exit.value._tag === "Stream" ? Effect.void : Scope.close(requestScope, exit)
    ),
    Effect.catchTag("HttpServerError", ({ reason }) =>
      Effect.succeed(
        reason._tag === "RouteNotFound"
          ? json(404, { message: `there is no ${method} ${path}; see ${prefix}openapi.json` })
          : json(400, { message: reason.message })
      ))
  )
})

/**
 * The control plane of a venue, as long as the scope lives.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  venue: Venue["Service"],
  { serve, token }: Options
): Effect.fn.Return<ControlPlane, never, Scope.Scope> {
  const context = yield* Effect.context<Scope.Scope>()
  const control = Control.make(venue)
  const serveFork = Effect.fnUntraced(function*(forked: Venue["Service"]) {
    if (serve === undefined) return yield* refuse("Fork", { venue: "max" })
    const place = yield* serve(forked)
    forked.forks.served(place)
    return { id: forked.forks.id, ...place }
  })
  const fork = Effect.fnUntraced(function*(sequence?: number) {
    return yield* HistoryControl.fork(venue, sequence ?? venue.sequence(), serveFork)
    // A fork lives as long as this control plane, not as long as the request that asked for it.
  }, Effect.setContext(context))
  const app = yield* toApp(venue, control, fork)

  return {
    isFor: (path) => Dashboard.paths.has(path) || path.startsWith(prefix),
    isOpenTo: (headers) => isAuthorized(headers, token),
    handle: (request) => {
      if (Dashboard.paths.has(request.path) && isReading(request)) return Dashboard.page
      if (isForeign(request)) {
        return Effect.succeed(json(403, { message: "the control plane does not answer pages of another origin" }))
      }
      if (!isAuthorized(request.headers, token)) {
        const message = "the control plane needs the header: Authorization: Bearer <control token>"
        return Effect.succeed(json(401, { message }))
      }
      return run(app, Context.get(context, Scope.Scope), request)
    }
  }
})
