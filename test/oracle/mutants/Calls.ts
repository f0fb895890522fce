/** Faults in authentication, in permissions and in the format of refusals. */
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as DeleteSubAccount from "../../../src/endpoints/DeleteSubAccount.ts"
import * as Fees from "../../../src/endpoints/Fees.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as ServerStatus from "../../../src/endpoints/ServerStatus.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as Paths from "../../../src/oracle/world/Paths.ts"
import type { Dialect, RefusalKind } from "../../../src/protocol/Dialect.ts"
import * as Json from "../../../src/protocol/Json.ts"
import * as Signature from "../../../src/protocol/Signature.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import {
  answering,
  type Change,
  type Fields,
  fieldsOf,
  type Instance,
  jsonOf,
  type Mutant,
  mutant,
  signed,
  withBody,
  withFields,
  withHeaders,
  without,
  withStatus,
  type Written
} from "./Mutant.ts"

const { apiKey, payload, signature } = Signature.headers

const isPrivate = ({ path }: Request): boolean => path.startsWith("/api/v4/") && !path.startsWith("/api/v4/public/")

/** Changes private requests before the venue receives them. */
const arriving = (change: (request: Request, venue: Instance) => Request): Change => ({
  make: () => ({ request: (request, venue) => isPrivate(request) ? change(request, venue) : request })
})

const has = (request: Request, name: string): boolean => typeof request.headers[name] === "string"

const anyKey = ({ state }: Instance): string => [...state.keys.keys()].at(-1) ?? ""

/** Changes fields in a private request's body, and signs the request again. */
const enveloping = (change: (fields: Fields, request: Request) => Fields): Change =>
  arriving((request, venue) => withFields(venue, request, (fields) => change(fields, request)))

/** Lets a fault replace the nonce with an unused one, which comes from a counter far from any clock. */
const counting = (change: (fields: Fields, next: () => Fields) => Fields): Change => ({
  make: () => {
    let last = 5e15
    return {
      request: (request, venue) => {
        if (!isPrivate(request)) return request
        const next = () => ({ nonce: venue.dialect.policy.nonce === "unique" ? (++last).toString() : ++last })
        return withFields(venue, request, (fields) => change(fields, next))
      }
    }
  }
})

/** Changes the request's stored key, or the key's account, before the venue checks them. */
const opening = (
  change: (key: { enabled: boolean; endpoints: unknown; b2b: boolean }, path: string) => void
): Change => ({
  make: () => ({
    before: ({ state }, request) => {
      const key = state.keys.get(String(request.headers[apiKey]) as never)
      const account = key === undefined ? undefined : state.accounts.get(key.account)
      if (key === undefined || account === undefined) return
      const open = { enabled: key.enabled, endpoints: key.endpoints, b2b: account.b2b }
      change(open, request.path)
      Object.assign(key, { enabled: open.enabled, endpoints: open.endpoints })
      Object.assign(account, { b2b: open.b2b })
    }
  })
})

/** Changes the status and the code of one kind of refusal. */
const refusing = (kind: RefusalKind, status: number, code: number) => (dialect: Dialect): Dialect => ({
  ...dialect,
  refusals: { ...dialect.refusals, [kind]: { ...dialect.refusals[kind], status, code } }
})

const isMember = ({ path }: Request): boolean => path === Fees.endpoint.path || path === MainBalance.endpoint.path

const changing: ReadonlyArray<string> = [
  CollateralOcoOrders.endpoint.path,
  StopLimitOrders.endpoint.path,
  Codes.endpoint.path,
  DeleteSubAccount.endpoint.path
]

/** The paths of the document's private calls. */
const documented: ReadonlySet<string> = new Set([
  ...changing,
  InterestPaymentHistory.endpoint.path,
  CancelAllOrders.endpoint.path,
  Fees.endpoint.path,
  MainBalance.endpoint.path,
  SubAccounts.endpoint.path,
  SubAccountApiKeys.endpoint.path
])

/** Converts a path to the form used in mutant ids. */
const named = (path: string): string => path.replace("/api/v4", "").replaceAll("/", "-")

const isChange = ({ path }: Request): boolean => changing.includes(path)

/** Changes every refusal of a private call. */
const refusals = (change: (json: Fields) => unknown): Change =>
  answering((path) => isPrivate({ path } as Request), "refusal", (json) => Json.isObject(json) ? change(json) : json)

