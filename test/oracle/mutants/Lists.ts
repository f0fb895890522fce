/** Faults in lists and their pages. */
import { Limit, maxRecordOffset, Offset } from "../../../src/domain/Paging.ts"
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
  changing,
  type Fields,
  fieldsOf,
  jsonOf,
  type Mutant,
  mutant,
  unnamed,
  withBody,
  withFields,
  without
} from "./Mutant.ts"

const lists = [
  { id: "interest", path: InterestPaymentHistory.endpoint.path, records: "records", filters: ["planId", "ticker"] },
  { id: "sub-accounts", path: SubAccounts.endpoint.path, records: "data", filters: ["search"] },
  { id: "api-keys", path: SubAccountApiKeys.endpoint.path, records: "data", filters: ["subAccountId"] }
] as const

/** Serves a different page than requested, but shows the requested limit and offset. */
const instead = (path: string, change: (fields: Fields) => Fields): Change => ({
  make: () => ({
    request: (request, venue) => request.path === path ? withFields(venue, request, change) : request,
    answer: (answer, request) => {
      const asked = fieldsOf(request)
      const json = jsonOf(answer)
      if (request.path !== path || answer.status !== 200 || asked === undefined || !Json.isObject(json)) return answer
      const { limit = json["limit"], offset = 0 } = asked
      return withBody(answer, { ...json, limit, offset })
    }
  })
})

const clamp = (value: unknown, min: number, max: number): unknown =>
  typeof value === "number" ? Math.min(Math.max(Math.trunc(value), min), max) : value

const clamped = (key: string, min: number, max: number) => (fields: Fields): Fields =>
  key in fields ? { ...fields, [key]: clamp(fields[key], min, max) } : fields

const recordsOf = (json: unknown, key: string): ReadonlyArray<unknown> => {
  const found = Json.isObject(json) ? json[key] : undefined
  return Array.isArray(found) ? found : []
}

