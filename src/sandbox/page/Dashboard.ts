/**
 * A page to watch and control a sandbox in a browser, on top of the control plane. It holds no secret: the token is in the
 * fragment of its URL, which no browser sends, or is typed in.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import type { Answer } from "../gateway/Message.ts"

/** The path of the page. */
export const path = "/control/"

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dbe0, #3a3f47); --soft: light-dark(#5b6470, #9aa4b2);
  --good: light-dark(#18794e, #4cc38a); --bad: light-dark(#b42318, #ff8b7b); --warn: light-dark(#8a5a00, #f0b64c) }
* { box-sizing: border-box }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif }
header, main { max-width: 1200px; margin: auto; padding: 12px 16px }
header { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline }
h1 { font-size: 18px; margin: 0 }
h2 { font-size: 14px; margin: 0 0 8px }
* + h2 { margin-top: 12px }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); gap: 12px }
section { border: 1px solid var(--line); border-radius: 8px; padding: 12px; min-width: 0 }
.wide { grid-column: 1 / -1 }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th { text-align: left; font-weight: 500; color: var(--soft) }
th, td { padding: 2px 8px 2px 0; vertical-align: baseline; overflow-wrap: anywhere }
.scroll { max-height: 320px; overflow: auto }
.row { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px }
button, input, select { font: inherit; padding: 3px 8px }
input.short { width: 9em }
.soft { color: var(--soft) } .answered { color: var(--good) } .refused { color: var(--warn) } .failed { color: var(--bad) }
#said { color: var(--bad); margin: 0 }
#said:empty { display: none }
`

const body = `
<header><h1>effect-txc sandbox</h1><span id="status" class="soft">…</span><span id="clock"></span>
<a href="#" id="openapi">OpenAPI</a></header>
<main>
<section class="wide" id="login" hidden><h2>Control token</h2>
<form id="enter" class="row"><input id="token" type="password" autocomplete="off" aria-label="Control token">
<button>Open</button></form></section>
<p class="wide" id="said" role="alert"></p>
<section><h2>Clock</h2><div class="row">
<button data-post="FreezeClock">Freeze</button><button data-post="RunClock">Run</button>
<button data-post="AdvanceClock" data-body='{"millis":60000}'>+1 minute</button>
<button data-post="AdvanceClock" data-body='{"millis":3600000}'>+1 hour</button>
<button data-post="AdvanceClock" data-body='{"millis":86400000}'>+1 day</button></div>
<h2>History</h2><div class="row">
<button id="snapshot">Take a snapshot</button><button data-post="Reset">Reset</button></div>
<div id="snapshots" class="row"></div></section>
<section><h2>Prices</h2><table><tbody id="prices"></tbody></table></section>
<section><h2>Faults</h2><form id="fault" class="row"><select id="symptom" aria-label="What goes wrong">
<option value='{"_tag":"Reset","applied":true}'>applied, answer lost</option>
<option value='{"_tag":"Reset","applied":false}'>reset before it is applied</option>
<option value='{"_tag":"BadGateway","applied":false}'>502 of a proxy</option>
<option value='{"_tag":"Refuse","kind":"rateLimited"}'>rate limit</option>
<option value='{"_tag":"Refuse","kind":"nonceUsed"}'>nonce refused</option>
<option value='{"_tag":"Delay","millis":15000}'>answered 15 s later</option>
<option value='{"_tag":"Late","millis":15000}'>arrives 15 s later</option>
<option value='{"_tag":"Truncate","bytes":10}'>cut after 10 bytes</option></select>
<input id="faultPath" placeholder="path, or all" aria-label="Path"><button>Add, for one call</button></form>
<table><tbody id="faults"></tbody></table>
<div class="row"><button data-delete="Faults">Clear</button></div></section>
<section><h2>Account</h2><div class="row"><select id="account" aria-label="Account"></select></div>
<table><thead><tr><th>wallet<th>asset<th>free<th>locked</thead><tbody id="balances"></tbody></table>
<table><thead><tr><th>open order<th>market<th>side<th>left<th>price</thead><tbody id="orders"></tbody></table></section>
<section class="wide"><h2>Calls</h2><div class="scroll"><table>
<thead><tr><th>#<th>account<th>call<th>verdict<th>status<th>why</thead><tbody id="requests"></tbody></table></div></section>
<section class="wide"><h2>What happens</h2><div class="scroll"><table>
<thead><tr><th>place<th>event<th></thead><tbody id="events"></tbody></table></div></section>
</main>`

/** The page's program. It shows everything that it receives as text, never as HTML. */
const script = `
const at = (id) => document.getElementById(id)
const cells = (...values) => {
  const row = document.createElement("tr")
  for (const value of values) {
    const cell = row.appendChild(document.createElement("td"))
    if (value instanceof Node) cell.append(value)
    else cell.textContent = value ?? ""
  }
  return row
}
const button = (text, click) => {
  const made = document.createElement("button")
  made.textContent = text
  made.addEventListener("click", click)
  return made
}
let token = decodeURIComponent(location.hash.replace(/^#token=/, ""))
const call = async (method, name, body) => {
  const response = await fetch("/control/v1/" + name, {
    method,
    headers: { authorization: "Bearer " + token, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (response.ok) return response
  if (response.status === 401) at("login").hidden = false
  const refusal = await response.json().catch(() => ({}))
  const fields = Object.entries(refusal.fields ?? {}).map(([field, constraint]) => field + ": " + constraint).join(", ")
  throw new Error(name + ": " + (refusal.message ?? (fields || refusal._tag || "HTTP " + response.status)))
}
const get = async (name) => (await call("GET", name)).json()
const say = (error) => { at("said").textContent = error === undefined ? "" : error.message }
const act = (work) => work().then(() => { say(); return refresh() }).catch(say)
const post = (name, body) => act(() => call("POST", name, body ?? {}))

const refresh = async () => {
  const [status, clock, accounts, faults] = await Promise.all(["Status", "Clock", "Accounts", "Faults"].map(get))
  at("status").textContent = status.dialect + ", " + status.sequence + " commands"
  at("clock").textContent = new Date(clock.at / 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC" +
    (clock.frozen ? ", frozen" : "") + (clock.skewMillis === 0 ? "" : ", skewed " + clock.skewMillis + " ms")
  const chosen = at("account").value || accounts[0]?.account
  at("account").replaceChildren(...accounts.map(({ account }) => new Option(account, account, false, account === chosen)))
  at("faults").replaceChildren(...faults.map(({ fault, fired, id, matched }) => cells(
    "#" + id, fault.symptom._tag, fault.path ?? "all", "fired " + fired + " of " + matched,
    button("End", () => act(() => call("DELETE", "Faults/" + id))))))
  if (chosen === undefined) return
  const query = "?account=" + encodeURIComponent(chosen)
  const [balances, orders] = await Promise.all(["Balances" + query, "OpenOrders" + query].map(get))
  at("balances").replaceChildren(...balances.map(({ free, locked, ticker, wallet }) => cells(wallet, ticker, free, locked)))
  at("orders").replaceChildren(...orders.map((order) =>
    cells(order.clientOrderId ?? order.id, order.market, order.side, order.left, order.price ?? "market")))
}

const showPrices = async () => {
  const tickers = await (await fetch("/api/v4/public/ticker")).json()
  const prices = Object.entries(tickers).map(([market, { last_price }]) => {
    const input = document.createElement("input")
    input.className = "short"
    input.value = last_price === "0" ? "" : last_price
    input.placeholder = "none yet"
    input.setAttribute("aria-label", "Price of " + market)
    return cells(market, input, button("Move", () => act(async () => {
      await call("POST", "MovePrice", { market, price: input.value })
      await showPrices()
    })))
  })
  at("prices").replaceChildren(...prices)
}

const kept = 200
const prepend = (id, row) => {
  at(id).prepend(row)
  while (at(id).rows.length > kept) at(id).deleteRow(-1)
}
const showRequest = (request) => {
  const verdict = document.createElement("span")
  verdict.className = verdict.textContent = request.verdict
  const violations = Object.entries(request.violations ?? {}).map(([field, constraint]) => field + ": " + constraint)
  const fault = request.fault === undefined ? [] : ["fault #" + request.fault.id + " " + request.fault.symptom]
  prepend("requests", cells(request.number, request.account, request.endpoint ?? request.method + " " + request.path,
    verdict, request.status, [request.refused, ...violations, request.hint, ...fault].filter(Boolean).join("; ")))
}
const show = (entry) => {
  const { _tag, ...rest } = entry.event
  if (_tag === "Requested") return showRequest(rest.request)
  const details = Object.entries(rest).map(([name, value]) => name + " " + value).join(", ")
  prepend("events", cells(entry.id, _tag, details))
}

let last
let soon
const follow = async () => {
  const query = last === undefined ? "" : "?after=" + encodeURIComponent(last)
  const reader = (await call("GET", "Events" + query)).body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (text + value).split("\\n\\n")
    text = parts.pop()
    for (const part of parts) {
      const data = part.split("\\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\\n")
      if (data === "") continue
      const entry = JSON.parse(data)
      last = entry.id
      show(entry)
    }
    clearTimeout(soon)
    soon = setTimeout(() => refresh().catch(say), 100)
  }
}
const watch = async () => {
  for (;;) {
    await follow().catch((error) => { last = undefined; say(error) })
    await new Promise((resume) => setTimeout(resume, 1000))
    if (!at("login").hidden) return
  }
}
const start = async () => {
  try {
    await refresh()
    at("login").hidden = true
    for (const request of await get("Requests")) showRequest(request)
    await showPrices()
    say()
    watch()
  } catch (error) { say(error) }
}

for (const pressed of document.querySelectorAll("[data-post]")) {
  pressed.addEventListener("click", () => post(pressed.dataset.post, JSON.parse(pressed.dataset.body ?? "{}")))
}
for (const pressed of document.querySelectorAll("[data-delete]")) {
  pressed.addEventListener("click", () => act(() => call("DELETE", pressed.dataset.delete)))
}
at("enter").addEventListener("submit", (event) => { event.preventDefault(); token = at("token").value; start() })
at("fault").addEventListener("submit", (event) => {
  event.preventDefault()
  const path = at("faultPath").value.trim()
  post("Faults", { ...(path === "" ? {} : { path }), symptom: JSON.parse(at("symptom").value) })
})
at("account").addEventListener("change", () => refresh().catch(say))
at("snapshot").addEventListener("click", () => act(async () => {
  const { sequence } = await (await call("POST", "Snapshot", {})).json()
  at("snapshots").append(button("Restore " + sequence, () => post("Restore", { sequence })))
}))
at("openapi").addEventListener("click", async (event) => {
  event.preventDefault()
  const spec = await (await call("GET", "openapi.json")).blob()
  location.assign(URL.createObjectURL(spec))
})
setInterval(() => at("login").hidden && refresh().catch(say), 5000)
start()
`

const sourceOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/**
 * The page. It runs only its own program and style, loads nothing from elsewhere, and can't be framed by another page.
 *
 * @category answers
 * @since 0.1.0
 */
export const page: Answer = {
  _tag: "Answer",
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; connect-src 'self'; script-src ${sourceOf(script)}; style-src ${
      sourceOf(style)
    }; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  },
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>effect-txc sandbox</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>${body}
<script>${script}</script></body></html>`
}
