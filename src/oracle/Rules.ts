/** All rules, in the sequence of the document's subjects. */
import type { Rule } from "./Rule.ts"
import * as AccountTerms from "./rules/AccountTerms.ts"
import * as Activation from "./rules/Activation.ts"
import * as Activity from "./rules/Activity.ts"
import * as ApiKeys from "./rules/ApiKeys.ts"
import * as Assets from "./rules/Assets.ts"
import * as Authentication from "./rules/Authentication.ts"
import * as Balances from "./rules/Balances.ts"
import * as BestBidOffer from "./rules/BestBidOffer.ts"
import * as Borrowing from "./rules/Borrowing.ts"
import * as Bounds from "./rules/Bounds.ts"
import * as CancelAll from "./rules/CancelAll.ts"
import * as Candles from "./rules/Candles.ts"
import * as CandleWindows from "./rules/CandleWindows.ts"
import * as Codes from "./rules/Codes.ts"
import * as Conditional from "./rules/Conditional.ts"
import * as ConditionalGroups from "./rules/ConditionalGroups.ts"
import * as ConditionalStates from "./rules/ConditionalStates.ts"
import * as Creations from "./rules/Creations.ts"
import * as CumulativeFills from "./rules/CumulativeFills.ts"
import * as Deals from "./rules/Deals.ts"
import * as DocumentRecords from "./rules/DocumentRecords.ts"
import * as Errors from "./rules/Errors.ts"
import * as Execution from "./rules/Execution.ts"
import * as Fees from "./rules/Fees.ts"
import * as Fills from "./rules/Fills.ts"
import * as FilteredLists from "./rules/FilteredLists.ts"
import * as FilteredRecords from "./rules/FilteredRecords.ts"
import * as Fresh from "./rules/Fresh.ts"
import * as General from "./rules/General.ts"
import * as HedgeMode from "./rules/HedgeMode.ts"
import * as Interest from "./rules/Interest.ts"
import * as KeyAccess from "./rules/KeyAccess.ts"
import * as KillSwitch from "./rules/KillSwitch.ts"
import * as Limits from "./rules/Limits.ts"
import * as Liquidations from "./rules/Liquidations.ts"
import * as LiveBulk from "./rules/LiveBulk.ts"
import * as LiveCancels from "./rules/LiveCancels.ts"
import * as LiveChanges from "./rules/LiveChanges.ts"
import * as LiveChangeTerms from "./rules/LiveChangeTerms.ts"
import * as LiveOptions from "./rules/LiveOptions.ts"
import * as LiveOrderEntry from "./rules/LiveOrderEntry.ts"
import * as LiveOrderTerms from "./rules/LiveOrderTerms.ts"
import * as LivePages from "./rules/LivePages.ts"
import * as LiveRefusedChanges from "./rules/LiveRefusedChanges.ts"
import * as LiveServed from "./rules/LiveServed.ts"
import * as LiveSteps from "./rules/LiveSteps.ts"
import * as LiveStops from "./rules/LiveStops.ts"
import * as MainBalance from "./rules/MainBalance.ts"
import * as Margin from "./rules/Margin.ts"
import * as MarginLists from "./rules/MarginLists.ts"
import * as MarginModes from "./rules/MarginModes.ts"
import * as MarketOrders from "./rules/MarketOrders.ts"
import * as Markets from "./rules/Markets.ts"
import * as MarketTerms from "./rules/MarketTerms.ts"
import * as Matching from "./rules/Matching.ts"
import * as MatchingKinds from "./rules/MatchingKinds.ts"
import * as Models from "./rules/Models.ts"
import * as Nonces from "./rules/Nonces.ts"
import * as Oco from "./rules/Oco.ts"
import * as OcoLists from "./rules/OcoLists.ts"
import * as OcoReduceOnly from "./rules/OcoReduceOnly.ts"
import * as OcoResponse from "./rules/OcoResponse.ts"
import * as OrderAnswers from "./rules/OrderAnswers.ts"
import * as OrderBooks from "./rules/OrderBooks.ts"
import * as OrderLists from "./rules/OrderLists.ts"
import * as OrderRequests from "./rules/OrderRequests.ts"
import * as OrderStatus from "./rules/OrderStatus.ts"
import * as OtoExits from "./rules/OtoExits.ts"
import * as OwnRecords from "./rules/OwnRecords.ts"
import * as Pagination from "./rules/Pagination.ts"
import * as Permissions from "./rules/Permissions.ts"
import * as PositionRecords from "./rules/PositionRecords.ts"
import * as Positions from "./rules/Positions.ts"
import * as PositionSides from "./rules/PositionSides.ts"
import * as PositionSteps from "./rules/PositionSteps.ts"
import * as PositionWindows from "./rules/PositionWindows.ts"
import * as PublicData from "./rules/PublicData.ts"
import * as PublicLists from "./rules/PublicLists.ts"
import * as PublicSeries from "./rules/PublicSeries.ts"
import * as RecordAgreement from "./rules/RecordAgreement.ts"
import * as RecordFilters from "./rules/RecordFilters.ts"
import * as RecordPages from "./rules/RecordPages.ts"
import * as RecordTimes from "./rules/RecordTimes.ts"
import * as Reducing from "./rules/Reducing.ts"
import * as References from "./rules/References.ts"
import * as Refused from "./rules/Refused.ts"
import * as Replacements from "./rules/Replacements.ts"
import * as Rpi from "./rules/Rpi.ts"
import * as SelfTrade from "./rules/SelfTrade.ts"
import * as ServerStatus from "./rules/ServerStatus.ts"
import * as ServerTime from "./rules/ServerTime.ts"
import * as StopLimit from "./rules/StopLimit.ts"
import * as StreamAccess from "./rules/StreamAccess.ts"
import * as StreamBalances from "./rules/StreamBalances.ts"
import * as StreamCandles from "./rules/StreamCandles.ts"
import * as StreamChains from "./rules/StreamChains.ts"
import * as StreamCollateral from "./rules/StreamCollateral.ts"
import * as StreamDays from "./rules/StreamDays.ts"
import * as StreamDepth from "./rules/StreamDepth.ts"
import * as StreamFills from "./rules/StreamFills.ts"
import * as StreamMargin from "./rules/StreamMargin.ts"
import * as StreamMessages from "./rules/StreamMessages.ts"
import * as StreamOrders from "./rules/StreamOrders.ts"
import * as StreamPrices from "./rules/StreamPrices.ts"
import * as StreamReferences from "./rules/StreamReferences.ts"
import * as StreamRequests from "./rules/StreamRequests.ts"
import * as StreamSteps from "./rules/StreamSteps.ts"
import * as StreamSubscriptions from "./rules/StreamSubscriptions.ts"
import * as StreamTrades from "./rules/StreamTrades.ts"
import * as SubAccountDeletion from "./rules/SubAccountDeletion.ts"
import * as SubAccounts from "./rules/SubAccounts.ts"
import * as Times from "./rules/Times.ts"
import * as Trades from "./rules/Trades.ts"
import * as TradingFees from "./rules/TradingFees.ts"
import * as Triggered from "./rules/Triggered.ts"

