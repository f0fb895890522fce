/**
 * The deals of an order, and the kill switch.
 *
 * @since 0.1.0
 */
import * as Time from "../../domain/Time.ts"
import type * as KillSwitchEndpoint from "../../endpoints/KillSwitch.ts"
import * as OrderDeals from "../../endpoints/OrderDeals.ts"
import type { KillSwitch } from "../engine/KillSwitch.ts"
import * as KillSwitches from "../engine/KillSwitches.ts"
import type { Fill } from "../engine/Trade.ts"
import { group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"
import * as OrderAnswers from "./OrderAnswers.ts"
import * as Page from "./Page.ts"
import * as Records from "./Records.ts"

const fillsByOrder = Records.indexBy(({ order }: Fill) => order.id)

/** The live exchange tells the times in whole seconds; what counts are the microseconds. */
const secondsOf = (micros: number): Time.UnixSeconds => Time.UnixSeconds.make(Math.floor(micros / 1e6))

const timer = ({ armedAt, firesAt, market, types }: KillSwitch): KillSwitchEndpoint.Timer => ({
  market,
  startTime: secondsOf(armedAt),
  cancellationTime: secondsOf(firesAt),
  ...(types === undefined ? {} : { types })
})

/**
 * The handlers of the deals of an order, and of the kill switch.
 *
 * @category handlers
 * @since 0.1.0
 */
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
  }
})
