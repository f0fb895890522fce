import type { Scenario } from "effect-txc/explore"
import type { gallery } from "./all.ts"

/** For each mistake, a scenario that reveals it. A search with seed 0 has found and shrunk these scenarios. */
export const counterexamples: { readonly [Name in keyof typeof gallery]: Scenario.Scenario } = {
  cancelsAndAssumesGone: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      {
        _tag: "Fault",
        at: 0,
        fault: { path: "/api/v4/order/cancel", skip: 0, times: 1, symptom: { _tag: "Late", millis: 4981 } }
      }
    ]
  },
  checksThenActs: {
    order: 0,
    latency: { from: 0, to: 137 },
    events: []
  },
  countsFillTwice: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "KillAtCall", call: 7, downMillis: 0 }
    ]
  },
  dropsCancelAtRateLimit: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Fault", at: 0, fault: { skip: 6, times: 2, symptom: { _tag: "Refuse", kind: "rateLimited" } } }
    ]
  },
  forgetsPartialFill: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Trade", at: 61, market: "BTC_USDT", side: "sell", thousandths: 1 }
    ]
  },
  forgetsStopOrders: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Trade", at: 61, market: "BTC_USDT", side: "sell", thousandths: 1 }
    ]
  },
  hedgesTwice: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Trade", at: 1060, market: "BTC_USDT", side: "sell", thousandths: 1 }
    ]
  },
  ignoresAcceptedUnreadable: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      {
        _tag: "Fault",
        at: 0,
        fault: {
          path: "/api/v4/order/new",
          skip: 1,
          symptom: {
            _tag: "Answer",
            applied: true,
            status: 200,
            headers: { "content-type": "application/json" },
            body: "{\"orderId\":1}"
          }
        }
      }
    ]
  },
  keepsTradingWithDisabledKey: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Key", at: 0, enabled: false }
    ]
  },
  mixesUpClientOrderIds: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "KillAtCall", call: 2, downMillis: 0 }
    ]
  },
  readsOnlyFirstPage: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Price", at: 0, market: "BTC_USDT", permille: -25, overMillis: 4867 }
    ]
  },
  replacesWithoutFilledPart: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Trade", at: 61, market: "BTC_USDT", side: "sell", thousandths: 1 }
    ]
  },
  restartsWithoutLooking: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Kill", at: 41, downMillis: 0 }
    ]
  },
  retriesAfterTimeout: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      {
        _tag: "Fault",
        at: 0,
        fault: { path: "/api/v4/order/new", skip: 0, times: 1, symptom: { _tag: "Truncate", bytes: 0 } }
      }
    ]
  },
  storesAfterActing: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "KillAtCall", call: 2, downMillis: 0 }
    ]
  },
  sumsFloats: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: []
  },
  takesNotFoundForNeverPlaced: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Trade", at: 61, market: "BTC_USDT", side: "sell", thousandths: 1 }
    ]
  },
  takesRefusedNonceForPlaced: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      {
        _tag: "Fault",
        at: 0,
        fault: { path: "/api/v4/order/new", skip: 0, times: 1, symptom: { _tag: "Refuse", kind: "nonceOutsideWindow" } }
      }
    ]
  },
  trustsLocalClock: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Drift", at: 0, millis: -1581 }
    ]
  },
  trustsStalePrice: {
    order: 0,
    latency: { from: 20, to: 20 },
    events: [
      { _tag: "Price", at: 61, market: "BTC_USDT", permille: -26, overMillis: 0 },
      { _tag: "Fault", at: 0, fault: { skip: 0, times: 3, symptom: { _tag: "Lose" } } }
    ]
  }
}
