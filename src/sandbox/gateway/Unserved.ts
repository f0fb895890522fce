/**
 * The live exchange's calls that this sandbox does not serve, grouped by subject. The refusal of such a call says that
 * the sandbox does not serve it, so that the caller does not look for a mistake in the path.
 *
 * Source: the live exchange's documentation of API V4, and its earlier documentation of API V1 and V2.
 */
import type * as Contract from "../../endpoints/all.ts"
import * as Paths from "../../protocol/Paths.ts"

/** The calls about one subject that the sandbox does not serve. */
export interface Subject<Path extends string = string> {
  /** The subject, in a few words. */
  readonly name: string
  /** The paths of the calls. A path may contain fields: `/api/v2/public/depth/{market}`. */
  readonly paths: ReadonlyArray<Path>
}

const under = <const Folder extends string, const Name extends string>(
  folder: Folder,
  ...names: ReadonlyArray<Name>
): ReadonlyArray<`${Folder}/${Name}`> => names.map((name) => `${folder}/${name}` as const)

const notServed = [
  {
    name: "order history of delisted markets",
    paths: ["/api/v4/trade-account/order/history/query"]
  },
  {
    name: "deposits",
    paths: [
      ...under("/api/v4/main-account", "address", "create-new-address", "fiat-deposit-url", "refund-deposit"),
      ...under("/api/v4/travel-rule", "deposit/verification", "vasps")
    ]
  },
  {
    name: "withdrawals",
    paths: under("/api/v4/main-account", "express-withdraw/token", "withdraw", "withdraw-pay")
  },
  {
    name: "deposit and withdrawal history",
    paths: ["/api/v4/main-account/history"]
  },
  {
    name: "lists of an account's codes",
    paths: under("/api/v4/main-account/codes", "history", "my")
  },
  {
    name: "conversion",
    paths: under("/api/v4/convert", "confirm", "estimate", "history")
  },
  {
    name: "fixed lending, except interest payments",
    paths: under("/api/v4/main-account/smart", "investment", "investment/close", "investments", "plans")
  },
  {
    name: "flexible lending",
    paths: [
      "/api/v4/main-account/smart-flex/plans",
      "/api/v4/main-account/smart-flex/investments",
      ...under(
        "/api/v4/main-account/smart-flex/investments",
        "auto-invest",
        "close",
        "history",
        "invest",
        "payment-history",
        "withdraw"
      )
    ]
  },
  { name: "credit lines", paths: ["/api/v4/credit-line/loans/info"] },
  {
    name: "sub-account management",
    paths: under(
      "/api/v4/sub-account",
      "balances",
      "block",
      "edit",
      "kyc-url",
      "transfer",
      "transfer/history",
      "unblock",
      "withdraw/confirm",
      "withdraw/unconfirmed-list"
    )
  },
  {
    name: "management of sub-account API keys",
    paths: under(
      "/api/v4/sub-account/api-key",
      "delete",
      "edit",
      "ip-address/create",
      "ip-address/delete",
      "ip-address/list",
      "reset"
    )
  },
  { name: "address checks (AML)", paths: under("/api/v4/aml/checks", "assets", "create", "history", "result") },
  {
    name: "mining",
    paths: [
      "/api/v4/public/mining-pool",
      ...under(
        "/api/v4/mining",
        "accounts",
        "accounts/create",
        "hashrate",
        "miners/info",
        "payout-destination",
        "payout-destination/edit",
        "rewards",
        "watcher-links/create",
        "watcher-links/list",
        "workers/hashrate",
        "workers/names"
      )
    ]
  },
  {
    name: "JWT and card tokens",
    paths: ["/api/v4/jwt", "/api/card-token"]
  },
  {
    name: "OAuth",
    paths: [
      "/auth/login",
      ...under("/oauth2", "api-key/info", "api-key/{externalId}", "api-key/{externalId}/secret"),
      ...under("/oauth2", "refresh_token", "token"),
      ...under(
        "/api/v4/accounts",
        "balances/main",
        "balances/spot",
        "converts",
        "deals",
        "orders",
        "transactions"
      )
    ]
  },
  { name: "API V4 candles", paths: ["/api/v4/public/kline"] },
  {
    name: "API V1, except prices and trades",
    paths: [
      ...under("/api/v1/public", "depth/result", "markets", "symbols"),
      ...under(
        "/api/v1",
        "account/balance",
        "account/balances",
        "account/executed_history",
        "account/executed_history/all",
        "account/order",
        "account/order_history",
        "order/cancel",
        "order/new",
        "orders"
      )
    ]
  },
  {
    name: "API V2",
    paths: under("/api/v2/public", "assets", "depth/{market}", "fee", "markets", "ticker", "trades/{market}")
  }
] as const satisfies ReadonlyArray<Subject>

type Served = Contract.EndpointOf<Contract.Name>["path"]

type NotServed = (typeof notServed)[number]["paths"][number]

/**
 * The unserved calls, grouped by subject. A path that belongs to an endpoint in the contract is a compile error here.
 */
export const subjects: ReadonlyArray<Subject<Exclude<NotServed, Served>>> = notServed

const byPath: ReadonlyMap<string, Subject> = new Map(
  subjects.flatMap((subject) => subject.paths.map((path) => [path, subject]))
)

const templates = [...byPath].filter(([path]) => path.includes("{"))

/** The subject of a path that the live exchange has but this sandbox does not serve. */
export const find = (path: string): Subject | undefined =>
  byPath.get(path) ?? templates.find(([template]) => Paths.match({ path: template }, path) !== undefined)?.[1]
