/** Makes the service of a paged list: one page, and all records as a stream. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type * as Errors from "../../protocol/Errors.ts"
import * as Call from "../call/Call.ts"
import * as Observation from "../Observation.ts"
import * as Pages from "../Pages.ts"

/** A service that reads a list, page by page. */
export interface Paging<Request extends Pages.Request, Page, Item, Failure> {
  /** One page. */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** All records, in pages of `limit` (default 100). See `Pages.stream` for its guarantees. */
  readonly stream: (
    request?: Omit<Request, "offset">
  ) => Stream.Stream<Item, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}

/** A service that reads a list page by page, where every request must name a subject. */
export interface PagingOf<Request extends Pages.Request, Page, Item, Failure> {
  /** One page. */
  readonly page: (request: Request) => Effect.Effect<Page, Failure>
  /** All records, in pages of `limit` (default 100). See `Pages.stream` for its guarantees. */
  readonly stream: (
    request: Omit<Request, "offset">
  ) => Stream.Stream<Item, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}

/** Makes a page from an answer, or fails when it is not the requested page. */
type ToPage<Q, A, Page> = (
  endpoint: string,
  request: Q
) => (answer: A) => Effect.Effect<Page, Errors.UnexpectedResponse>

const reading = <Q extends Pages.Request, A, Item, Page extends Pages.Page<Item>, T extends Endpoint.RefusalTag>(
  endpoint: Endpoint.Endpoint<Q, A, "private", false, T>,
  toPage: ToPage<Q, A, Page>,
  idOf: Pages.Identity<Item>["idOf"] | undefined
) =>
({ make }: Call.Call["Service"]) => {
  const call = make(endpoint)
  const page = (request: Q) =>
    Observation.spanned(endpoint.name, Effect.flatMap(call(request), toPage(endpoint.name, request)))
  const name = endpoint.name.replace(/\.[a-z]+$/u, ".stream")
  return {
    page,
    stream: ({ limit, ...filter }: Omit<Q, "offset">) =>
      Pages.stream(name, (at) => page({ ...filter, ...at } as Q), limit, idOf && { idOf })
  }
}

/**
 * The layer of a service that reads a list. `toPage` makes the page of the answer, and fails when the answer is not the
 * page that was asked for: see `PageChecks`. `idOf` is for lists whose records have an identity.
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
  idOf?: Pages.Identity<Item>["idOf"]
): Layer.Layer<Identifier, never, Call.Call> =>
  Layer.effect(
    service,
    Call.Call.useSync((calls) => {
      const { page, stream } = reading<Q, A, Item, Page, T>(endpoint, toPage, idOf)(calls)
      // These lists require no field, so an empty request is valid, which its type cannot express.
      return { page: (request: Q = {} as Q) => page(request), stream: (filter = {} as Q) => stream(filter) }
    })
  )

/** Makes the layer of a service whose list needs a subject in every request. `toPage` works as in {@link layer}. */
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
  idOf?: Pages.Identity<Item>["idOf"]
): Layer.Layer<Identifier, never, Call.Call> =>
  Layer.effect(service, Call.Call.useSync(reading<Q, A, Item, Page, T>(endpoint, toPage, idOf)))
