/** Faults in balances, fees, codes and the deletion of sub-accounts. */
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as DeleteSubAccount from "../../../src/endpoints/DeleteSubAccount.ts"
import * as Fees from "../../../src/endpoints/Fees.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as Json from "../../../src/protocol/Json.ts"
import * as AccountIndex from "../../../src/sandbox/engine/AccountIndex.ts"
import type { IssuedCode } from "../../../src/sandbox/engine/State.ts"
import {
  answering,
  asking,
  type Change,
  changing,
  fieldsOf,
  type Instance,
  type Mutant,
  mutant,
  unnamed,
  withBody,
  withFields,
  without,
  withStatus
} from "./Mutant.ts"

const apply = Codes.endpoint.path

const remove = DeleteSubAccount.endpoint.path

/** Changes the code that is about to be applied. */
const issued = (
  change: (code: { applied: string | undefined; passphrase: unknown; creator: string }) => void
): Change => ({
  make: () => ({
    before: ({ state }, request) => {
      const code = request.path === apply ? fieldsOf(request)?.["code"] : undefined
      const found: IssuedCode | undefined = typeof code === "string" ? state.codes.get(code as never) : undefined
      if (found !== undefined) change(found as never)
    }
  })
})

/** Lets any account delete a sub-account, by first moving the sub-account to the calling account. */
const adopting = ({ state }: Instance, id: unknown, apiKey: unknown): void => {
  const found = state.subAccounts.get(String(id) as never)
  const caller = state.keys.get(String(apiKey) as never)?.account
  if (found === undefined || caller === undefined) return
  const keys = AccountIndex.removeSubAccount(state.accountIndex, found)
  AccountIndex.addSubAccount(state.accountIndex, Object.assign(found, { parent: caller }))
  for (const key of keys) AccountIndex.addKey(state.accountIndex, key)
}

const enveloped = [
  { path: SubAccounts.endpoint.path, id: "sub-accounts" },
  { path: SubAccountApiKeys.endpoint.path, id: "api-keys" },
  { path: remove, id: "delete" }
]

