/** Faulty servers that return values just outside what a correct server may return. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as ServerStatus from "../../../src/endpoints/ServerStatus.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as Json from "../../../src/protocol/Json.ts"
import * as Signature from "../../../src/protocol/Signature.ts"
import { answering, changing, type Fields, type Mutant, mutant, unnamed } from "./Mutant.ts"

const stopLimit = StopLimitOrders.endpoint.path
const oco = CollateralOcoOrders.endpoint.path

export const mutants: ReadonlyArray<Mutant> = [
  mutant("stop-limit-position-side-number", "a stop-limit order shows its position's side as a number", {
    breaks: ["stop-limit.response.positionSide"],
    ...answering(stopLimit, "success", (json) => ({ ...json as Fields, positionSide: 1 }))
  }),
  mutant("oco-activation-price-other", "the stop leg shows a slightly different activation price", {
    breaks: ["oco.total.exact"],
    ...changing(oco, ["stop_loss", "activation_price"], (price) => String(Number(price) + 0.01))
  }),
  mutant("oco-same-pair-id", "all OCO pairs have the same id", {
    breaks: ["oco.ids.unique", "oco.parallel"],
    ...changing(oco, ["id"], () => 7)
  }),
  mutant("oco-same-leg-id", "both legs of an OCO order have the same id", {
    breaks: ["oco.ids.unique"],
    ...answering(oco, "success", (json, _request, _answer) => {
      if (!Json.isObject(json) || !Json.isObject(json["stop_loss"]) || !Json.isObject(json["take_profit"])) return json
      const { order_id, orderId } = json["stop_loss"]
      const id = order_id === undefined ? { orderId } : { order_id }
      return { ...json, take_profit: { ...json["take_profit"], ...id } }
    })
  }),
  mutant("stop-limit-total-unnamed", "the refusal of a total names no field", {
    breaks: ["stop-limit.request.total.min", "stop-limit.request.total.max"],
    dialects: ["live"],
    ...unnamed(stopLimit, "amount", "total")
  }),
  mutant("kyc-shared-negated", "a sub-account's shareKyc is inverted", {
    breaks: ["sub-accounts.listed"],
    ...changing(SubAccounts.endpoint.path, ["data", "*", "kyc", "shareKyc"], (isShared) => isShared !== true)
  }),
  mutant("balance-keys", "the main balance is keyed by the currencies' names", {
    breaks: ["balance.response"],
    ...answering(
      MainBalance.endpoint.path,
      "success",
      (json) =>
        Json.isObject(json)
          ? Object.fromEntries(Object.entries(json).map(([ticker, entry]) => [`the ${ticker}`, entry]))
          : json
    )
  }),
  mutant("public-headers-checked", "a public call with the headers of an unknown key is refused", {
    breaks: ["auth.public.headers"],
    make: () => ({
      answer: (answer, request) =>
        request.path === ServerStatus.endpoint.path && request.headers[Signature.headers.apiKey] === "nobody"
          ? { ...answer, status: 401 }
          : answer
    })
  }),
  mutant("open-orders-cached", "the list of an account's open orders never changes once it has been read", {
    breaks: ["orders.model"],
    make: () => {
      const first = new Map<string, string>()
      return {
        answer: (answer, request) => {
          if (request.path !== ActiveOrders.endpoint.path || answer.status !== 200) return answer
          const key = String(request.headers[Signature.headers.apiKey])
          const body = first.get(key) ?? answer.body
          first.set(key, body)
          return { ...answer, body }
        }
      }
    }
  })
]
