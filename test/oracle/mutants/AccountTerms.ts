/** Faults in details of balances, transfers, codes, sub-accounts and keys that only the live exchange documents. */
import * as CodeCreation from "../../../src/endpoints/CodeCreation.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralBalance from "../../../src/endpoints/CollateralBalance.ts"
import * as DeleteSubAccount from "../../../src/endpoints/DeleteSubAccount.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as SubAccountApiKeyCreation from "../../../src/endpoints/SubAccountApiKeyCreation.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccountCreation from "../../../src/endpoints/SubAccountCreation.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
import * as Transfers from "../../../src/endpoints/Transfers.ts"
import * as WebSocketToken from "../../../src/endpoints/WebSocketToken.ts"
import * as Json from "../../../src/protocol/Json.ts"
import type { IssuedCode } from "../../../src/sandbox/engine/State.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import {
  answering,
  asking,
  type Change,
  changing,
  type Fields,
  fieldsOf,
  type Mutant,
  mutant,
  withFields,
  without
} from "./Mutant.ts"

const transfer = Transfers.endpoint.path
const [createCode, applyCode] = [CodeCreation.endpoint.path, Codes.endpoint.path]
const [createSub, createKey] = [SubAccountCreation.endpoint.path, SubAccountApiKeyCreation.endpoint.path]

/** Replaces a field's value in calls to a path. A replacement of `undefined` removes the field. */
const replacing = (path: string, key: string, value: unknown, replacement: unknown): Change =>
  asking(path, (fields) => {
    if (JSON.stringify(fields[key]) !== JSON.stringify(value)) return fields
    return replacement === undefined ? without(fields, key) : { ...fields, [key]: replacement }
  })

/** Misread fields: the rule that detects the fault, the path, the field, its value, and what the value is read as. */
const readings: ReadonlyArray<
  readonly [rule: string, path: string, key: string, value: unknown, replacement: unknown]
> = [
  ...[MainBalance, TradeBalance, CollateralBalance].map(({ endpoint: { path } }) =>
    ["balances.ticker.type", path, "ticker", ["BTC"], undefined] as const
  ),
  ["transfers.refusal", transfer, "to", "vault", "spot"],
  ["transfers.refusal", transfer, "from", "vault", "main"],
  ["transfers.refusal", transfer, "method", "borrow", "deposit"],
  ["transfers.refusal", transfer, "amount", "-1", "1"],
  ["transfers.refusal", transfer, "amount", "ten", "10"],
  ["transfers.least", transfer, "amount", "0.00000001", "0"],
  ["code-creation.terms", createCode, "amount", "-1", "1"],
  ["code-creation.terms", createCode, "amount", "ten", "1"],
  ["code-creation.terms", createCode, "description", "d".repeat(281), "d".repeat(280)],
  ["code-creation.terms", createCode, "description", 7, "7"],
  ["code-creation.terms", createCode, "passphrase", 7, "7"],
  ["code-creation.zero", createCode, "amount", "0", "0.001"],
  ["code-creation.description", createCode, "description", "d".repeat(280), "d".repeat(281)],
  ["sub-account-creation.terms", createSub, "alias", 7, "7"],
  ["sub-account-creation.terms", createSub, "email", "no address", "mail@example.com"],
  ["sub-account-creation.terms", createSub, "email", 7, undefined],
  ["sub-account-creation.terms", createSub, "shareKyc", "no", true],
  ["sub-account-creation.terms", createSub, "permissions", true, { spotEnabled: true, collateralEnabled: true }],
  ["sub-account-creation.default", createSub, "shareKyc", undefined, true],
  ["api-key-creation.terms", createKey, "title", 7, "7"],
  ["api-key-creation.terms", createKey, "type", "trade", 1]
]

/** Changes a code that is about to be applied. */
const issued = (change: (code: { applied: string | undefined; creator: string }) => void): Change => ({
  make: () => ({
    before: ({ state }, request) => {
      const code = request.path === applyCode ? fieldsOf(request)?.["code"] : undefined
      const found: IssuedCode | undefined = typeof code === "string" ? state.codes.get(code as never) : undefined
      if (found !== undefined) change(found as never)
    }
  })
})

/** Repeats, for each API key and each value of this field, the first response to a call to the path. */
const cached = (path: string, field: string): Change => ({
  make: () => {
    const first = new Map<string, string>()
    return {
      answer: (answer, request) => {
        const value = fieldsOf(request)?.[field]
        if (request.path !== path || value === undefined || answer.status !== 200) return answer
        const key = JSON.stringify([request.headers["x-txc-apikey"], value])
        const body = first.get(key) ?? answer.body
        first.set(key, body)
        return { ...answer, body }
      }
    }
  }
})

const named = (value: unknown): string => JSON.stringify(value ?? null).slice(0, 12).replace(/[^A-Za-z0-9-]/gu, "")

