/** The check that the market named in a request exists. */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { Violations } from "../engine/Reply.ts"
import type { Context } from "./Handler.ts"

/** The violations of a request that names an unknown market. */
export const check = (
  { market }: { readonly market?: MarketName },
  { state }: Pick<Context, "state">
): Violations => market === undefined || state.markets.has(market) ? [] : [["market", { kind: "known" }]]
