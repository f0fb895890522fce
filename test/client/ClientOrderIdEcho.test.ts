import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ClientOrderIdEcho from "../../src/client/ClientOrderIdEcho.ts"
import * as EchoCheck from "../../src/client/EchoCheck.ts"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { answered, stopLimit } from "../support/exchange.ts"
import { json } from "../support/http.ts"
import { logsInto } from "../support/logs.ts"

const mine = ClientOrderId.make("mine")
const other = ClientOrderId.make("other")

const rows: ReadonlyArray<
  readonly [string, ReadonlyArray<ClientOrderId | undefined>, echoes: boolean, ClientOrderIdEcho.ClientOrderIdEcho]
> = [
  ["echoed", [mine], true, "echoed"],
  ["echoed by both legs", [mine, mine], true, "echoed"],
  ["not echoed", [undefined], true, "missing"],
  ["echoed by only one leg", [mine, undefined], true, "missing"],
  ["replaced by a different id", [other], true, "missing"],
  ["not echoed by an endpoint that never echoes", [undefined, undefined], false, "never-echoed"],
  ["echoed by an endpoint that usually does not echo ids", [mine, mine], false, "echoed"],
  ["echoed by only one leg, at an endpoint that usually echoes none", [mine, undefined], false, "missing"],
  ["replaced by a different id, at an endpoint that usually echoes none", [other, other], false, "missing"]
]

describe("ClientOrderIdEcho.check", () => {
  for (const [name, received, echoes, expected] of rows) {
    it.effect(`a client order id ${name} is reported as ${expected}`, () => {
      const logged: Array<string> = []
      return Effect.gen(function*() {
        const created = yield* EchoCheck.check("Test.create", { amount: "1" }, mine, received, echoes)
        assert.deepStrictEqual(created, { amount: "1", sentClientOrderId: mine, clientOrderIdEcho: expected })
        assert.strictEqual(logged.length, expected === "missing" ? 1 : 0)
        if (expected === "missing") assert.match(logged.join(), /level=WARN.*Test\.create.*client order id mine/u)
      }).pipe(Effect.provide(logsInto(logged)))
    })
  }
})

describe("responses about orders", () => {
  const answer = {
    orderId: 17,
    market: "BTC_USDT",
    side: "buy",
    type: "stop limit",
    timestamp: 1,
    dealMoney: "0",
    dealStock: "0",
    amount: "0.5",
    left: "0.5",
    dealFee: "0",
    price: "1000.00",
    activation_price: "990.5"
  }
  const create = StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId: mine }))

  for (const [name, clientOrderId] of [["without the field", undefined], ["with an empty field", ""]] as const) {
    it.effect(`a missing client order id in a response ${name} is reported on the order and in the log`, () => {
      const logged: Array<string> = []
      return Effect.gen(function*() {
        const order = yield* create
        assert.strictEqual(order.clientOrderIdEcho, "missing")
        assert.notProperty(order, "clientOrderId")
        assert.match(logged.join(), /level=WARN.*StopLimitOrders\.create.*mine/u)
      }).pipe(
        Effect.provide([answered(() => json(200, { ...answer, clientOrderId }), Dialect.live), logsInto(logged)])
      )
    })
  }
})
