/** The requests area: the list of calls, and one call's details. */
import { computed } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import * as Curl from "../../../protocol/Curl.ts"
import type { RequestRecord } from "../../gateway/RequestRecord.ts"
import type { Shown } from "../../gateway/Traffic.ts"
import { baseUrl, get, post } from "./api.ts"
import { openedRequest as opened, showCommand } from "./areas.ts"
import { failNext } from "./Faults.tsx"
import { dateAndTimeOf, number, pretty, text, timeOf } from "./format.ts"
import { kept } from "./kept.ts"
import { Cell, Choice, Dialog, Pairs, Rows } from "./parts.tsx"
import { act, endpoints, lookedAt, requests, said } from "./store.ts"

const filter = kept("filter", { account: "", endpoint: "", verdict: "", text: "" })

const whyOf = ({ expected = {}, fault, hint, refused, violations = {} }: RequestRecord): string =>
  [
    refused,
    ...Object.entries(violations).map(([field, kind]) => `${field} (${kind}): ${expected[field] ?? ""}`),
    hint,
    fault === undefined ? undefined : `fault ${fault.id}, ${fault.symptom}`
  ].filter((part) => part !== undefined).join("; ")

/**
 * Whether a failed call was applied, which its caller can't know. `undefined` for calls that did not fail, and for
 * reads.
 */
const appliedOf = ({ command, endpoint, refused, verdict }: RequestRecord): boolean | undefined => {
  const { mutates = false } = endpoints.value.find(({ name }) => name === endpoint) ?? {}
  return verdict === "failed" && mutates ? command !== undefined && refused === undefined : undefined
}

const verdictOf = (request: RequestRecord): string => {
  const isApplied = appliedOf(request)
  return isApplied === undefined ? request.verdict : `failed, ${isApplied ? "applied" : "not applied"}`
}

/** The fields of a call, except secrets. */
const askedOf = ({ fields = {} }: RequestRecord): string =>
  Object.entries(fields).filter(([, value]) => value !== "***").map(([name, value]) => `${name} ${text(value)}`)
    .join(", ")

const nameOf = ({ endpoint, method, path }: RequestRecord): string => endpoint ?? `${method} ${path}`

/** The searchable text of each call, built once per call. */
const texts = new WeakMap<RequestRecord, string>()

const textOf = (request: RequestRecord): string => {
  const known = texts.get(request)
  if (known !== undefined) return known
  const { fields = {}, number, path } = request
  const made = `${number} ${nameOf(request)} ${path} ${whyOf(request)} ${JSON.stringify(fields)}`.toLowerCase()
  texts.set(request, made)
  return made
}

const found = computed(() => {
  const { account, endpoint, text: sought, verdict } = filter.value
  const lower = sought.toLowerCase()
  return requests.value.filter((request) =>
    (account === "" || request.account === account) &&
    (endpoint === "" || request.endpoint === endpoint) &&
    (verdict === "" || request.verdict === verdict) &&
    (lower === "" || textOf(request).includes(lower))
  )
})

/** Combines errors of the same kind from the same endpoint into one row with a count; at most eight rows. */
const groups = computed(() => {
  const counted = new Map<string, { request: RequestRecord; count: number }>()
  for (const request of requests.value) {
    if (request.verdict === "answered") continue
    const fields = Object.keys(request.violations ?? {}).join(", ")
    const key = `${nameOf(request)} ${request.refused ?? request.fault?.symptom ?? request.verdict} ${fields}`
    const group = counted.get(key)
    if (group === undefined) counted.set(key, { request, count: 1 })
    else group.count++
  }
  return [...counted.entries()].toSorted(([, a], [, b]) => b.count - a.count).slice(0, 8)
})

const set = (change: Partial<(typeof filter)["value"]>): void => {
  filter.value = { ...filter.value, ...change }
}

const Request = ({ request }: { request: RequestRecord }): JSX.Element => (
  <>
    <Cell class="soft num">{request.number}</Cell>
    <Cell class="soft">{timeOf(request.at)}</Cell>
    <Cell class={`verdict ${request.verdict}`}>{verdictOf(request)}</Cell>
    <Cell class="num">{request.status ?? "–"}</Cell>
    <Cell class="num soft">{request.millis.toFixed(1)}</Cell>
    <Cell class="name">
      {nameOf(request)} {request.endpoint === undefined ? null : <span class="soft path">{request.path}</span>}
    </Cell>
    <Cell>{request.account ?? ""}</Cell>
    <Cell class="why">{[whyOf(request), askedOf(request)].filter((part) => part !== "").join(" · ")}</Cell>
  </>
)

