/** Creates a paged list's service, which reads one page, or all records as a stream. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { HistoryLimit, RecordOffset } from "../../domain/Paging.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type * as Errors from "../../protocol/Errors.ts"
import * as Call from "../call/Call.ts"
import * as Observation from "../Observation.ts"
import * as Pages from "../Pages.ts"
import * as ServiceLayer from "./ServiceLayer.ts"

/** A service that reads a list, page by page. */
export interface Paging<Request extends Pages.Request, Page, Item, Failure> {
  /** Reads one page. */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all records, in pages of `limit` (default 100). See `Pages.stream` for the guarantees. */
  readonly stream: (
    request?: Omit<Request, "offset">
  ) => Stream.Stream<Item, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}

/** A service that reads a list page by page, and whose requests have required fields, such as an order id. */
export interface PagingOf<Request extends Pages.Request, Page, Item, Failure> {
  /** Reads one page. */
  readonly page: (request: Request) => Effect.Effect<Page, Failure>
  /** Reads all records, in pages of `limit` (default 100). See `Pages.stream` for the guarantees. */
  readonly stream: (
    request: Omit<Request, "offset">
  ) => Stream.Stream<Item, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}

/** The greatest offset at which a stream requests a page, if it differs from the document's maximum offset. */
type LastOf = (dialect: Dialect) => RecordOffset

/** Builds a page from a response, or fails when the response is not the requested page. */
type ToPage<Q, A, Page> = (
  endpoint: string,
  request: Q
) => (answer: A) => Effect.Effect<Page, Errors.UnexpectedResponse>

const reading = <Q extends Pages.Request, A, Item, Page extends Pages.Page<Item>, T extends Endpoint.RefusalTag>(
  endpoint: Endpoint.Endpoint<Q, A, "private", false, T>,
  toPage: ToPage<Q, A, Page>,
  idOf: Pages.Identity<Item>["idOf"] | undefined,
  lastOf: LastOf | undefined
) =>
({ dialect, make }: Call.Call["Service"]) => {
  const call = make(endpoint)
  const page = (request: Q) =>
    Observation.requested(endpoint.name, Effect.flatMap(call(request), toPage(endpoint.name, request)))
  const name = endpoint.name.replace(/\.[a-z]+$/u, ".stream")
  return {
    page,
    stream: ({ limit, ...filter }: Omit<Q, "offset">) =>
      Pages.stream(
        name,
        (at: Pages.Next<HistoryLimit, RecordOffset>) => page({ ...filter, ...at } as Q),
        limit,
        idOf && { idOf },
        lastOf?.(dialect)
      )
  }
}

/**
 * Builds the layer for a service that reads a list. `toPage` converts the response to a page, and fails when the
 * response is not the requested page: see `PageChecks`. Pass `idOf` for a list whose records have an identity, and
 * `lastOf` for a list that allows other offsets than the document's lists.
 */
export const layer = <
  Identifier,
  Q extends Pages.Request,
  A,
  Item,
  Page extends Pages.Page<Item>,
  T extends Endpoint.RefusalTag
>(
  service: Context.Service<
    Identifier,
    Paging<Q, Page, Item, Endpoint.Failure<Endpoint.Endpoint<Q, A, "private", false, T>>>
  >,
  endpoint: Endpoint.Endpoint<Q, A, "private", false, T>,
  toPage: ToPage<Q, A, Page>,
  idOf?: Pages.Identity<Item>["idOf"],
  lastOf?: LastOf
): Layer.Layer<Identifier, never, Call.Call> =>
  ServiceLayer.layer(
    service,
    Call.Call.useSync((calls) => {
      const { page, stream } = reading<Q, A, Item, Page, T>(endpoint, toPage, idOf, lastOf)(calls)
      // A request for such a list has no required fields, so an empty request is valid, but the type `Q` can't express
      // that.
      return { page: (request: Q = {} as Q) => page(request), stream: (filter = {} as Q) => stream(filter) }
    })
  )

/**
 * Builds the layer for a service that reads a list whose requests have required fields. `toPage`,
 * `idOf` and `lastOf` work as in {@link layer}.
 */
export const layerOf = <
  Identifier,
  Q extends Pages.Request,
  A,
  Item,
  Page extends Pages.Page<Item>,
  T extends Endpoint.RefusalTag
>(
  service: Context.Service<
    Identifier,
    PagingOf<Q, Page, Item, Endpoint.Failure<Endpoint.Endpoint<Q, A, "private", false, T>>>
  >,
  endpoint: Endpoint.Endpoint<Q, A, "private", false, T>,
  toPage: ToPage<Q, A, Page>,
  idOf?: Pages.Identity<Item>["idOf"],
  lastOf?: LastOf
): Layer.Layer<Identifier, never, Call.Call> =>
  ServiceLayer.layer(service, Call.Call.useSync(reading<Q, A, Item, Page, T>(endpoint, toPage, idOf, lastOf)))