/**
 * All rules. If the meaning of a rule changes, `Report.version` changes too.
 *
 * @category rules
 */
export const rules: ReadonlyArray<Rule> = [
  ...General.rules,
  ...Authentication.rules,
  ...Nonces.rules,
  ...KeyAccess.rules,
  ...Permissions.rules,
  ...Errors.rules,
  ...Refused.rules,
  ...Pagination.rules,
  ...Interest.rules,
  ...Oco.rules,
  ...OcoResponse.rules,
  ...OcoReduceOnly.rules,
  ...StopLimit.rules,
  ...BestBidOffer.rules,
  ...SelfTrade.rules,
  ...CancelAll.rules,
  ...Fees.rules,
  ...MainBalance.rules,
  ...ServerStatus.rules,
  ...Markets.rules,
  ...Activity.rules,
  ...Candles.rules,
  ...PublicLists.rules,
  ...PublicData.rules,
  ...OrderBooks.rules,
  ...Trades.rules,
  ...MarketTerms.rules,
  ...References.rules,
  ...CandleWindows.rules,
  ...PublicSeries.rules,
  ...Assets.rules,
  ...TradingFees.rules,
  ...ServerTime.rules,
  ...Balances.rules,
  ...Codes.rules,
  ...SubAccounts.rules,
  ...ApiKeys.rules,
  ...SubAccountDeletion.rules,
  ...DocumentRecords.rules,
  ...FilteredLists.rules,
  ...Creations.rules,
  ...AccountTerms.rules,
  ...Activation.rules,
  ...OrderStatus.rules,
  ...Execution.rules,
  ...CumulativeFills.rules,
  ...Deals.rules,
  ...LiveServed.rules,
  ...OrderAnswers.rules,
  ...OrderLists.rules,
  ...OwnRecords.rules,
  ...RecordAgreement.rules,
  ...RecordPages.rules,
  ...RecordFilters.rules,
  ...RecordTimes.rules,
  ...Fills.rules,
  ...Fresh.rules,
  ...MarketOrders.rules,
  ...Matching.rules,
  ...MatchingKinds.rules,
  ...Rpi.rules,
  ...Positions.rules,
  ...PositionRecords.rules,
  ...PositionSteps.rules,
  ...PositionSides.rules,
  ...PositionWindows.rules,
  ...FilteredRecords.rules,
  ...Bounds.rules,
  ...Liquidations.rules,
  ...Margin.rules,
  ...MarginLists.rules,
  ...MarginModes.rules,
  ...Borrowing.rules,
  ...HedgeMode.rules,
  ...Times.rules,
  ...KillSwitch.rules,
  ...Conditional.rules,
  ...ConditionalGroups.rules,
  ...ConditionalStates.rules,
  ...OtoExits.rules,
  ...OcoLists.rules,
  ...Reducing.rules,
  ...LiveStops.rules,
  ...Triggered.rules,
  ...LiveChanges.rules,
  ...LiveRefusedChanges.rules,
  ...LiveChangeTerms.rules,
  ...Replacements.rules,
  ...LiveBulk.rules,
  ...LiveCancels.rules,
  ...LiveSteps.rules,
  ...LiveOrderEntry.rules,
  ...LiveOrderTerms.rules,
  ...LiveOptions.rules,
  ...OrderRequests.rules,
  ...LivePages.rules,
  ...StreamMessages.rules,
  ...StreamAccess.rules,
  ...StreamRequests.rules,
  ...StreamSteps.rules,
  ...StreamSubscriptions.rules,
  ...StreamDays.rules,
  ...StreamDepth.rules,
  ...StreamChains.rules,
  ...StreamReferences.rules,
  ...StreamTrades.rules,
  ...StreamPrices.rules,
  ...StreamCandles.rules,
  ...StreamCollateral.rules,
  ...StreamOrders.rules,
  ...StreamFills.rules,
  ...StreamBalances.rules,
  ...StreamMargin.rules,
  ...Models.rules,
  ...Limits.rules
]
