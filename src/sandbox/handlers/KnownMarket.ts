/** The check that the market of a request exists. */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { Violations } from "../engine/Reply.ts"
import type { Context } from "./Handler.ts"

/** Nothing is wrong with a request that names no market, or a market of this exchange. */
export const check = (
  { market }: { readonly market?: MarketName },
  { state }: Pick<Context, "state">
): Violations => market === undefined || state.markets.has(market) ? [] : [["market", { kind: "known" }]]
