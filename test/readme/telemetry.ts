import { Exchange, MainBalance } from "effect-txc"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"

/** Sends spans, metrics and logs to an OpenTelemetry collector, such as http://localhost:4318. */
const telemetry = (collector: string) =>
  Otlp.layerJson({ baseUrl: collector, resource: { serviceName: "my-risk-system" } })

export const program = (collector: string) =>
  MainBalance.MainBalance.use((balance) => balance.all).pipe(
    Effect.provide(Layer.merge(Exchange.layerConfig, telemetry(collector)).pipe(Layer.provide(FetchHttpClient.layer)))
  )