export const mutants: ReadonlyArray<Mutant> = [
  ...readings.map(([rule, path, key, value, replacement]) => {
    const what = `${named(value)} as ${key} counts as ${named(replacement)}`
    const id = `terms${path}-${key}-${named(value)}-${String((value as Fields | undefined)?.["length"] ?? 0)}`
    return mutant(id, what, { breaks: [rule], ...replacing(path, key, value, replacement) })
  }),
  ...[[MainBalance, "main_balance"], [TradeBalance, "available"]].map(([call, key]) => {
    const { path } = (call as typeof MainBalance).endpoint
    return mutant(`terms-float${path}`, "balances are floating-point numbers", {
      breaks: ["balances.exact"],
      ...changing(path, ["*", String(key)], (value) => String(Number(value)))
    })
  }),
  ...[MainBalance, TradeBalance].map(({ endpoint: { path } }) =>
    mutant(`terms-cached-ticker${path}`, "the balance of one asset never changes", {
      breaks: ["balances.exact"],
      ...cached(path, "ticker")
    })
  ),
  mutant("terms-cached-keys", "the list of one sub-account's keys never changes", {
    breaks: ["api-key-creation.filtered"],
    ...cached(SubAccountApiKeys.endpoint.path, "subAccountId")
  }),
  mutant("terms-keys-enabled", "every key is listed as enabled", {
    breaks: ["api-keys.switched"],
    ...changing(SubAccountApiKeys.endpoint.path, ["data", "*", "isEnabled"], () => true)
  }),
  mutant("terms-keys-order", "the oldest key is listed first", {
    breaks: ["api-keys.order"],
    ...changing(
      SubAccountApiKeys.endpoint.path,
      ["data"],
      (keys) => Array.isArray(keys) ? keys.toReversed() : keys
    )
  }),
  mutant("terms-exponent", "small balances have an exponent", {
    breaks: ["transfers.least"],
    ...changing(TradeBalance.endpoint.path, ["available"], (value) => String(Number(value)))
  }),
  mutant("terms-code-float", "the amount of an applied code is a floating-point number", {
    breaks: ["code-creation.exact"],
    ...changing(applyCode, ["amount"], (value) => String(Number(value)))
  }),
  mutant("terms-code-prefix", "a code that begins with a created code is applied", {
    breaks: ["code-creation.whole"],
    make: () => ({
      request: (request, venue) =>
        request.path === applyCode
          ? withFields(venue, request, (fields) => {
            const given = String(fields["code"])
            const found = [...venue.state.codes.keys()].find((code) => given.startsWith(code) || code.startsWith(given))
            return found === undefined ? fields : { ...fields, code: found }
          })
          : request
    })
  }),
  mutant("terms-sub-funds", "a parent shows the funds of its sub-account", {
    breaks: ["sub-account-creation.funds"],
    make: () => {
      const known = new Set<unknown>()
      const change = (json: unknown, { headers }: Request) => {
        const key = headers["x-txc-apikey"]
        const isKnown = known.has(key)
        known.add(key)
        return Json.isObject(json) && json["ETH"] !== undefined && isKnown
          ? { ...json, USDT: { main_balance: "3" } }
          : json
      }
      return answering(MainBalance.endpoint.path, "success", change).make?.() ?? {}
    }
  }),
  mutant("terms-delete-keys", "the deletion of a sub-account disables the keys of its siblings", {
    breaks: ["delete.others"],
    make: () => {
      let isDeleted = false
      return {
        before: ({ state }, { path }) => {
          if (isDeleted) {
            for (const key of state.keys.values()) if (key.title === "its own") Object.assign(key, { enabled: false })
          }
          if (path === DeleteSubAccount.endpoint.path) isDeleted = true
        }
      }
    }
  }),
  mutant("terms-limit-codes", "59 applications of codes are allowed in a second", {
    breaks: ["limits.codes"],
    make: () => ({ before: ({ limits }) => limits.override({ calls: 59, perSeconds: 1 }, applyCode) })
  }),
  mutant("terms-limit-tokens", "9 tokens are allowed in a minute", {
    breaks: ["limits.tokens"],
    make: () => ({
      before: ({ limits }) => limits.override({ calls: 9, perSeconds: 60 }, WebSocketToken.endpoint.path)
    })
  }),
  mutant("terms-transfer-collateral", "a transfer of collateral that a position needs moves a part of it", {
    breaks: ["transfers.collateral"],
    ...asking(
      transfer,
      (fields) =>
        fields["from"] === "collateral" && Number(fields["amount"]) > 900 ? { ...fields, amount: "1" } : fields
    )
  }),
  mutant("terms-code-own", "a created code can be applied by its creator", {
    breaks: ["code-creation.once"],
    ...issued((code) => code.creator = "nobody")
  }),
  mutant("terms-code-twice", "a created code can be applied twice", {
    breaks: ["code-creation.once"],
    ...issued((code) => code.applied = undefined)
  })
].map((mutant) => ({ ...mutant, dialects: ["live"] }))
