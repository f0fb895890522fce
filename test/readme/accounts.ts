import { Credentials, Exchange, MainBalance, type Region, Settings } from "effect-txc"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

class Maker extends Context.Service<Maker, Context.Context<Exchange.Services>>()("app/Maker") {}
class Hedger extends Context.Service<Hedger, Context.Context<Exchange.Services>>()("app/Hedger") {}

/** All services of one account. The file with the account's key must be readable only by its owner. */
const account = <Self>(
  as: Context.Key<Self, Context.Context<Exchange.Services>>,
  region: Region.Options,
  keyFile: string
) =>
  Layer.effect(as, Effect.context<Exchange.Services>()).pipe(
    Layer.provide(Layer.unwrap(
      Effect.map(Credentials.Credentials, (credentials) => Exchange.layer({ ...region, credentials }))
    )),
    Layer.provide(Settings.layerCredentialsFile(keyFile))
  )

export const accounts = (region: Region.Options, folder: string) =>
  Layer.merge(account(Maker, region, `${folder}/maker.env`), account(Hedger, region, `${folder}/hedger.env`))

const balance = MainBalance.MainBalance.use((balance) => balance.all)

// Needs an HttpClient and a FileSystem, such as FetchHttpClient.layer and NodeFileSystem.layer.
export const program = Effect.gen(function*() {
  const maker = yield* Effect.provideContext(balance, yield* Maker)
  const hedger = yield* Effect.provideContext(balance, yield* Hedger)
  return [maker, hedger] as const
})
