/**
 * The page of a host: lists the venues, creates, copies and ends them, and opens their pages. It contains no secret:
 * the token is typed in, or read from the fragment of the URL, which browsers never send.
 *
 * A venue's page opens under the venue's own host name if the browser resolves it, so that it has its own origin;
 * otherwise it shares the origin of the host. The token of a venue is held in the memory of its page only, and no page
 * gets a reference to another.
 */
import type { Answer } from "../gateway/Message.ts"
import * as Dashboard from "../page/Dashboard.ts"

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #8884; }
td code { font-size: .9em; }
form { display: flex; gap: .6rem; flex-wrap: wrap; align-items: end; margin: 1rem 0; }
label { display: grid; font-size: .9em; }
button, input, select { font: inherit; }
#message { color: #b00020; min-height: 1.5em; }
@media (prefers-color-scheme: dark) { #message { color: #ff8a80; } }
`

const script = `
const element = (id) => document.getElementById(id)
let token = ""
const takeToken = () => {
  token = decodeURIComponent(/^#token=(.*)$/u.exec(location.hash)?.[1] ?? token)
  history.replaceState(null, "", location.pathname)
}
takeToken()

const say = (text) => { element("message").textContent = text }

const send = async (method, path, body) => {
  const answer = await fetch("control/v1/" + path, {
    method,
    cache: "no-store",
    headers: { authorization: "Bearer " + token, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {})
  }).catch(() => { throw new Error("The host did not answer. When it is back, check here whether it has done this.") })
  const told = await answer.json().catch(() => ({}))
  if (answer.status === 401) {
    element("login").hidden = false
    throw new Error("This token does not open this host. Open the address that the host printed, or type its token.")
  }
  if (!answer.ok) throw new Error(told.message ?? "HTTP " + answer.status)
  return told
}

const attempt = (work) => async (event) => {
  event?.preventDefault()
  try { say(""); await work() } catch (error) { say(error.message) }
}

const isLocal = location.hostname === "localhost" || location.hostname === "127.0.0.1" || location.hostname === "[::1]"

const open = async (id) => {
  const { controlToken, nameUrl, url } = await send("GET", "Venues/" + id)
  const base = isLocal && nameUrl !== undefined ? nameUrl : new URL("v/" + id, location.href).href
  window.open(base + "/#token=" + encodeURIComponent(controlToken), "_blank", "noopener,noreferrer")
}

const cell = (row, text, code) => {
  const at = row.insertCell()
  const inner = code ? at.appendChild(document.createElement("code")) : at
  inner.textContent = text
}

const act = (at, name, label, work) => {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = name
  button.setAttribute("aria-label", name + " " + label)
  button.addEventListener("click", attempt(async () => { await work(); await show() }))
  at.append(button, " ")
}

const time = (micros) => micros === undefined ? "" : new Date(micros / 1000).toISOString().slice(0, 19).replace("T", " ")

const showNodes = (nodes) => {
  element("nodes").hidden = nodes.length === 0
  const rows = document.createElement("tbody")
  for (const { awake, node, shards, since, state, troubles } of nodes) {
    const row = rows.insertRow()
    cell(row, node, true)
    for (const text of [state, time(since), shards + " of 60", awake, troubles.join(". ")]) cell(row, text)
    act(row.insertCell(), "Drain", node, async () => {
      if (confirm("Stop the node " + node + "? Its venues move to the others.")) await send("POST", "Host/Drain", { node })
    })
  }
  element("nodes").tBodies[0].replaceWith(rows)
}

const show = async () => {
  const [venues, status] = await Promise.all([send("GET", "Venues"), send("GET", "Host")])
  element("login").hidden = true
  element("main").hidden = false
  element("status").textContent = venues.length + " of " + status.bounds.maxVenues + " venues, " + status.awake + " of " +
    status.bounds.maxAwake + " awake"
  showNodes(status.nodes ?? [])
  const rows = document.createElement("tbody")
  for (const { dialect, endsAt, id, madeAt, node, owner, since, stage } of venues) {
    const row = rows.insertRow()
    cell(row, id, true)
    for (const text of [owner, dialect, stage, time(since), node ?? "", time(madeAt), time(endsAt)]) cell(row, text)
    const at = row.insertCell()
    act(at, "Open", id, () => open(id))
    act(at, "Copy", id, () => send("POST", "Venues/" + id + "/Copy", {}))
    act(at, "End", id, async () => { if (confirm("End " + id + " and remove its files?")) await send("DELETE", "Venues/" + id) })
  }
  element("venues").tBodies[0].replaceWith(rows)
}

element("login").addEventListener("submit", attempt(async () => { token = element("token").value; await show() }))
element("make").addEventListener("submit", attempt(async () => {
  const owner = element("owner").value
  const body = { dialect: element("dialect").value, example: element("example").checked }
  await send("POST", "Venues", owner === "" ? body : { ...body, owner })
  await show()
}))
element("again").addEventListener("click", attempt(show))
addEventListener("hashchange", () => { takeToken(); void attempt(show)() })
if (token === "") element("login").hidden = false
else attempt(show)()
`

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>effect-txc host</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<h1>effect-txc host</h1>
<p id="message" role="alert"></p>
<form id="login" hidden>
<label>The host's control token <input id="token" type="password" autocomplete="off"></label>
<button>Open</button>
</form>
<main id="main" hidden>
<p><span id="status"></span> <button type="button" id="again">Look again</button></p>
<table id="nodes" hidden>
<thead><tr><th>Node</th><th>State</th><th>Since (UTC)</th><th>Shards</th><th>Awake</th><th></th><th></th></tr></thead>
<tbody></tbody>
</table>
<form id="make" aria-label="Make a venue">
<label>Owner <input id="owner" maxlength="100"></label>
<label>Dialect <select id="dialect"><option>document</option><option>live</option></select></label>
<label>With the example <input id="example" type="checkbox" checked></label>
<button>Make a venue</button>
</form>
<table id="venues">
<thead><tr><th>Venue</th><th>Owner</th><th>Dialect</th><th>Stage</th><th>Since (UTC)</th><th>Node</th><th>Made (UTC)</th><th>Ends (UTC)</th><th></th></tr></thead>
<tbody></tbody>
</table>
</main>
<script>${script}</script>
</body>
</html>
`

/** The page of a host. */
export const page: Answer = Dashboard.toAnswer(html)