const listMutants = ({ id, path, records }: (typeof lists)[number]): ReadonlyArray<Mutant> => [
  mutant(`${id}-limit-0`, "a limit below 1 counts as 1", {
    breaks: [`${id}.limit.min`],
    ...asking(path, clamped("limit", 1, 1e9))
  }),
  mutant(`${id}-limit-101`, "a limit above 100 counts as 100", {
    breaks: [`${id}.limit.max`],
    ...asking(path, clamped("limit", -1e9, 100))
  }),
  mutant(`${id}-limit-99`, "the maximum limit is 99", {
    breaks: [`${id}.limit.echo`],
    ...asking(path, (fields) => fields["limit"] === 100 ? { ...fields, limit: 101 } : fields)
  }),
  mutant(`${id}-offset-1`, "a negative offset counts as 0", {
    breaks: [`${id}.offset.min`],
    ...asking(path, clamped("offset", 0, 1e9))
  }),
  mutant(`${id}-offset-10001`, "an offset above 10000 counts as 10000", {
    breaks: [`${id}.offset.max`],
    ...asking(path, clamped("offset", -1e9, 10_000))
  }),
  mutant(`${id}-offset-9999`, "the maximum offset is 9999", {
    breaks: [`${id}.offset.echo`],
    ...asking(path, (fields) => fields["offset"] === 10_000 ? { ...fields, offset: 10_001 } : fields)
  }),
  mutant(`${id}-limit-loose`, "a limit that is not an integer is ignored", {
    breaks: [`${id}.limit.integer`],
    ...asking(path, (fields) => Number.isInteger(fields["limit"] ?? 1) ? fields : without(fields, "limit"))
  }),
  mutant(`${id}-offset-loose`, "an offset that is not an integer is ignored", {
    breaks: [`${id}.offset.integer`],
    ...asking(path, (fields) => Number.isInteger(fields["offset"] ?? 1) ? fields : without(fields, "offset"))
  }),
  mutant(`${id}-integer-text`, "integers in strings are accepted", {
    breaks: [`${id}.integer.text`],
    dialects: ["document"],
    ...asking(path, (fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [key, ["limit", "offset"].includes(key) ? Number(value) : value])
      ))
  }),
  mutant(`${id}-limit-more`, "a page has one record more than its limit", {
    breaks: [`${id}.limit.bound`],
    ...instead(
      path,
      (fields) =>
        typeof fields["limit"] === "number" ? { ...fields, limit: Math.min(fields["limit"] + 1, 100) } : fields
    )
  }),
  mutant(`${id}-limit-default`, "the default limit is 50", {
    breaks: [`${id}.limit.default`],
    ...asking(path, (fields) => ({ limit: 50, ...fields }))
  }),
  mutant(`${id}-offset-default`, "the default offset is 1", {
    breaks: [`${id}.offset.default`],
    ...asking(path, (fields) => ({ offset: 1, ...fields }))
  }),
  mutant(`${id}-offset-ignored`, "every page is the first", {
    breaks: [`${id}.offset.skips`, `${id}.pages.complete`],
    ...instead(path, (fields) => fields["offset"] === 10_000 ? fields : without(fields, "offset"))
  }),
  mutant(`${id}-offset-pages`, "the offset counts pages", {
    breaks: [`${id}.pages.complete`],
    ...instead(path, (fields) =>
      typeof fields["offset"] === "number" && typeof fields["limit"] === "number"
        ? { ...fields, offset: Math.min(fields["offset"] * fields["limit"], 10_000) }
        : fields)
  }),
  mutant(`${id}-order-unstable`, "every second page lists its records in reverse", {
    breaks: [`${id}.pages.stable`],
    make: () => {
      let count = 0
      return {
        answer: (answer, request) => {
          if (request.path !== path || answer.status !== 200 || ++count % 2 === 0) return answer
          const json = jsonOf(answer)
          return withBody(answer, { ...(json as Fields), [records]: recordsOf(json, records).toReversed() })
        }
      }
    }
  }),
  mutant(`${id}-last-again`, "a page past the last record repeats the first records", {
    breaks: [`${id}.pages.beyond`],
    ...instead(path, (fields) => fields["offset"] === 10_000 ? { ...fields, offset: 0, limit: 100 } : fields)
  }),
  mutant(`${id}-last-page`, "a page past the last record repeats the last record", {
    breaks: [`${id}.pages.beyond`],
    make: () => {
      let last: unknown
      return {
        answer: (answer, request) => {
          if (request.path !== path || answer.status !== 200) return answer
          const json = jsonOf(answer)
          const found = recordsOf(json, records)
          last = found.at(-1) ?? last
          return found.length > 0 || last === undefined
            ? answer
            : withBody(answer, { ...(json as Fields), [records]: [last] })
        }
      }
    }
  }),
  mutant(`${id}-limit-default-applied`, "the default limit is 10, but the page shows a different value", {
    breaks: [`${id}.limit.default.applies`],
    make: () => ({
      answer: (answer, request) => {
        if (request.path !== path || answer.status !== 200 || "limit" in (fieldsOf(request) ?? {})) return answer
        return withBody(
          answer,
          changedAt(jsonOf(answer), [records], (list) => Array.isArray(list) ? list.slice(0, 10) : list)
        )
      }
    })
  }),
  mutant(`${id}-all-alike`, "every record repeats the first", {
    breaks: [
      `${id}.limit.bound`,
      `${id}.offset.default`,
      `${id}.offset.skips`,
      `${id}.pages.complete`,
      `${id}.pages.stable`
    ],
    make: () => {
      const first = new Map<string, unknown>()
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          const found = recordsOf(json, records)
          if (request.path !== path || answer.status !== 200 || found.length === 0) return answer
          const key = String(request.headers["x-txc-apikey"])
          if (!first.has(key)) first.set(key, found[0])
          return withBody(answer, { ...(json as Fields), [records]: found.map(() => first.get(key)) })
        }
      }
    }
  }),
  mutant(`${id}-first-error`, "the errors name only the first invalid parameter", {
    breaks: [`${id}.several`],
    ...unnamed(path, "offset")
  }),
  mutant(`${id}-limit-unnamed`, "the errors do not name limit", {
    breaks: [`${id}.refusal`],
    ...unnamed(path, "limit")
  }),
  mutant(`${id}-limit-text`, "the page shows its limit as a string", {
    breaks: [`${id}.response.limit`, `${id}.limit.echo`],
    ...changing(path, ["limit"], String)
  }),
  mutant(`${id}-offset-missing`, "the page does not show its offset", {
    breaks: [`${id}.response.offset`, `${id}.offset.echo`],
    ...changing(path, ["offset"], () => undefined)
  }),
  mutant(`${id}-records-map`, "records are an object", {
    breaks: [`${id}.response.${records}`],
    ...answering(
      path,
      "success",
      (json) => changedAt(json, [records], (list) => Object.fromEntries(Array.isArray(list) ? list.entries() : []))
    )
  })
]

/** Ignores a field whose value is not a string. */
const loose = (path: string, key: string) =>
  asking(path, (fields) => typeof (fields[key] ?? "") === "string" ? fields : without(fields, key))

