import { describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ServerTime } from "../../src/endpoints/ServerTime.ts"
import { dialects, same, traders } from "../support/trading.ts"

describe.each(dialects)("the server time in the $name dialect", (dialect) => {
  it.live("the server time follows the machine's clock", () =>
    Effect.gen(function*() {
      const before = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const time = yield* ServerTime.use((service) => service.get)
      same(time >= before && time <= before + 2, true)
    }).pipe(Effect.provide(traders(dialect))))
})
