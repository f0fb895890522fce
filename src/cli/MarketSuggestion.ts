/** Suggests a similar market if a refused call or subscription names a market that the exchange does not list. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Markets from "../endpoints/Markets.ts"
import * as EndpointCall from "./EndpointCall.ts"
import * as Suggestion from "./Suggestion.ts"

/** The exchange refused a call whose market does not exist. */
class NoSuchMarket extends Schema.TaggedError<NoSuchMarket>()("NoSuchMarket", {
  refusal: Schema.String,
  suggestion: Schema.String
}) {
  override get message(): string {
    return `${this.refusal}\n${this.suggestion}`
  }
}

/** Returns a message that suggests a similar market, or `undefined` if the exchange lists the given market. */
const suggestion = Effect.fnUntraced(function*(market: string) {
  const markets = yield* Markets.Markets.use(({ all }) => all).pipe(
    Effect.provide(Layer.provide(Markets.Markets.layer, EndpointCall.layerPublic))
  )
  const names = markets.map(({ name }) => name)
  return names.some((name) => name === market)
    ? undefined
    : `There is no market ${market}${Suggestion.question(market, names)}`
}, Effect.orElseSucceed(() => undefined))

/** Fails with the refusal. If the exchange does not list `market`, the error also suggests a similar market. */
export const failWith = Effect.fnUntraced(
  function*<E extends { readonly message: string }>(refusal: E, market: unknown) {
    const found = typeof market === "string" ? yield* suggestion(market) : undefined
    return found === undefined
      ? yield* Effect.fail(refusal)
      : yield* new NoSuchMarket({ refusal: refusal.message, suggestion: found })
  }
)
