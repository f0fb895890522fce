/** Targets for the oracle: sandboxes in this process and behind a socket, with their control plane. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Target from "../../src/oracle/Target.ts"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import * as ControlPlane from "../../src/sandbox/ControlPlane.ts"
import * as InProcess from "../../src/sandbox/InProcess.ts"
import * as Server from "../../src/sandbox/Server.ts"
import * as Venue from "../../src/sandbox/Venue.ts"

const token = "oracle-control-token"

const control = (baseUrl: string): Target.ControlPlane => ({
  url: baseUrl + ControlPlane.prefix,
  token: Redacted.make(token)
})

/** Calls of the venue in this process, and of its control plane, as a server would tell them apart. */
const withControl = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function*() {
    const venue = yield* Venue.Venue
    const exchange = yield* HttpClient.HttpClient
    return HttpClient.make((request, url) => {
      if (!url.pathname.startsWith(ControlPlane.prefix)) return exchange.execute(request)
      const handled = ControlPlane.handle(venue, token, {
        method: request.method,
        path: url.pathname,
        headers: request.headers,
        body: request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array(),
        from: "oracle"
      })
      return Effect.map(
        handled ?? Effect.die("no path of the control plane"),
        (answer) =>
          answer._tag === "Answer"
            ? HttpClientResponse.fromWeb(request, new Response(answer.body, answer))
            : HttpClientResponse.fromWeb(request, new Response(null, { status: 502 }))
      )
    })
  })
).pipe(Layer.provide(InProcess.layer))

/** A fresh sandbox in this process; the venue may be a mutant. */
export const inProcess = (
  dialect: Dialect,
  venue: Layer.Layer<Venue.Venue> = Venue.layer({ dialect }).pipe(Layer.orDie)
) =>
  Target.fromLayer(withControl.pipe(Layer.provide(Layer.fresh(venue))), {
    baseUrl: InProcess.baseUrl,
    dialect,
    control: control(InProcess.baseUrl)
  })

/** A fresh sandbox behind a socket of this machine. */
export const overHttp = Effect.fnUntraced(function*(
  dialect: Dialect,
  venue: Layer.Layer<Venue.Venue> = Venue.layer({ dialect }).pipe(Layer.orDie)
) {
  const context = yield* Layer.build(Layer.fresh(venue))
  const { baseUrl } = yield* Server.serve({ controlToken: token }).pipe(Effect.provideContext(context))
  return yield* Target.fromLayer(NodeHttpClient.layerUndici, { baseUrl, dialect, control: control(baseUrl) })
})
