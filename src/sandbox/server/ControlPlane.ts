/**
 * The control plane, through which the owner controls a sandbox over HTTP. The control plane has its own path prefix
 * and its own token. Exchange keys give no access to it, and the token gives no access to the exchange.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Calling from "../control/Calling.ts"
import * as Control from "../control/Control.ts"
import { ControlApi, type Forked, prefix } from "../control/ControlApi.ts"
import * as FeedEvents from "../control/FeedEvents.ts"
import * as HistoryControl from "../control/HistoryControl.ts"
import { channels, endpoints } from "../control/ViewsApi.ts"
import * as Command from "../engine/Command.ts"
import { type Answer, isReading, json, type Request } from "../gateway/Message.ts"
import * as Dashboard from "../page/Dashboard.ts"
import type { JournalError } from "../store/Journal.ts"
import { refuse } from "../venue/ControlRefused.ts"
import type { Place } from "../venue/Forks.ts"
import type { Venue } from "../venue/Venue.ts"

/** A venue's control plane. */
export interface ControlPlane {
  /** Whether a path belongs to the control plane. */
  readonly isFor: (path: string) => boolean
  /** Whether a request with these headers carries the control plane's token. */
  readonly isOpenTo: (headers: Request["headers"]) => boolean
  /** Handles a request to the control plane. */
  readonly handle: (request: Request) => Effect.Effect<Answer>
}

/** The options for a control plane. */
export interface Options {
  /** The control token. A caller that sends this token may perform every operation. */
  readonly token: string
  /**
   * Serves a fork until the scope is closed, and returns its addresses. Without this function, forks are not available.
   */
  readonly serve?: (venue: Venue["Service"]) => Effect.Effect<Place, Failure, Scope.Scope>
}

const digest = (text: string) => createHash("sha256").update(text).digest()

/**
 * Whether a request with these headers has the token. The tokens' digests are compared, so that the time taken reveals
 * neither the token's length nor the position of the first difference.
 */
export const isAuthorized = (headers: Request["headers"], token: string): boolean =>
  timingSafeEqual(digest(String(headers["authorization"] ?? "")), digest(`Bearer ${token}`))

