/** The handlers for an order's deals, for the kill switch, and for conditional orders. */
import * as Time from "../../domain/Time.ts"
import * as ConditionalOrders from "../../endpoints/ConditionalOrders.ts"
import type * as KillSwitchEndpoint from "../../endpoints/KillSwitch.ts"
import * as OrderDeals from "../../endpoints/OrderDeals.ts"
import type { KillSwitch } from "../engine/KillSwitch.ts"
import * as KillSwitches from "../engine/KillSwitches.ts"
import type { OcoOrder, OtoOrder } from "../engine/Order.ts"
import type { Fill } from "../engine/Trade.ts"
import { group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"
import * as OrderAnswers from "./OrderAnswers.ts"
import * as Page from "./Page.ts"
import * as Records from "./Records.ts"

/** Finds an order's fills in a list. */
export const fillsByOrder = Records.indexBy(({ order }: Fill) => order.id)

/** Merges two lists, latest first. */
const merged = function*(
  ocos: Iterator<OcoOrder, undefined>,
  otos: Iterator<OtoOrder, undefined>
): Generator<OcoOrder | OtoOrder, undefined> {
  let [oco, oto] = [ocos.next().value, otos.next().value]
  for (;;) {
    if (oco !== undefined && (oto === undefined || Number(oco.id) > Number(oto.id))) {
      yield oco
      oco = ocos.next().value
    } else if (oto !== undefined) {
      yield oto
      oto = otos.next().value
    } else return
  }
}

/** The live exchange returns whole seconds; the engine uses microseconds. */
const secondsOf = (micros: number): Time.UnixSeconds => Time.UnixSeconds.make(Math.floor(micros / 1e6))

const timer = ({ armedAt, firesAt, market, types }: KillSwitch): KillSwitchEndpoint.Timer => ({
  market,
  startTime: secondsOf(armedAt),
  cancellationTime: secondsOf(firesAt),
  ...(types === undefined ? {} : { types })
})

/** The handlers for an order's deals, for the kill switch, and for conditional orders. */
export const conditional = group({
  OrderDeals: {
    answer: (request, context) =>
      Page.make(
        request,
        OrderDeals.defaultLimit,
        Records.latest(
          fillsByOrder(context.state.fills.get(context.account) ?? [], request.orderId),
          ({ at }) => at
        ),
        (fill) => OrderAnswers.deal(fill, context)
      )
  },
  KillSwitch: {
    operation: ({ timeout, ...request }) => ({
      _tag: "SetKillSwitch",
      ...request,
      ...(timeout === null ? {} : { seconds: timeout })
    }),
    reply: "KillSwitchSet",
    answer: ({ killSwitch }) => killSwitch && timer(killSwitch)
  },
  KillSwitchStatus: {
    check: KnownMarket.check,
    answer: ({ market }, { account, state }) => KillSwitches.of(state, account, market).map(timer)
  },
  ConditionalOrders: {
    check: KnownMarket.checkCollateral,
    answer: ({ market, ...page }, context) => {
      const { account, state: { ocoOrders, otoOrders } } = context
      const latest = merged(ocoOrders.latest(account, market), otoOrders.latest(account, market))
      return {
        ...Page.make(
          page,
          ConditionalOrders.defaultLimit,
          latest,
          (found) => OrderAnswers.conditionalOrder(found, context)
        ),
        total: ocoOrders.countOf(account, market) + otoOrders.countOf(account, market)
      }
    }
  },
  CancelConditionalOrder: {
    operation: (request) => ({ _tag: "CancelConditional", ...request }),
    reply: "Done",
    answer: () => undefined
  },
  CancelOtoOrder: {
    operation: (request) => ({ _tag: "CancelOto", ...request }),
    reply: "Done",
    answer: () => undefined
  }
})