const filters: ReadonlyArray<Mutant> = [
  ...(["planId", "ticker"] as const).flatMap((key): ReadonlyArray<Mutant> => {
    const id = key === "planId" ? "plan" : "ticker"
    const { path } = InterestPaymentHistory.endpoint
    return [
      mutant(`interest-${id}-ignored`, `${key} has no effect`, {
        breaks: [`interest.${id}.filter`, `interest.${id}.unknown`],
        ...asking(path, (fields) => without(fields, key))
      }),
      mutant(`interest-${id}-unlimited`, `limit has no effect if there is a ${key}`, {
        breaks: [`interest.${id}.filter`],
        ...asking(path, (fields) => fields[key] === undefined ? fields : without(fields, "limit"))
      }),
      mutant(`interest-${id}-on-first-page`, `${key} has no effect if the offset is above 0`, {
        breaks: [`interest.${id}.filter`],
        ...asking(path, (fields) => Number(fields["offset"] ?? 0) > 0 ? without(fields, key) : fields)
      }),
      mutant(`interest-${id}-unnamed`, `the errors do not name ${key}`, {
        breaks: [`interest.${id}.unknown`, "interest.both.unknown"],
        ...unnamed(path, key)
      }),
      mutant(`interest-${id}-loose`, `a ${key} that is not a string is ignored`, {
        breaks: [`interest.${id}.type`],
        ...loose(path, key)
      })
    ]
  }),
  mutant("interest-cached", "the history never changes after its first response", {
    breaks: ["interest.fresh"],
    make: () => {
      const told = new Map<string, string>()
      return {
        answer: (answer, request) => {
          const fields = fieldsOf(request)
          if (request.path !== InterestPaymentHistory.endpoint.path || answer.status !== 200) return answer
          const key = `${String(request.headers["x-txc-apikey"])} ${JSON.stringify(without(fields ?? {}, "nonce"))}`
          const body = told.get(key) ?? answer.body
          told.set(key, body)
          return { ...answer, body }
        }
      }
    }
  }),
  mutant("search-ignored", "search has no effect", {
    breaks: ["sub-accounts.search.matches", "sub-accounts.search.nothing", "sub-accounts.search.type"],
    ...asking(SubAccounts.endpoint.path, (fields) => without(fields, "search"))
  }),
  mutant("search-on-first-page", "search has no effect if the offset is above 0", {
    breaks: ["sub-accounts.search.nothing"],
    ...asking(
      SubAccounts.endpoint.path,
      (fields) => Number(fields["offset"] ?? 0) > 0 ? without(fields, "search") : fields
    )
  }),
  mutant("search-unlimited-only", "search has no effect if there is a limit", {
    breaks: ["sub-accounts.search.matches", "sub-accounts.search.nothing"],
    ...asking(SubAccounts.endpoint.path, (fields) => fields["limit"] === undefined ? fields : without(fields, "search"))
  }),
  mutant("sub-account-id-ignored", "subAccountId has no effect", {
    breaks: ["api-keys.filter", "api-keys.filter.type", "api-keys.filter.unknown"],
    ...asking(SubAccountApiKeys.endpoint.path, (fields) => without(fields, "subAccountId"))
  }),
  mutant("sub-accounts-of-all", "every account sees the sub-accounts of the first account that listed any", {
    breaks: ["sub-accounts.own"],
    make: () => {
      let first: string | undefined
      return {
        answer: (answer, request, { state }) => {
          if (request.path !== SubAccounts.endpoint.path || state.subAccounts.size === 0) return answer
          const data = [...state.subAccounts.values()].map(({ alias, id }) => ({ id, alias }))
          first ??= JSON.stringify({ offset: 0, limit: 30, data })
          return recordsOf(jsonOf(answer), "data").length === 0 ? { ...answer, body: first } : answer
        }
      }
    }
  }),
  mutant("keys-of-all", "every account sees the keys of all others", {
    breaks: ["api-keys.own"],
    make: () => ({
      answer: (answer, request, { state }) => {
        if (request.path !== SubAccountApiKeys.endpoint.path || answer.status !== 200) return answer
        const data = [...state.keys.values()].map(({ apiKey, id }) => ({ id, apiKey }))
        return withBody(answer, { limit: 30, offset: 0, data })
      }
    })
  }),
  mutant("secret-shown", "the list of keys shows their secrets", {
    breaks: ["api-keys.secret", "api-keys.entry.apiSecret"],
    make: () => ({
      answer: (answer, request, { state }) => {
        if (request.path !== SubAccountApiKeys.endpoint.path || answer.status !== 200) return answer
        const secretOf = (apiKey: unknown) => state.keys.get(String(apiKey) as never)?.apiSecret ?? ""
        return withBody(
          answer,
          changedAt(
            jsonOf(answer),
            ["data", "*"],
            (entry) => Json.isObject(entry) ? { ...entry, apiSecret: secretOf(entry["apiKey"]) } : entry
          )
        )
      }
    })
  }),
  mutant("secret-elsewhere", "the list of keys shows their secrets as titles", {
    breaks: ["api-keys.secret"],
    make: () => ({
      answer: (answer, request, { state }) => {
        if (request.path !== SubAccountApiKeys.endpoint.path || answer.status !== 200) return answer
        const secretOf = (apiKey: unknown) => state.keys.get(String(apiKey) as never)?.apiSecret ?? ""
        return withBody(
          answer,
          changedAt(
            jsonOf(answer),
            ["data", "*"],
            (entry) => Json.isObject(entry) ? { ...entry, title: secretOf(entry["apiKey"]) } : entry
          )
        )
      }
    })
  }),
  mutant("key-cut", "a public key is truncated", {
    breaks: ["api-keys.listed"],
    ...changing(SubAccountApiKeys.endpoint.path, ["data", "*", "apiKey"], (key) => String(key).slice(0, 8))
  }),
  mutant("key-title-lost", "every key has the same title", {
    breaks: ["api-keys.listed"],
    ...changing(SubAccountApiKeys.endpoint.path, ["data", "*", "title"], () => "a key")
  }),
  mutant("all-restricted", "every key is shown as restricted", {
    breaks: ["api-keys.restricted"],
    ...changing(SubAccountApiKeys.endpoint.path, ["data", "*", "restrictAccess"], () => true)
  }),
  mutant("all-enabled", "every key is shown as enabled", {
    breaks: ["api-keys.enabled"],
    ...changing(SubAccountApiKeys.endpoint.path, ["data", "*", "isEnabled"], () => true)
  }),
  mutant("activity-in-millis", "the last activity is in milliseconds", {
    breaks: ["api-keys.last-activity", "api-keys.entry.lastActivity"],
    ...changing(SubAccountApiKeys.endpoint.path, ["data", "*", "lastActivity"], (at) => Number(at) * 1000)
  }),
  mutant("status-blocked", "a sub-account in use is shown as blocked", {
    breaks: ["sub-accounts.status.active"],
    ...changing(SubAccounts.endpoint.path, ["data", "*", "status"], () => "blocked")
  }),
  mutant("permissions-swapped", "the two permissions of a sub-account are swapped", {
    breaks: ["sub-accounts.listed"],
    ...changing(
      SubAccounts.endpoint.path,
      ["data", "*", "permissions"],
      (said) =>
        Json.isObject(said) ? { spotEnabled: said["collateralEnabled"], collateralEnabled: said["spotEnabled"] } : said
    )
  }),
  mutant("email-open", "e-mail addresses are not masked", {
    breaks: ["sub-accounts.entry.email"],
    ...changing(SubAccounts.endpoint.path, ["data", "*", "email"], () => "desk@example.com")
  }),
  mutant("colour-named", "colors are shown as names", {
    breaks: ["sub-accounts.entry.color"],
    ...changing(SubAccounts.endpoint.path, ["data", "*", "color"], () => "green")
  }),
  mutant("activity-unchanged", "the last activity is the key's creation time", {
    breaks: ["api-keys.last-activity"],
    make: () => {
      const first = new Map<unknown, unknown>()
      return {
        before: ({ state }) => {
          for (const key of state.keys.values()) {
            const began = first.get(key.apiKey) ?? key.lastActivity
            first.set(key.apiKey, began)
            Object.assign(key, { lastActivity: began })
          }
        }
      }
    }
  }),
  mutant("payment-an-hour-ago", "the times of payments are an hour early", {
    breaks: ["interest.fresh"],
    ...changing(InterestPaymentHistory.endpoint.path, ["records", "*", "timestamp"], (at) => Number(at) - 3600)
  }),
  mutant("payment-in-millis", "the times of payments are in milliseconds", {
    breaks: ["interest.payment.timestamp"],
    ...changing(InterestPaymentHistory.endpoint.path, ["records", "*", "timestamp"], (at) => Number(at) * 1000)
  })
]

const livePages: ReadonlyArray<Mutant> = [
  mutant("live-pages-of-document", "lists of orders and trades have the bounds of the document's lists", {
    breaks: ["live-pages.offset.histories", "live-pages.limit"],
    dialects: ["live"],
    dialect: (live) => ({ ...live, historyLimit: Limit, recordOffset: Offset })
  }),
  mutant("live-pages-unbounded", "a limit or an offset that is too high counts as the maximum", {
    breaks: ["live-pages.offset.max", "live-pages.limit.max"],
    ...asking(
      ActiveOrders.endpoint.path,
      (fields) => clamped("limit", 1, 100)(clamped("offset", 0, maxRecordOffset)(fields))
    )
  })
]

/** @category mutants */
export const mutants: ReadonlyArray<Mutant> = [...lists.flatMap(listMutants), ...filters, ...livePages]