/** Describes a failed call's effect on the exchange, which the caller can't know. */
const Applied = ({ request }: { request: RequestRecord }): JSX.Element | null => {
  const isApplied = appliedOf(request)
  if (isApplied === undefined) return null
  return (
    <p class="hint" role="note">
      {isApplied
        ? "The call was applied: only its response was lost. A caller that repeats the call applies it twice."
        : "The call was not applied: it changed nothing."}
    </p>
  )
}

const Remark = ({ request }: { request: RequestRecord }): JSX.Element | null => {
  const violations = Object.entries(request.violations ?? {})
  const isRefused = request.refused !== undefined || violations.length > 0
  if (!isRefused && request.hint === undefined) return null
  return (
    <section aria-label={isRefused ? "Why it was refused" : "Hint"}>
      <h3>
        {isRefused
          ? (
            <>
              Refused: <span class="refused">{request.refused ?? "invalid"}</span>
            </>
          )
          : "Hint"}
      </h3>
      {request.hint === undefined ? null : <p class="hint">{request.hint}</p>}
      {violations.length === 0 ? null : (
        <table class="violations">
          <thead>
            <tr>
              <th>Field</th>
              <th>Constraint</th>
              <th>Expected</th>
              <th>Received</th>
            </tr>
          </thead>
          <tbody>
            {violations.map(([field, kind]) => (
              <tr key={field}>
                <td>{field}</td>
                <td class="refused">{kind}</td>
                <td data-name="Expected">{request.expected?.[field] ?? kind}</td>
                <td data-name="Received">
                  {request.fields?.[field] === undefined ? "nothing" : text(request.fields[field])}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

const Call = ({ request }: { request: RequestRecord }): JSX.Element => (
  <section aria-label="Call">
    <h3>Call</h3>
    <Pairs
      of={{
        account: request.account ?? "unknown",
        key: request.key ?? "none",
        time: `${dateAndTimeOf(request.at)} UTC`,
        took: `${request.millis.toFixed(1)} ms`,
        from: request.from,
        ...(request.nonce === undefined ? {} : { nonce: request.nonce })
      }}
    />
  </section>
)

const Exchange = ({ shown }: { shown: Shown }): JSX.Element => (
  <>
    <section aria-label="Response">
      <h3>Response</h3>
      <pre tabIndex={0}>{shown.answer === "" ? "No body" : pretty(shown.answer)}</pre>
      <Pairs of={shown.answerHeaders} />
    </section>
    <section aria-label="Headers">
      <h3>Headers</h3>
      <Pairs of={shown.headers} />
    </section>
  </>
)

/** The call as a shell script. The script contains no secret: it reads the keys from the environment. */
const toCurl = ({ method, path }: RequestRecord, shown: Shown | undefined): string => {
  const query = shown?.query ?? ""
  const url = baseUrl + path + (query === "" ? "" : `?${query}`)
  if (method === "GET") return Curl.send({ url: Curl.word(url), headers: [] })
  return Curl.script({ method, url, body: shown?.body ?? "{}" })
}

/** Buttons that open the previous and the next call in the list. */
const Neighbours = ({ of }: { of: RequestRecord }): JSX.Element => {
  const at = found.value.findIndex(({ number }) => number === of.number)
  const to = (name: string, next: RequestRecord | undefined): JSX.Element => (
    <button type="button" disabled={at < 0 || next === undefined} onClick={() => (opened.value = next)}>{name}</button>
  )
  return (
    <span class="group" role="group" aria-label="Other calls">
      {to("‹ Newer", found.value[at - 1])}
      {to("Older ›", found.value[at + 1])}
    </span>
  )
}

const Look = ({ request }: { request: RequestRecord }): JSX.Element => {
  const [shown, setShown] = useState<Shown | "gone">()
  useEffect(() => {
    get<Shown>(`Requests/${request.number}`).then(setShown, () => setShown("gone"))
  }, [request.number])
  const stored = shown === undefined || shown === "gone" ? undefined : shown
  const copy = (): void =>
    void navigator.clipboard.writeText(toCurl(request, stored)).then(
      () => (said.value = "Copied"),
      () => (said.value = "The browser does not allow the page to copy")
    )
  return (
    <>
      <p>
        <span class={`verdict ${request.verdict}`}>{request.verdict}</span> {request.method} {request.path}
        {request.status === undefined ? " without a response" : `, HTTP ${request.status}`}
        {request.fault === undefined ? "" : `, hit by fault ${request.fault.id} (${request.fault.symptom})`}
      </p>
      <div class="bar">
        <Neighbours of={request} />
        <button type="button" disabled={stored === undefined} onClick={copy}>Copy as curl</button>
        <button
          type="button"
          disabled={stored === undefined || lookedAt.value !== undefined}
          onClick={() =>
            void act("The call was repeated", () => post(`Requests/${request.number}/Again`), "account", "market")}
        >
          Repeat
        </button>
        <button type="button" onClick={() => failNext(request.endpoint === undefined ? "" : request.path)}>
          Fail the next {request.endpoint === undefined ? "call" : request.endpoint}
        </button>
        {request.command === undefined ?
          null :
          <button type="button" onClick={() => showCommand(request.command ?? 0)}>Command {request.command}</button>}
      </div>
      <Applied request={request} />
      <Remark request={request} />
      <Call request={request} />
      {request.fields === undefined || Object.keys(request.fields).length === 0
        ? null
        : (
          <section aria-label="Fields">
            <h3>Fields</h3>
            <Pairs of={request.fields} />
          </section>
        )}
      {shown === "gone" ? <p class="soft">The call's headers and response are no longer stored.</p> : null}
      {shown === undefined ? <p class="soft">Loading…</p> : null}
      {stored === undefined ? null : <Exchange shown={stored} />}
    </>
  )
}

type Options = ReadonlyArray<readonly [value: string, text: string]>

const verdicts: Options = [["", "every verdict"], ["answered", "answered"], ["refused", "refused"], [
  "failed",
  "failed"
]]

/** Describes how many of the calls the list shows. */
const countOf = (): string => {
  const kept = requests.value.length
  const made = requests.value[0]?.number ?? 0
  const shown = `${number(found.value.length)} of ${number(kept)}`
  return made <= kept ? shown : `${shown}, the latest of ${number(made)}`
}

const Filter = (): JSX.Element => {
  const { account, endpoint, text, verdict } = filter.value
  const known = [...new Set(requests.value.flatMap((request) => request.account ?? []))]
  const ofAccounts: Options = [["", "every account"], ...known.map((one) => [one, one] as const)]
  const ofEndpoints: Options = [["", "every endpoint"], ...endpoints.value.map(({ name }) => [name, name] as const)]
  return (
    <div class="bar" role="search" aria-label="Filter the requests">
      <Choice label="Filter by account" value={account} options={ofAccounts} onChange={(account) => set({ account })} />
      <Choice
        label="Filter by endpoint"
        value={endpoint}
        options={ofEndpoints}
        onChange={(endpoint) => set({ endpoint })}
      />
      <Choice label="Filter by verdict" value={verdict} options={verdicts} onChange={(verdict) => set({ verdict })} />
      <input
        type="search"
        aria-label="Filter by text"
        placeholder="text"
        value={text}
        onInput={(event) => set({ text: event.currentTarget.value })}
      />
      <span class="soft">{countOf()}</span>
    </div>
  )
}

const Errors = (): JSX.Element | null =>
  groups.value.length === 0 ? null : (
    <section class="card" aria-label="Grouped errors">
      <h2>Errors</h2>
      <ul class="groups">
        {groups.value.map(([key, { count, request }]) => (
          <li key={key}>
            <button
              type="button"
              onClick={() =>
                set({ endpoint: request.endpoint ?? "", verdict: request.verdict, text: request.refused ?? "" })}
            >
              <b class={request.verdict}>{count}×</b> {nameOf(request)}{" "}
              <span class="soft">
                {[request.refused ?? request.fault?.symptom ?? "no response", ...Object.keys(request.violations ?? {})]
                  .join(", ")}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )

export const Requests = (): JSX.Element => {
  const shown = found.value
  const look = opened.value
  return (
    <div class="area">
      <Filter />
      <Errors />
      <section class="card" aria-label="Requests">
        <h2>Requests</h2>
        <Rows
          label="Requests"
          className="requests"
          count={shown.length}
          lines={14}
          narrowHeight={68}
          head={["#", "Time", "Verdict", "HTTP", "ms", "Call", "Account", "Why, and what was sent"]}
          empty="No matching calls. Calls on the exchange appear here as they are made, except this page's own."
          keyOf={(index) => shown[index]?.number ?? 0}
          onOpen={(index) => {
            opened.value = shown[index]
          }}
          row={(index) => {
            const request = shown[index]
            return request === undefined ? null : <Request request={request} />
          }}
        />
      </section>
      <Dialog
        title={look === undefined ? "Request" : `Request ${look.number}: ${nameOf(look)}`}
        className="drawer"
        open={look !== undefined}
        onClose={() => {
          opened.value = undefined
        }}
      >
        {look === undefined ? null : <Look request={look} />}
      </Dialog>
    </div>
  )
}
