/** A host's control plane over HTTP, with its own path prefix and its own token. Venues' tokens are not valid here. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Calling from "../control/Calling.ts"
import { prefix } from "../control/ControlApi.ts"
import type { Answer, Request } from "../gateway/Message.ts"
import * as ControlPlane from "../server/ControlPlane.ts"
import { HostApi } from "./HostApi.ts"
import type { Host } from "./HostService.ts"

const fieldsOf = Calling.fieldsOf([HostApi.groups.host])

/** Converts a request's path to the template that the API declares for it. */
const templateOf = (path: string): string => path.replace(/^(\/control\/v1\/Venues\/)[^/]+/u, "$1:id")

const groupLayer = (host: Host["Service"]) =>
  HttpApiBuilder.group(HostApi, "host", (handlers) =>
    handlers.handleAll({
      make: ({ payload }) => host.make(payload),
      list: ({ query }) => host.list(query.owner),
      find: ({ params }) => host.find(params.id),
      copy: ({ params, payload }) => host.copy(params.id, payload),
      sleep: ({ params }) => Effect.map(host.sleep(params.id), (asleep) => ({ asleep })),
      end: ({ params }) => Effect.as(host.end(params.id), {}),
      status: () => host.status,
      drain: ({ payload }) => Effect.as(host.drain(payload.node), {})
    }))

/** Creates the handler for requests to a host's control plane. */
export const make = Effect.fnUntraced(function*(
  host: Host["Service"]
): Effect.fn.Return<(request: Request) => Effect.Effect<Answer>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const app = yield* HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(HostApi, { openapiPath: `${prefix}openapi.json` }).pipe(
      Layer.provide(groupLayer(host)),
      Layer.provide(Calling.explainedLayer),
      Layer.provide(HttpServer.layerServices)
    )
  ).pipe(Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap))
  return (request) => {
    if (ControlPlane.isForeign(request)) return Effect.succeed(ControlPlane.foreign)
    if (!ControlPlane.isAuthorized(request.headers, host.token)) return Effect.succeed(ControlPlane.unauthorized)
    return Calling.run(app, scope, request, fieldsOf, templateOf(request.path))
  }
})
