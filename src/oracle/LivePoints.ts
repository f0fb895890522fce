/** Points that the live exchange's documentation leaves open, for calls that only this documentation describes. */

/** The open points of these calls, with this project's stance on each. */
export const livePoints = [
  {
    id: "open.live.market-data",
    point: "How candles and trades are ordered and aligned, whether all lists give a trade the same id, how open "
      + "interest is counted, and how the older calls refuse an invalid parameter",
    stance: "candles start at multiples of their interval, oldest first; trades are listed latest first, with one id "
      + "everywhere; each contract is counted once; the older calls refuse an invalid parameter in the form of the "
      + "candles call. The current interval has a candle, but an interval without trades has no candle",
    rules: [
      "candles.rows",
      "candles.times",
      "summary.refusal",
      "trade-history.order",
      "trade-history.refusal",
      "futures.open-interest",
      "trades.agree"
    ]
  },
  {
    id: "open.live.grouping",
    point: "The price step of each grouping level of an order book",
    stance: "ten units of the price's last decimal place at level 1, and ten times more at each further level",
    rules: ["book.grouping"]
  },
  {
    id: "open.live.agreement",
    point: "How far the lists of currencies, markets and fees agree with each other",
    stance: "they agree completely; a market is frozen when its trading is off",
    rules: [
      "assets.agree",
      "assets.complete",
      "assets.networks",
      "futures.terms",
      "trading-fees.listed",
      "trading-fees.assets",
      "tickers.frozen"
    ]
  },
  {
    id: "open.live.interest",
    point: "The balance that receives the interest of a fixed-term plan",
    stance: "the main balance",
    rules: ["balances.interest"]
  },
  {
    id: "open.live.collateral",
    point:
      "Which price values a position, which leverage is the default, which profit pnl shows, and what an open order "
      + "does to the collateral balance",
    stance: "the mark price values a position; the default leverage is ten; pnl is the realized profit without fees; "
      + "an open order does not change the collateral balance until it trades",
    rules: ["balances.collateral", "positions.margin", "positions.profit", "positions.realized", "positions.tpsl"]
  },
  {
    id: "open.live.margin-calls",
    point:
      "When an account gets a margin call, when it is liquidated, how much is closed first, and the liquidation fee",
    stance: "margin call at 1.5 times the maintenance margin, liquidation at the maintenance margin, which is half the "
      + "initial margin, as three captures show; a quarter of a position is closed first; there is no liquidation fee",
    rules: { unchecked: "only the owner of an exchange can move a mark price" }
  },
  {
    id: "open.live.token-limit",
    point: "By which clock a sandbox limits requests for a WebSocket token, and which earlier requests it counts",
    stance: "by the sandbox's clock; each API key has its own count",
    rules: ["limits.tokens"]
  },
  {
    id: "open.live.leverage",
    point: "Whether leverage can change while there are positions, and the leverage of a position that spans brackets",
    stance: "it can, and all positions change with it; the position's total cost determines the bracket",
    rules: { unchecked: "the documentation contradicts itself, so a target may do either" }
  },
  {
    id: "open.live.position-side",
    point: "What LONG and SHORT mean in one-way mode, and when an order opens the opposite position (code 115)",
    stance: "LONG and SHORT are ignored; an order may always open the opposite position, so code 115 is never used",
    rules: { unchecked: "the documentation contradicts itself, so a target may do either" }
  },
  {
    id: "open.live.borrowing",
    point: "What a margin position borrows, its interest, and the weight of each asset as collateral",
    stance: "it borrows what its margin does not cover, at 0.0585 % per day; USDT counts in full, BTC and ETH at 95 %",
    rules: ["margin.borrowed", "margin.borrows"]
  },
  {
    id: "open.live.free-margin",
    point: "How the margin summary's freeMargin is computed, which profit its pnl shows, and which marginFraction it "
      + "shows without positions",
    stance: "equity minus margin plus pnl minus unrealizedFunding, as captured responses show; pnl is the unrealized "
      + "profit; without positions, marginFraction is 1000000000000000000000, as a captured response shows",
    rules: ["margin.free", "margin.pnl", "margin.fraction", "margin.summary.sums"]
  },
  {
    id: "open.live.keys",
    point: "What a new key of a sub-account may call, how a call beyond the sub-account's permissions is refused, "
      + "and whether the status of a new sub-account is final",
    stance: "the key may call every endpoint; the call is refused like a call with a key that lacks access; the "
      + "status is final",
    rules: [
      "api-key-creation.unrestricted",
      "api-key-creation.permissions",
      "sub-account-creation.status"
    ]
  },
  {
    id: "open.live.debts",
    point: "What happens to a loss that exceeds the collateral",
    stance: "the account owes the remainder, and later credits pay the debt first; until then, orders that open a "
      + "position or spend the owed asset are refused for lack of balance",
    rules: { unchecked: "no response shows a debt" }
  },
  {
    id: "open.live.kill-switch",
    point: "Which clock a kill switch uses, and its precision",
    stance: "the venue's clock, to the microsecond",
    rules: { unchecked: "the rules leave a second on either side of the timeout" }
  },
  {
    id: "open.live.conditional",
    point: "When the take-profit and stop-loss of a margin order are placed, on which side of the order's price "
      + "they must be, whether their group has its own id, and how the list of conditional orders is sorted",
    stance: "once the order is filled, for the filled amount; a triggered leg cancels the other leg; a leg on the "
      + "wrong side is refused with code 105 or 106; the group has its own id; the latest is listed first",
    rules: [
      "oto.answer",
      "oto.side",
      "conditional.listed"
    ]
  },
  {
    id: "open.live.stops",
    point: "What happens to the part of a triggered stop-market order that the book does not fill",
    stance: "it is canceled",
    rules: ["live-stops.market.never-rests"]
  },
  {
    id: "open.live.reduce-only",
    point:
      "Whether a reduce-only stop or OCO order is canceled when its position closes: the documentation says so only "
      + "for limit orders",
    stance: "it is canceled, with status AUTO_CANCELED_REDUCE_ONLY",
    rules: ["reduce-only.ended.waiting"]
  },
  {
    id: "open.live.changes",
    point: "What the new amount of a partly filled order means, and whether a change without stp keeps the order's "
      + "stp: the live exchange's documentation shows no as the default",
    stance: "the amount includes the filled part, which stays with the old order; stp is kept",
    rules: ["live-changes.part.amount", "live-changes.stp"]
  },
  {
    id: "open.live.price-band",
    point: "How far an order's price may be from the last price: the documentation shows only the error code",
    stance: "at most five times and at least a tenth of the last price, for activation prices too; unlimited in the "
      + "document's dialect",
    rules: { unchecked: "the width is not documented, so a target chooses its own" }
  },
  {
    id: "open.live.retail",
    point: "Which accounts may place rpi and retail orders, and what such an order does if it meets no order of the "
      + "other kind",
    stance: "the sandbox's owner admits accounts; the order rests, even if its price crosses a hidden order",
    rules: { unchecked: "a caller can't admit an account" }
  },
  {
    id: "open.live.market-funds",
    point: "The funds that a market order needs when the book offers less than its amount",
    stance: "enough for the full amount, in which the part that the book does not offer is priced at the worst offer; "
      + "otherwise the order is refused with code 10; the part that the book does not offer is canceled",
    rules: ["market-orders.never-rests"]
  },
  {
    id: "open.live.bulk",
    point: "Whether the client order id of a bulk order may be empty, and how stopOnFail changes the response",
    stance: "it may be empty, and the order then has no client order id; the first refusal is the response's last item",
    rules: ["live-bulk.places"]
  },
  {
    id: "open.live.pages",
    point: "The largest limit of an order's deals, and the largest offset of the histories",
    stance: "the same as in similar lists: 500 and 4294967295",
    rules: ["live-pages.offset.histories"]
  },
  {
    id: "open.live.fees",
    point: "The fee of a fill, and its currency",
    stance: "the market's fee for the role; a spot buy pays the fee in the received currency, any other fill in the "
      + "quote currency",
    rules: ["fills.fee", "fills.rates"]
  },
  {
    id: "open.live.steps",
    point: "The code for a value that is off its market's step and has too many digits",
    stance: "code 1 if nothing else is wrong; code 30 if there is another error",
    rules: ["live-steps.refused", "live-steps.changes", "live-steps.bulk"]
  },
  {
    id: "open.live.stream-token",
    point: "How long a token for a WebSocket connection is valid, and whether it authorizes more than one connection",
    stance: "it is valid for 60 seconds, and authorizes more than one connection",
    rules: { unchecked: "no rule uses a token twice, or waits until a token expires" }
  },
  {
    id: "open.live.streams",
    point: "Over a WebSocket: whether an acknowledgement comes before the first message, whether each change of an "
      + "order book has its own number, what happens to levels beyond a book's limit, to a second subscription to "
      + "the same book and to a connection that sends text other than JSON, what the first message about best "
      + "prices shows, and whether unchanged balances are pushed",
    stance: "as in clients' recordings: the acknowledgement is first; each change has a larger number; a level beyond "
      + "the limit is removed; after a second subscription, the complete book is pushed again, and then each change "
      + "once; after text other than JSON, the connection closes without a response; the first message shows the "
      + "current best prices; only changed balances are pushed",
    rules: [
      "streams.subscribe.first",
      "streams.depth.again",
      "streams.depth.numbers",
      "streams.depth.window",
      "streams.book-ticker.first",
      "streams.balances.changed",
      "streams.not-json"
    ]
  }
]