/** @category mutants */
export const mutants: ReadonlyArray<Mutant> = [
  mutant("fees-object", "fees are an object", {
    breaks: ["fees.response"],
    ...answering(Fees.endpoint.path, "success", (json) => ({ fees: json }))
  }),
  mutant("fees-none", "no currency has fees", {
    breaks: ["fees.entry.ticker", "fees.entry.deposit.fixed", "general.money.text"],
    ...answering(Fees.endpoint.path, "success", () => [])
  }),
  mutant("fees-twice", "a currency has two fee entries", {
    breaks: ["fees.one-per-currency"],
    ...answering(Fees.endpoint.path, "success", (json) => Array.isArray(json) ? [...json, json[0]] : json)
  }),
  mutant("fees-first-missing", "one currency has no fees", {
    breaks: ["fees.complete"],
    ...answering(Fees.endpoint.path, "success", (json) => Array.isArray(json) ? json.slice(1) : json)
  }),
  mutant("fees-page", "only the first two currencies have fees", {
    breaks: ["fees.complete"],
    ...answering(Fees.endpoint.path, "success", (json) => Array.isArray(json) ? json.slice(0, 2) : json)
  }),
  mutant("balance-list", "balances are a list", {
    breaks: ["balance.response"],
    ...answering(MainBalance.endpoint.path, "success", (json) => Json.isObject(json) ? Object.entries(json) : json)
  }),
  mutant("balance-none", "the list of balances is empty", {
    breaks: ["balance.entry.main_balance", "general.money.text", "balance.omitted"],
    ...answering(MainBalance.endpoint.path, "success", () => ({}))
  }),
  mutant("balance-null", "balances are null", {
    breaks: ["balance.entry.main_balance", "general.money.text"],
    ...changing(MainBalance.endpoint.path, ["*", "main_balance"], () => null)
  }),
  mutant("balance-hidden", "small balances are omitted", {
    breaks: ["balance.omitted"],
    ...answering(MainBalance.endpoint.path, "success", (json) =>
      Json.isObject(json)
        ? Object.fromEntries(
          Object.entries(json).filter(([, entry]) => Json.isObject(entry) && Number(entry["main_balance"]) >= 100)
        )
        : json)
  }),
  mutant("code-status", "applying a code returns the wrong status", {
    breaks: ["codes.status"],
    ...withStatus(202, ({ status }, { path }) => path === apply && status < 300)
  }),
  mutant("code-amount", "the response shows a wrong code amount", {
    breaks: ["codes.credits"],
    ...changing(apply, ["amount"], (amount) => `${String(amount)}1`)
  }),
  mutant("code-no-credit", "applying a code credits nothing", {
    breaks: ["codes.credits"],
    make: () => ({
      answer: (answer, request) =>
        request.path === MainBalance.endpoint.path && answer.status === 200 ? withBody(answer, {}) : answer
    })
  }),
  mutant("code-reusable", "a code can be applied twice", {
    breaks: ["codes.model", "codes.once", "codes.race"],
    ...issued((code) => code.applied = undefined)
  }),
  mutant("code-own", "a code can be applied by its creator", {
    breaks: ["codes.own"],
    ...issued((code) => code.creator = "nobody")
  }),
  mutant("passphrase-not-asked", "a code's passphrase is not checked", {
    breaks: ["codes.model", "codes.passphrase.required"],
    make: () => ({
      request: (request, venue) =>
        request.path === apply
          ? withFields(venue, request, (fields) => {
            const passphrase = venue.state.codes.get(String(fields["code"]) as never)?.passphrase
            return passphrase === undefined ? without(fields, "passphrase") : { ...fields, passphrase }
          })
          : request
    })
  }),
  mutant("passphrase-never-right", "a code with a passphrase cannot be applied", {
    breaks: ["codes.passphrase.accepts"],
    ...issued((code) => code.passphrase = code.passphrase === undefined ? undefined : "another")
  }),
  mutant("passphrase-24", "a passphrase of 25 characters is refused", {
    breaks: ["codes.passphrase.length.accepts"],
    ...asking(apply, (fields) =>
      typeof fields["passphrase"] === "string" && [...fields["passphrase"]].length === 25
        ? { ...fields, passphrase: `${fields["passphrase"]}.` }
        : fields)
  }),
  mutant("passphrase-bytes", "the length of a passphrase is counted in bytes", {
    breaks: ["codes.passphrase.length.accepts"],
    ...asking(
      apply,
      (fields) =>
        typeof fields["passphrase"] === "string" && new TextEncoder().encode(fields["passphrase"]).length > 25
          ? { ...fields, passphrase: "x".repeat(26) }
          : fields
    )
  }),
  mutant("passphrase-26", "a passphrase that is too long is truncated", {
    breaks: ["codes.passphrase.length.refuses"],
    ...asking(apply, (fields) =>
      typeof fields["passphrase"] === "string"
        ? { ...fields, passphrase: [...fields["passphrase"]].slice(0, 25).join("") }
        : fields)
  }),
  mutant("passphrase-loose", "a passphrase that is not a string is ignored", {
    breaks: ["codes.passphrase.type"],
    ...asking(apply, (fields) => typeof fields["passphrase"] === "string" ? fields : without(fields, "passphrase"))
  }),
  mutant("passphrase-unnamed", "the refusal of a code does not name passphrase", {
    breaks: ["codes.refusal"],
    ...unnamed(apply, "passphrase")
  }),
  mutant("code-unnamed", "the refusal of a code does not name code", {
    breaks: ["codes.refusal"],
    ...unnamed(apply, "code")
  }),
  mutant("code-always-applied", "every code is reported as applied", {
    breaks: ["codes.code.required", "codes.code.type", "codes.code.unknown"],
    make: () => ({
      answer: (answer, request) => request.path === apply ? withBody({ ...answer, status: 200 }, {}) : answer
    })
  }),
  mutant("delete-list", "the deletion of a sub-account returns a list", {
    breaks: ["delete.response"],
    ...answering(remove, "success", () => [])
  }),
  mutant("delete-nothing", "the deletion of a sub-account is reported but not carried out", {
    breaks: ["sub-accounts.model", "delete.effect"],
    make: () => ({
      request: (request, venue) =>
        request.path === remove ? withFields(venue, request, (fields) => ({ ...fields, id: "nobody" })) : request,
      answer: (answer, request) => request.path === remove ? withBody({ ...answer, status: 200 }, {}) : answer
    })
  }),
  mutant("delete-always", "the deletion of any id is reported as done", {
    breaks: ["delete.id.required", "delete.id.type", "delete.id.unknown", "delete.twice"],
    make: () => ({
      answer: (answer, request) => request.path === remove ? withBody({ ...answer, status: 200 }, {}) : answer
    })
  }),
  mutant("delete-unnamed", "the refusal of a deletion does not name id", {
    breaks: ["delete.refusal"],
    ...unnamed(remove, "id")
  }),
  mutant("delete-others", "every account can delete the sub-accounts of all others", {
    breaks: ["delete.own"],
    make: () => ({
      before: (venue, request) => {
        if (request.path === remove) adopting(venue, fieldsOf(request)?.["id"], request.headers["x-txc-apikey"])
      }
    })
  }),
  mutant("delete-funds", "the deletion of a sub-account with funds is reported as done", {
    breaks: ["delete.funds"],
    make: () => ({
      answer: (answer, request) => request.path === remove ? withBody({ ...answer, status: 200 }, {}) : answer
    })
  }),
  mutant("delete-keys-stay", "the keys of a deleted sub-account are still accepted", {
    breaks: ["delete.keys"],
    make: () => {
      const known = new Set<string>()
      return {
        answer: (answer, request) => {
          const key = String(request.headers["x-txc-apikey"])
          if (answer.status === 200) known.add(key)
          return answer.status === 401 && known.has(key) ? withBody({ ...answer, status: 200 }, {}) : answer
        }
      }
    }
  }),
  ...enveloped.map(({ id, path }): Mutant => ({
    id: `${id}-envelope`,
    fault: "request and nonce are optional",
    breaks: [`${id}.envelope`],
    make: () => ({
      answer: (answer, request) => request.path === path ? withBody({ ...answer, status: 200 }, {}) : answer
    })
  }))
]
