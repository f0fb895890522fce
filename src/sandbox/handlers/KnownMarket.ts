/** The checks that the market named in a request exists, and that a call is available on the market. */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { Violations } from "../engine/Reply.ts"
import type { Context } from "./Handler.ts"

/** A request that may name a market. */
interface Request {
  readonly market?: MarketName
}

/** The violations of a request that names an unknown market. */
export const check = (
  { market }: Request,
  { state }: Pick<Context, "state">
): Violations => market === undefined || state.markets.has(market) ? [] : [["market", { kind: "known" }]]

/** The violations of a request that names a market without margin and futures trading. */
export const checkCollateral = ({ market }: Request, { state }: Pick<Context, "state">): Violations => {
  if (market === undefined) return []
  const { isCollateral = false, type } = state.markets.get(market) ?? {}
  return isCollateral || type === "futures" ? [] : [["market", { kind: "known" }]]
}

/** Like {@link checkCollateral}, but like {@link check} if the exchange does not enforce its further limits. */
export const checkListed = (request: Request, context: Pick<Context, "state">): Violations =>
  (context.state.policy.furtherLimits === "enforced" ? checkCollateral : check)(request, context)