const publicRefusals = (change: (json: Fields) => unknown): Change =>
  answering(
    (path) => path.startsWith("/api/v4/public/"),
    "refusal",
    (json) => Json.isObject(json) ? change(json) : json
  )

const ok = (answer: Written, body: unknown): Written => withBody({ ...answer, status: 200 }, body)

/** Whether the document requires `request` and `nonce` in calls to a path. */
const isEnveloped = (path: string): boolean => !Paths.unenveloped.includes(path)

/** Accepts any value of `request` on one path. */
const requestNotCompared: ReadonlyArray<Mutant> = [...documented].map((path): Mutant => ({
  id: `request-not-compared${named(path)}`,
  fault: `request can be any path in calls to ${path}`,
  breaks: isEnveloped(path) ? ["auth.request.path", "auth.request.prefix"] : ["auth.request.optional"],
  ...enveloping((fields, request) =>
    request.path === path && "request" in fields ? { ...fields, request: path } : fields
  )
}))

/** Sub-accounts that can trade without the permission, or can't trade with it. */
const permissions: ReadonlyArray<Mutant> = ([["spot", "spotEnabled"], ["collateral", "collateralEnabled"]] as const)
  .flatMap(([name, permission]) =>
    [true, false].map((isEnabled): Mutant => ({
      id: `permission-${name}-${isEnabled ? "ignored" : "worthless"}`,
      fault: isEnabled ? `trading does not need ${permission}` : `${permission} does not allow trading`,
      breaks: [`auth.permissions.${name}`],
      make: () => ({
        before: ({ state }) => {
          for (const subAccount of state.subAccounts.values()) Object.assign(subAccount, { [permission]: isEnabled })
        }
      })
    }))
  )

/** Replaces the body of every success with a scalar. */
const scalars: ReadonlyArray<Mutant> = [...documented].map((path): Mutant => ({
  id: `scalar${named(path)}`,
  fault: `the successful response of ${path} is a scalar`,
  breaks: ["general.answer.success"],
  ...answering(path, "success", () => true)
}))