/** Whether a page from another origin sent the request. Only browsers send an origin. */
export const isForeign = ({ headers }: Pick<Request, "headers">): boolean => {
  const { host, origin } = headers
  return origin !== undefined && String(origin).replace(/^https?:\/\//u, "") !== String(host ?? "")
}

/** Whether a path belongs to the control plane or the page. */
export const isFor = (path: string): boolean => Dashboard.paths.has(path) || path.startsWith(prefix)

/** The response to a request without the token. */
export const unauthorized: Answer = json(401, {
  message: "the control plane needs the header: Authorization: Bearer <control token>"
})

/** The response to a request by a page from another origin. */
export const foreign: Answer = json(403, { message: "the control plane refuses requests from pages of another origin" })

/** The handlers of the operations that are derived from the owner actions. */
type OwnerHandlers = {
  readonly [Method in keyof Command.OwnerActions]: (
    request: { readonly payload: Command.OptionsOf<Command.OwnerActions[Method]> }
  ) => Effect.Effect<{}, Failure>
}

const groupLayer = (
  venue: Venue["Service"],
  control: Control.Control["Service"],
  fork: (sequence?: number) => Effect.Effect<Forked, Failure>
) =>
  HttpApiBuilder.group(ControlApi, "control", (handlers) => {
    const done = <E>(effect: Effect.Effect<void, E>) => Effect.as(effect, {})
    return handlers.handleAll({
      ...Command.eachOwnerAction<OwnerHandlers>((method) => ({ payload }: { readonly payload: object }) =>
        done(control[method](payload as never))
      ),
      counterparty: () => control.counterparty,
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
      connections: () => control.connections,
      sentMessages: ({ params }) => control.sentMessages(params.id),
      cutConnection: ({ payload }) => done(control.cutConnection(payload)),
      events: ({ headers, query }) =>
        Effect.map(venue.feed.after(headers["last-event-id"] ?? query.after), FeedEvents.respond),
      status: () => control.status,
      snapshot: () => Effect.map(control.snapshot, (sequence) => ({ sequence })),
      restore: ({ payload }) => done(control.restore(payload.sequence)),
      reset: () => done(control.reset),
      begin: () => done(control.begin),
      fork: ({ payload }) => fork(payload.sequence),
      forks: () => control.forks,
      endFork: ({ params }) => done(control.endFork(params.id)),
      // All commands are checked before the first one is sent, because the HTTP status, which is sent first, tells
      // whether the journal is intact.
      journal: () =>
        Effect.map(
          Effect.andThen(venue.journal.committed, venue.journal.lines),
          (lines) => Stream.encodeText(Stream.map(lines, (line) => `${line}\n`))
        ),
      replay: ({ payload }) => done(control.replay(payload.split("\n")))
    })
  })

const viewsLayer = (control: Control.Control["Service"], { dialect }: Venue["Service"]) =>
  HttpApiBuilder.group(ControlApi, "views", (handlers) =>
    handlers.handleAll({
      endpoints: () => Effect.sync(() => endpoints(dialect)),
      channels: () => Effect.succeed(channels),
      markets: () => control.markets,
      depth: ({ query }) => control.depth(query.market),
      candles: ({ query }) => control.candles(query.market, query.seconds),
      countOfOpenOrders: ({ query }) => Effect.map(control.countOfOpenOrders(query.account), (count) => ({ count })),
      endedOrders: ({ query }) => control.endedOrders(query.account),
      order: ({ query }) => control.order(query.account, query.id),
      callAs: ({ payload }) => control.callAs(payload),
      cancelOrder: ({ payload }) => Effect.as(control.cancelOrder(payload), {}),
      fills: ({ query }) => control.fills(query.account),
      margin: ({ query }) => control.margin(query.account),
      marginEvents: ({ query }) => control.marginEvents(query.account, query.upTo),
      venueMargin: () => control.venueMargin,
      nextDue: () => Effect.map(control.nextDue, (at) => at === undefined ? {} : { at }),
      look: ({ params }) => control.look(params.number),
      again: ({ params }) => Effect.as(control.again(params.number), {}),
      eventsSoFar: ({ query }) => control.eventsSoFar(query.after),
      saved: () => control.saved,
      past: ({ query }) => control.past(query),
      commands: ({ query }) => control.commands(query.before, query.limit, query.onlyChanges === "true")
    }))

type Failure = Control.ControlRefused | JournalError

const fieldsOf = Calling.fieldsOf([ControlApi.groups.control, ControlApi.groups.views])

/** The control plane's API as an HTTP handler. */
const toApp = (
  venue: Venue["Service"],
  control: Control.Control["Service"],
  fork: (sequence?: number) => Effect.Effect<Forked, Failure>
) =>
  HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(ControlApi, { openapiPath: `${prefix}openapi.json` }).pipe(
      Layer.provide([groupLayer(venue, control, fork), viewsLayer(control, venue)]),
      Layer.provide(Calling.explainedLayer),
      Layer.provide(HttpServer.layerServices)
    )
  ).pipe(
    // Creates a new memo map. Layers that share a memo map would also share the router, and each venue needs its own
    // router.
    Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap)
  )

/**
 * Holds back a response until the journal has confirmed that this process still owns the venue. Otherwise, a
 * request that writes nothing to the journal, such as one that adds a fault, would succeed even though another process
 * has taken over the venue.
 */
const confirmed = (
  { journal }: Venue["Service"],
  answering: Effect.Effect<Answer>
): Effect.Effect<Answer> =>
  Effect.flatMap(answering, (answer) =>
    Effect.match(journal.committed, {
      onSuccess: () => answer,
      // A feed contains only durable events, and ends when its venue closes.
      onFailure: ({ _tag, file, reason, why }) =>
        answer._tag === "Stream" ? answer : json(503, { _tag, why, file, reason })
    }))

/** Creates the control plane for a venue. It can be used until the scope is closed. */
export const make = Effect.fnUntraced(function*(
  venue: Venue["Service"],
  { serve, token }: Options
): Effect.fn.Return<ControlPlane, never, Scope.Scope> {
  const context = yield* Effect.context<Scope.Scope>()
  const control = Control.make(venue)
  const serveFork = Effect.fnUntraced(function*(forked: Venue["Service"]) {
    if (serve === undefined) return yield* refuse("Fork", { venue: "max" }, "this server serves no forks")
    const place = yield* serve(forked)
    forked.forks.served(place)
    return { id: forked.forks.id, ...place }
  })
  const fork = Effect.fnUntraced(function*(sequence?: number) {
    return yield* HistoryControl.fork(venue, sequence ?? venue.sequence(), serveFork)
    // A fork lives as long as this control plane, not as long as the request that created it.
  }, Effect.setContext(context))
  const app = yield* toApp(venue, control, fork)

  return {
    isFor,
    isOpenTo: (headers) => isAuthorized(headers, token),
    handle: (request) => {
      if (Dashboard.paths.has(request.path) && isReading(request)) return Dashboard.page
      if (isForeign(request)) return Effect.succeed(foreign)
      if (!isAuthorized(request.headers, token)) return Effect.succeed(unauthorized)
      return confirmed(venue, Calling.run(app, Context.get(context, Scope.Scope), request, fieldsOf))
    }
  }
})
