/** Creates the service for a call that places an order. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Market from "../../domain/Market.ts"
import type { OrderType } from "../../domain/Order.ts"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import * as Call from "../call/Call.ts"
import * as LocalRefusal from "../call/LocalRefusal.ts"
import * as ClientOrderIdEcho from "../ClientOrderIdEcho.ts"
import { ClientOrderIds, type Unassigned } from "../ClientOrderIds.ts"
import * as EchoCheck from "../EchoCheck.ts"
import { MarketRules } from "../MarketRules.ts"
import * as Observation from "../Observation.ts"
import * as OrderEcho from "../OrderEcho.ts"
import * as ServiceLayer from "./ServiceLayer.ts"

/** A service that places one kind of order. */
export interface Creating<Request, Order, Failure> {
  /** Places the order, after checking it against its market's rules. */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<Order>, Failure>
}

/** An order in the response, its requested type, and its request. */
export type Leg = readonly [order: OrderEcho.Leg, type: OrderType, asked: OrderEcho.Ordered]

/** The properties of one kind of order. */
export interface Kind<Request, Order> {
  /** Selects the terms to check against the market's rules. */
  readonly bounds: (request: Request) => Market.Bounded
  /**
   * Pairs each order in the response with its requested terms. An OCO response contains two orders (the legs), and any
   * other response contains one.
   */
  readonly legs: (order: Order, request: Request) => ReadonlyArray<Leg>
  /** Whether an exchange with the given policy returns the client order ids of these orders. Default: always `true`. */
  readonly echoes?: (policy: VenuePolicy) => boolean
}

/**
 * Builds the layer for a service that places orders. Orders without a client order id get a generated id. Every order
 * is checked against its market's rules before sending. The result shows whether the exchange accepted the client order
 * id. The service's request type may be narrower than the endpoint's schema.
 */
export const layer = <
  Identifier,
  Q extends Unassigned & OrderEcho.Ordered,
  A extends object,
  T extends Endpoint.RefusalTag,
  Asked extends Q = Q
>(
  service: Context.Service<
    Identifier,
    Creating<Asked, A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "private", true, T | "ValidationFailed">>>
  >,
  endpoint: Endpoint.Endpoint<Q, A, "private", true, T | "ValidationFailed", "order" | "pair">,
  { bounds, echoes = () => true, legs }: Kind<Q, A>
): Layer.Layer<Identifier, never, Call.Call | MarketRules> =>
  ServiceLayer.layer(
    service,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const ids = yield* ClientOrderIds
      const isEchoed = echoes(dialect.policy)
      const call = make(endpoint, {
        check: (request) => LocalRefusal.withinMarketRules(rules, endpoint, dialect, bounds(request)),
        contradiction: (request, order) => {
          const bounded = bounds(request)
          for (const [leg, type, asked] of legs(order, request)) {
            const problem = OrderEcho.contradiction(asked, type, bounded, leg)
            if (problem !== undefined) return problem
          }
          return undefined
        }
      })
      return {
        create: (asked: Asked) =>
          Observation.requested(
            endpoint.name,
            Effect.flatMapEager(ids.assign(asked), (request) =>
              Effect.flatMap(call(request), (order) =>
                EchoCheck.check(
                  endpoint.name,
                  order,
                  request.clientOrderId,
                  legs(order, request).map(([{ clientOrderId }]) => clientOrderId),
                  isEchoed
                )))
          )
      }
    })
  )