/** @category mutants */
export const mutants: ReadonlyArray<Mutant> = [
  mutant("signature-not-checked", "every signature is accepted", {
    breaks: [
      "auth.signature",
      "auth.signature.key",
      "auth.signature.hash",
      "auth.signature.of-payload",
      "auth.signature.hex",
      "auth.signature.other-call",
      "auth.refusal"
    ],
    ...arriving((request, venue) => has(request, signature) && has(request, payload) ? signed(venue, request) : request)
  }),
  mutant("signature-not-checked-of-changes", "any signature is accepted for mutating calls", {
    breaks: ["auth.signature", "auth.signature.key", "auth.signature.hash", "auth.signature.of-payload"],
    ...arriving((request, venue) =>
      isChange(request) && has(request, signature) && has(request, payload) ? signed(venue, request) : request
    )
  }),
  mutant("signature-optional", "a call without a signature is accepted", {
    breaks: ["auth.signature.missing"],
    ...arriving((request, venue) => has(request, signature) ? request : signed(venue, request))
  }),
  mutant("payload-optional", "a call without a payload is accepted", {
    breaks: ["auth.payload.missing"],
    ...arriving((request, venue) => has(request, payload) ? request : signed(venue, request))
  }),
  mutant("payload-not-compared", "the body can differ from the signed payload, which can be plain text", {
    breaks: ["auth.payload.is-body", "auth.payload.is-body.nonce", "auth.payload.base64"],
    ...arriving((request, venue) => has(request, payload) && has(request, signature) ? signed(venue, request) : request)
  }),
  mutant("key-optional", "a call without a key is accepted with another account's key", {
    breaks: ["auth.api-key.missing"],
    ...arriving((request, venue) =>
      has(request, apiKey) ? request : signed(venue, withHeaders(request, { [apiKey]: anyKey(venue) }))
    )
  }),
  mutant("key-not-known", "an unknown key is accepted as another account's", {
    breaks: ["auth.api-key.unknown"],
    ...arriving((request, venue) =>
      has(request, apiKey) && !venue.state.keys.has(String(request.headers[apiKey]) as never)
        ? signed(venue, withHeaders(request, { [apiKey]: anyKey(venue) }))
        : request
    )
  }),
  mutant("content-type-not-checked", "a body of any type is read as JSON", {
    breaks: ["auth.content-type"],
    ...arriving((request) => withHeaders(request, { "content-type": "application/json" }))
  }),
  mutant("request-optional", "a body without request is accepted", {
    breaks: ["auth.request.required"],
    ...enveloping((fields, { path }) => ({ request: path, ...fields }))
  }),
  mutant("request-not-compared", "request can be any path", {
    breaks: ["auth.request.path", "auth.request.prefix"],
    ...enveloping((fields, { path }) => "request" in fields ? { ...fields, request: path } : fields)
  }),
  ...requestNotCompared,
  mutant("key-case-ignored", "API keys are compared case-insensitively", {
    breaks: ["auth.api-key.case"],
    ...arriving((request, venue) => {
      const given = String(request.headers[apiKey])
      const known = [...venue.state.keys.keys()].find((key) => key.toLowerCase() === given.toLowerCase())
      return known === undefined || known === given ? request : signed(venue, withHeaders(request, { [apiKey]: known }))
    })
  }),
  mutant("field-case-ignored", "field names are compared case-insensitively", {
    breaks: ["general.private.field-case"],
    ...enveloping((fields) => "LIMIT" in fields ? { ...without(fields, "LIMIT"), limit: fields["LIMIT"] } : fields)
  }),
  mutant("disabled-key-reads", "a disabled key can still list interest payments", {
    breaks: ["auth.key.enabled"],
    ...opening((key, path) => {
      if (path === InterestPaymentHistory.endpoint.path) key.enabled = true
    })
  }),
  mutant("enabled-key-refused", "no key can apply codes", {
    breaks: ["auth.key.enabled", "auth.key.endpoints.everywhere"],
    ...opening((key, path) => {
      if (path === Codes.endpoint.path) key.enabled = false
    })
  }),
  mutant("endpoints-not-checked-of-one", "a restricted key can still place OCO orders", {
    breaks: ["auth.key.endpoints.everywhere"],
    ...opening((key, path) => {
      if (path === CollateralOcoOrders.endpoint.path) key.endpoints = undefined
    })
  }),
  mutant("endpoints-not-checked-of-changes", "a restricted key can still change orders", {
    breaks: ["auth.key.endpoints.everywhere"],
    dialects: ["live"],
    ...opening((key, path) => {
      if (path === ModifyOrder.endpoint.path) key.endpoints = undefined
    })
  }),
  ...permissions,
  mutant("connections-break", "one connection in forty breaks before the response", {
    breaks: ["general.answer.each"],
    make: () => {
      let count = 0
      return { resets: ({ path }) => path.startsWith("/api/v4/") && ++count % 40 === 0 }
    }
  }),
  mutant("signed-calls-break", "one connection in forty breaks before the response to a signed call", {
    breaks: ["general.answer.each"],
    make: () => {
      let count = 0
      return { resets: (request) => isPrivate(request) && ++count % 40 === 0 }
    }
  }),
  ...scalars,
  mutant("nonce-optional", "a body without nonce is accepted", {
    breaks: ["auth.nonce.required"],
    ...counting((fields, next) => "nonce" in fields ? fields : { ...fields, ...next() })
  }),
  mutant("nonce-of-any-form", "a nonce that is not a number is accepted", {
    breaks: ["auth.nonce.form"],
    ...counting((fields, next) =>
      "nonce" in fields && !/^[0-9]+$/u.test(String(fields["nonce"])) ? { ...fields, ...next() } : fields
    )
  }),
  mutant("nonce-reusable", "a nonce can be used twice", {
    breaks: ["auth.nonce.unique", "auth.nonce.race", "auth.nonce.unique.refused-call", "auth.nonce.refusal"],
    ...counting((fields, next) => "nonce" in fields ? { ...without(fields, "nonceWindow"), ...next() } : fields)
  }),
  mutant("nonce-reusable-for-itself", "the list of fees accepts a nonce that it has accepted before", {
    breaks: ["auth.nonce.unique"],
    make: () => {
      const accepted = new Map<unknown, Written>()
      return {
        answer: (answer, request) => {
          if (request.path !== Fees.endpoint.path) return answer
          const { nonce } = fieldsOf(request) ?? {}
          if (answer.status === 200) accepted.set(nonce, answer)
          return accepted.get(nonce) ?? answer
        }
      }
    }
  }),
  mutant("nonce-reusable-for-changes", "mutating calls accept a used nonce", {
    breaks: ["auth.nonce.unique"],
    make: () => {
      let last = 5e15
      return {
        request: (request, venue) =>
          isChange(request)
            ? withFields(venue, request, (fields) => ({
              ...without(fields, "nonceWindow"),
              nonce: venue.dialect.policy.nonce === "unique" ? (++last).toString() : ++last
            }))
            : request
      }
    }
  }),
  mutant("nonce-shared", "keys share their nonces", {
    breaks: ["auth.nonce.per-key"],
    make: () => {
      const used = new Set<string>()
      return {
        request: (request) => {
          const nonce = String(fieldsOf(request)?.["nonce"])
          const isUsed = used.has(nonce)
          used.add(nonce)
          return isUsed && isPrivate(request) ? { ...request, path: "/api/v4/used" } : request
        }
      }
    }
  }),
  mutant("nonce-increasing-always", "a nonce must always be greater than the previous nonce", {
    breaks: ["auth.nonce.any-order"],
    make: () => {
      const last = new Map<string, number>()
      return {
        request: (request) => {
          const nonce = Number(fieldsOf(request)?.["nonce"])
          const key = String(request.headers[apiKey])
          const isLow = nonce <= (last.get(key) ?? 0)
          if (Number.isFinite(nonce)) last.set(key, nonce)
          return isLow && isPrivate(request) ? { ...request, path: "/api/v4/used" } : request
        }
      }
    }
  }),
  mutant("nonce-coarse", "nonces that differ only in their last digit count as equal", {
    breaks: ["auth.nonce.interleaved"],
    make: () => {
      const used = new Set<string>()
      return {
        request: (request) => {
          const nonce = `${String(request.headers[apiKey])} ${String(fieldsOf(request)?.["nonce"]).slice(0, -1)}`
          const isUsed = used.has(nonce)
          used.add(nonce)
          return isUsed && isPrivate(request) ? { ...request, path: "/api/v4/used" } : request
        }
      }
    }
  }),
  mutant("nonce-used-by-strangers", "an unsigned call uses up its nonce", {
    breaks: ["auth.nonce.unused"],
    ...arriving((request, venue) => {
      const fields = fieldsOf(request)
      const key = venue.state.keys.get(String(request.headers[apiKey]) as never)
      if (fields !== undefined && key !== undefined && String(request.headers[signature]).startsWith("000000")) {
        const nonce = BigInt(String(fields["nonce"] ?? 0))
        key.usedNonces.set(nonce, 0)
        if (nonce > key.greatestNonce) key.greatestNonce = nonce
      }
      return request
    })
  }),
  mutant("spaces-refused", "the body must be compact", {
    breaks: ["auth.body.spacing"],
    dialects: ["document"],
    dialect: (dialect) => ({ ...dialect, policy: { ...dialect.policy, payload: "compact-body" } })
  }),
  mutant("spaces-accepted", "a body with spaces is accepted", {
    breaks: ["auth.body.spacing"],
    dialects: ["live"],
    dialect: (dialect) => ({ ...dialect, policy: { ...dialect.policy, payload: "body" } })
  }),
  mutant("nonce-window-open", "nonces only have to be unique", {
    breaks: ["auth.nonce.increasing", "auth.nonce.window"],
    dialects: ["live"],
    ...counting((fields, next) => "nonce" in fields ? { ...without(fields, "nonceWindow"), ...next() } : fields)
  }),
  mutant("disabled-key-opens", "a disabled key still works", {
    breaks: ["auth.key.disabled"],
    ...opening((key) => key.enabled = true)
  }),
  mutant("endpoints-not-checked", "a restricted key can call every endpoint", {
    breaks: ["auth.key.endpoints", "auth.key.endpoints.refusal"],
    ...opening((key) => key.endpoints = undefined)
  }),
  mutant("b2b-not-checked", "accounts without partner access can make B2B-only calls", {
    breaks: ["auth.b2b", "auth.b2b.refusal"],
    ...opening((key) => key.b2b = true)
  }),
  mutant("keys-of-one-account", "every key shows the first account's balance", {
    breaks: ["auth.isolation"],
    make: () => {
      let first: string | undefined
      return {
        answer: (answer, request) => {
          if (request.path !== MainBalance.endpoint.path || answer.status !== 200) return answer
          first ??= JSON.stringify({ ETH: { main_balance: "1" } })
          return { ...answer, body: first }
        }
      }
    }
  }),
  mutant("utf-16", "a body with non-ASCII characters is refused", {
    breaks: ["auth.accepts.any-text"],
    ...arriving((request) => request.body.some((byte) => byte > 127) ? { ...request, body: new Uint8Array() } : request)
  }),
  mutant("signed-calls-refused", "fees and balances are refused for all accounts", {
    breaks: ["auth.accepts", "general.private.post"],
    ...arriving((request) => isMember(request) ? withHeaders(request, { [signature]: "" }) : request)
  }),
  mutant("public-signed", "public calls require a known key", {
    breaks: ["auth.public", "general.public.get"],
    make: () => ({
      answer: (answer, request, { state }) =>
        request.path === ServerStatus.endpoint.path && !state.keys.has(String(request.headers[apiKey]) as never)
          ? { ...answer, status: 401 }
          : answer
    })
  }),
  mutant("query-refused", "a public call with a query gets HTTP 404", {
    breaks: ["general.public.query"],
    make: () => ({
      request: (request) =>
        request.path === ServerStatus.endpoint.path && (request.query ?? "") !== ""
          ? { ...request, path: "/api/v4/public/nothing" }
          : request
    })
  }),
  mutant("get-accepted", "private calls respond to GET with an empty object", {
    breaks: ["general.private.post.only", "errors.method"],
    make: () => ({
      answer: (answer, request) => request.method === "GET" && isPrivate(request) ? ok(answer, {}) : answer
    })
  }),
  mutant("any-body", "a body that is not a JSON object is treated as an empty object", {
    breaks: ["general.private.json"],
    make: () => ({
      answer: (answer, request) =>
        isPrivate(request) && request.method === "POST" && fieldsOf(request) === undefined ? ok(answer, {}) : answer
    })
  }),
  mutant("text-answers", "a refusal is plain text", {
    breaks: ["general.answer.json"],
    make: () => ({
      answer: (answer, request) => isPrivate(request) && answer.status >= 400 ? { ...answer, body: "refused" } : answer
    })
  }),
  mutant("no-content-type", "responses have a text content type", {
    breaks: ["general.answer.type"],
    make: () => ({ answer: (answer) => ({ ...answer, headers: { "content-type": "text/plain" } }) })
  }),
  mutant("any-version", "every version of a path is served", {
    breaks: ["versioning.prefix"],
    make: () => ({
      request: (request, venue) => {
        const path = request.path.replace(/^\/api\/v[0-9]+\//u, "/api/v4/")
        return path === request.path
          ? request
          : withFields(venue, { ...request, path }, (fields) => ({ ...fields, request: path }))
      }
    })
  }),
  mutant("unauthorized-400", "a wrong signature is refused like an invalid field", {
    breaks: ["auth.refusal"],
    dialect: refusing("unauthorized", 400, 10)
  }),
  mutant("endpoint-403", "a call to an endpoint that the key does not allow is refused with the wrong code", {
    breaks: ["auth.key.endpoints.refusal"],
    dialect: refusing("endpointNotAllowed", 403, 0)
  }),
  mutant("partner-401", "an account that is not a business partner is refused as unauthenticated", {
    breaks: ["auth.b2b.refusal"],
    dialect: refusing("noB2bAccess", 401, 10)
  }),
  mutant("nonce-400", "a used nonce is refused like an invalid field", {
    breaks: ["auth.nonce.refusal"],
    dialect: refusing("nonceUsed", 400, 9)
  }),
  mutant("not-found-400", "an unknown path is refused like an invalid field", {
    breaks: ["errors.unknown-path"],
    dialect: refusing("notFound", 400, 0)
  }),
  mutant("method-404", "a wrong method is refused like an unknown path", {
    breaks: ["errors.method"],
    dialect: refusing("methodNotAllowed", 404, 0)
  }),
  mutant("reduce-only-code", "code 116 is replaced with a different code", {
    breaks: ["errors.reduce-only", "oco.reduce-only.no-position", "oco.reduce-only.same-side"],
    dialect: refusing("reduceOnly", 400, 115)
  }),
  mutant("rate-limit-words", "too many calls are refused with the message for a used nonce", {
    breaks: ["limits.exceeded"],
    dialect: (dialect) => ({ ...dialect, refusals: { ...dialect.refusals, rateLimited: dialect.refusals.nonceUsed } })
  }),
  mutant("rate-limit-low", "interest payments can be listed only 900 times in ten seconds", {
    breaks: ["limits.interest"],
    make: () => ({
      before: ({ limits }) => limits.override({ calls: 900, perSeconds: 10 }, InterestPaymentHistory.endpoint.path)
    })
  }),
  mutant("public-limit-low", "public endpoints can be called only 1900 times in ten seconds", {
    breaks: ["limits.public"],
    make: () => ({ before: ({ limits }) => limits.override({ calls: 1900, perSeconds: 10 }, "public") })
  }),
  mutant("code-text", "the code of an error is a string", {
    breaks: ["errors.private.code"],
    ...refusals((json) => ({ ...json, code: String(json["code"]) }))
  }),
  mutant("message-missing", "an error has no message", {
    breaks: ["errors.private.message"],
    ...refusals((json) => without(json, "message"))
  }),
  mutant("errors-flat", "the messages of a parameter are not a list", {
    breaks: ["errors.private.errors", "errors.private.messages"],
    ...refusals((json) => ({
      ...json,
      errors: Object.fromEntries(
        Object.entries(Json.isObject(json["errors"]) ? json["errors"] : {}).map(([key, list]) => [key, String(list)])
      )
    }))
  }),
  mutant("errors-empty", "the lists of messages are empty", {
    breaks: ["errors.private.messages"],
    ...refusals((json) => ({
      ...json,
      errors: Object.fromEntries(
        Object.keys(Json.isObject(json["errors"]) ? json["errors"] : {}).map((key) => [key, []])
      )
    }))
  }),
  mutant("errors-of-all", "the errors name all parameters, even correct ones", {
    breaks: ["errors.private.only-wrong"],
    ...refusals((json) => ({ ...json, errors: { limit: ["?"], offset: ["?"] } }))
  }),
  mutant("errors-200", "errors have HTTP 200", {
    breaks: ["errors.private.status"],
    ...withStatus(200, ({ status }, request) => isPrivate(request) && status >= 400)
  }),
  mutant("public-success", "a public error has no success field", {
    breaks: ["errors.public.success"],
    ...publicRefusals((json) => without(json, "success"))
  }),
  mutant("public-message", "a public error has no message field", {
    breaks: ["errors.public.message"],
    ...publicRefusals((json) => without(json, "message"))
  }),
  mutant("public-params", "the params of a public error are an object", {
    breaks: ["errors.public.params"],
    ...publicRefusals((json) => ({ ...json, params: {} }))
  }),
  mutant("validation-code", "invalid order fields are refused with code 0", {
    breaks: ["errors.order.validation"],
    dialect: (dialect) => ({
      ...dialect,
      orderValidation: (violations) => ({ ...dialect.orderValidation(violations), code: 0 })
    })
  }),
  mutant("validation-status", "invalid order fields are refused with the wrong status", {
    breaks: ["errors.order.validation.status"],
    dialect: (dialect) => ({
      ...dialect,
      orderValidation: (violations) => ({ ...dialect.orderValidation(violations), status: 409 })
    })
  }),
  mutant("pong-object", "ping returns an object", {
    breaks: ["ping.response"],
    ...answering(ServerStatus.endpoint.path, "success", () => ({ pong: true }))
  }),
  mutant("public-limit-unavailable", "the server is unavailable after a thousand public calls", {
    breaks: ["limits.public"],
    make: () => {
      let count = 0
      return {
        answer: (answer, { path }) =>
          path === ServerStatus.endpoint.path && ++count > 1000 ? { ...answer, status: 503 } : answer
      }
    }
  }),
  mutant("money-number", "amounts are numbers", {
    breaks: ["general.money.text"],
    make: () => ({
      answer: (answer) =>
        Array.isArray(jsonOf(answer)) || answer.status !== 200
          ? { ...answer, body: answer.body.replaceAll(/"(?=[0-9.]+")([0-9.]+)"/gu, "$1") }
          : { ...answer, body: answer.body.replaceAll(/:"([0-9]+(?:\.[0-9]+)?)"/gu, ":$1") }
    })
  }),
  mutant("money-rounded", "balances are rounded to doubles", {
    breaks: ["general.money.exact"],
    ...answering(MainBalance.endpoint.path, "success", (json) =>
      Json.isObject(json)
        ? Object.fromEntries(
          Object.entries(json).map(([ticker, entry]) => [
            ticker,
            Json.isObject(entry) ? { main_balance: Number(entry["main_balance"]).toString() } : entry
          ])
        )
        : json)
  })
]
