/** The gallery: twenty programs with one mistake each, and a repaired version of each program. */
import { cancelsAndAssumesGone } from "./cancelsAndAssumesGone.ts"
import { checksThenActs } from "./checksThenActs.ts"
import { countsFillTwice } from "./countsFillTwice.ts"
import { dropsCancelAtRateLimit } from "./dropsCancelAtRateLimit.ts"
import { forgetsPartialFill } from "./forgetsPartialFill.ts"
import { forgetsStopOrders } from "./forgetsStopOrders.ts"
import { hedgesTwice } from "./hedgesTwice.ts"
import { ignoresAcceptedUnreadable } from "./ignoresAcceptedUnreadable.ts"
import { keepsTradingWithDisabledKey } from "./keepsTradingWithDisabledKey.ts"
import { mixesUpClientOrderIds } from "./mixesUpClientOrderIds.ts"
import { readsOnlyFirstPage } from "./readsOnlyFirstPage.ts"
import { replacesWithoutFilledPart } from "./replacesWithoutFilledPart.ts"
import { restartsWithoutLooking } from "./restartsWithoutLooking.ts"
import { retriesAfterTimeout } from "./retriesAfterTimeout.ts"
import { storesAfterActing } from "./storesAfterActing.ts"
import { sumsFloats } from "./sumsFloats.ts"
import { takesNotFoundForNeverPlaced } from "./takesNotFoundForNeverPlaced.ts"
import { takesRefusedNonceForPlaced } from "./takesRefusedNonceForPlaced.ts"
import { trustsLocalClock } from "./trustsLocalClock.ts"
import { trustsStalePrice } from "./trustsStalePrice.ts"

/** The gallery's programs, keyed by file name. */
export const gallery = {
  cancelsAndAssumesGone,
  checksThenActs,
  countsFillTwice,
  dropsCancelAtRateLimit,
  forgetsPartialFill,
  forgetsStopOrders,
  hedgesTwice,
  ignoresAcceptedUnreadable,
  keepsTradingWithDisabledKey,
  mixesUpClientOrderIds,
  readsOnlyFirstPage,
  replacesWithoutFilledPart,
  restartsWithoutLooking,
  retriesAfterTimeout,
  storesAfterActing,
  sumsFloats,
  takesNotFoundForNeverPlaced,
  takesRefusedNonceForPlaced,
  trustsLocalClock,
  trustsStalePrice
}
