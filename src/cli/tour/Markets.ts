/** The tour's chapter on public calls. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Assets } from "../../endpoints/Assets.ts"
import { Markets } from "../../endpoints/Markets.ts"
import { ServerStatus } from "../../endpoints/ServerStatus.ts"
import { ServerTime } from "../../endpoints/ServerTime.ts"
import { market } from "./Fixture.ts"
import { succeeds } from "./Row.ts"

/** The tour's calls without credentials: server status and time, markets and assets. */
export const rows = Effect.gen(function*() {
  const status = yield* ServerStatus
  const time = yield* ServerTime
  const markets = yield* Markets
  const assets = yield* Assets

  return [
    succeeds("ServerStatus.ping", "", status.ping, (pong) => pong),
    succeeds("ServerTime.get", "", time.get, (seconds) => `${seconds}`),
    succeeds("Markets.all", "", markets.all, (all) => `${all.length} markets`),
    succeeds("Markets.get", "BTC_USDT", markets.get(market), (found) =>
      Option.match(found, {
        onNone: () => undefined,
        onSome: ({ minAmount, moneyPrecision, stockPrecision }) =>
          `precisions ${stockPrecision} and ${moneyPrecision}, at least ${minAmount}`
      })),
    succeeds("Assets.all", "", assets.all, (all) => [...all.keys()].join(", "))
  ] as const
})
