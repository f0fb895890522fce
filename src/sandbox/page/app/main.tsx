/** The page: its header, its areas, and connection messages. */
import { effect } from "@preact/signals"
import { type JSX, render, type TargetedKeyboardEvent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { baseUrl, isHost, onToken, prefix, send } from "./api.ts"
import { type Area as AreaName, area, areas, goTo, names } from "./areas.ts"
import { failNext, Faults, isArmed } from "./Faults.tsx"
import { enter, start, watch } from "./following.ts"
import { dateAndTimeOf, number } from "./format.ts"
import { HostPage } from "./Host.tsx"
import { kept } from "./kept.ts"
import { focus, Keys, type Shortcut, showKeys } from "./Keys.tsx"
import { Market } from "./Market.tsx"
import { OrderLook } from "./OrderLook.tsx"
import { Orders } from "./Orders.tsx"
import { Dialog, Form } from "./parts.tsx"
import { Requests } from "./Requests.tsx"
import {
  clock,
  connections,
  faults,
  heardAt,
  type Link,
  link,
  lookedAt,
  market,
  orderCount,
  requests,
  said,
  seen,
  status,
  summaryOf,
  wrong
} from "./store.ts"
import { Streams } from "./Streams.tsx"
import { type Choice as Theme, choice } from "./theme.ts"
import { aheadOf, PastBanner, Time, useNow } from "./Time.tsx"
import { Asking, Undo } from "./Undo.tsx"

const shortcuts: ReadonlyArray<Shortcut> = [
  ["?", "Show these keys", showKeys],
  ["/", "Find a call", () => {
    area.value = "requests"
    focus("#area input[type=search]")
  }],
  ["g m", "Go to the market's price", () => focus("#market input")],
  ...names.map((name) => [`g ${name.slice(0, 1)}`, `Go to ${areas[name]}`, () => goTo(name)] as const)
]

const count = (name: AreaName): string => {
  if (name === "orders") return orderCount.value === 0 ? "" : String(orderCount.value)
  if (name === "requests") return requests.value.length === 0 ? "" : String(requests.value.length)
  if (name === "streams") return connections.value.length === 0 ? "" : String(connections.value.length)
  if (name === "faults") {
    const armed = faults.value.filter(isArmed).length
    return armed === 0 ? "" : String(armed)
  }
  return ""
}

const Tabs = (): JSX.Element => {
  const list = useRef<HTMLDivElement>(null)
  const go = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (step === 0) return
    const to = names[(names.indexOf(area.value) + step + names.length) % names.length] ?? "orders"
    area.value = to
    list.current?.querySelector<HTMLElement>(`#tab-${to}`)?.focus()
  }
  return (
    <div ref={list} class="tabs" role="tablist" aria-label="Areas" onKeyDown={go}>
      {names.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={area.value === name}
          aria-controls="area"
          tabIndex={area.value === name ? 0 : -1}
          onClick={() => (area.value = name)}
        >
          {areas[name]} {count(name) === "" ? null : <span class="count">{count(name)}</span>}
        </button>
      ))}
    </div>
  )
}

const states: Readonly<Record<Link, string>> = {
  loading: "loading",
  live: "live",
  reconnecting: "disconnected, reconnecting",
  unauthorised: "locked",
  stopped: "stopped"
}

/** The name of the exchange that this page shows: a fork, a venue of a host, or the sandbox itself. */
const nameOf = (): string => {
  const { fork, sequence } = status.value ?? {}
  if (fork !== undefined && sequence !== undefined) return `fork ${fork}`
  const venue = /^\/v\/(.+)$/u.exec(prefix)?.[1] ?? /^(.+)\.localhost$/u.exec(location.hostname)?.[1]
  return venue === undefined ? "sandbox" : `venue ${venue}`
}

const title = (): void => {
  const price = summaryOf(market.value)?.price
  const shown = link.value === "live"
    ? lookedAt.value === undefined ? "" : `after ${lookedAt.value}`
    : states[link.value]
  document.title = [shown, price === undefined ? "" : `${number(price)} ${market.value}`, `effect-txc ${nameOf()}`]
    .filter((part) => part !== "").join(" · ")
}

const Head = (): JSX.Element => {
  const now = useNow()
  const [about, showAbout] = useState(false)
  const ahead = now === undefined ? "" : aheadOf(now)
  return (
    <header class="top">
      <h1>
        effect-txc <span class="soft">{nameOf()}</span>
      </h1>
      <span class={`link ${link.value}`} role="status" id="link">{states[link.value]}</span>
      {now === undefined || clock.value === undefined || link.value !== "live" ? null : (
        <span class="clock">
          {dateAndTimeOf(now)} UTC
          {clock.value.frozen ? <span class="tag warn">frozen</span> : null}
          {ahead === "" ? null : <span class="soft ahead">{ahead}</span>}
        </span>
      )}
      {status.value === undefined ?
        null :
        <span class="soft dialect">{status.value.dialect} dialect, {status.value.sequence} commands</span>}
      <span class="end">
        <label class="theme">
          <span class="soft">Theme</span>{" "}
          <select
            value={choice.value}
            onChange={(event) => (choice.value = event.currentTarget.value as Theme)}
          >
            <option value="system">system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
        <button type="button" class="keys" aria-keyshortcuts="?" onClick={showKeys}>Keys</button>
        <button type="button" onClick={() => showAbout(true)}>About</button>
      </span>
      <Dialog title="About this page" open={about} onClose={() => showAbout(false)}>
        <p>
          Charts by <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">TradingView</a>{" "}
          Lightweight Charts™, Copyright (c) TradingView, Inc.
        </p>
        <p>
          <button type="button" onClick={() => void openApi()}>Download the control plane's OpenAPI document</button>
        </p>
        <pre tabIndex={0}>{document.querySelector<HTMLTemplateElement>("#notices")?.content.textContent}</pre>
      </Dialog>
    </header>
  )
}

const openApi = async (): Promise<void> => {
  const spec = await (await send("GET", "openapi.json")).blob()
  const anchor = document.createElement("a")
  anchor.href = URL.createObjectURL(spec)
  anchor.download = "openapi.json"
  anchor.click()
  URL.revokeObjectURL(anchor.href)
}

const Login = (): JSX.Element => {
  const [token, setToken] = useState("")
  return (
    <main class="login">
      <section class="card" aria-label="Control token">
        <h2>The control token</h2>
        <p>
          When the sandbox starts, it prints this page's address, which contains the token. The token stays in the
          page's memory, and is lost when you close the page.
        </p>
        <Form label="Open the sandbox" onSubmit={() => enter(token)}>
          <input
            type="password"
            autocomplete="off"
            aria-label="Control token"
            autofocus
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <button type="submit">Open</button>
        </Form>
        {wrong.value === "" ? null : <p class="bad" role="alert">{wrong.value}</p>}
      </section>
    </main>
  )
}

const State = (): JSX.Element | null => {
  const [, tick] = useState(0)
  const is = link.value
  useEffect(() => {
    if (is !== "reconnecting") return
    const timer = setInterval(() => tick((ticks) => ticks + 1), 1000)
    return () => clearInterval(timer)
  }, [is])
  if (is === "stopped") {
    return (
      <p class="banner" role="alert">
        The sandbox has stopped: its journal can no longer be written or read. This page shows its last known state.
        Start the sandbox again to continue.
      </p>
    )
  }
  if (is !== "reconnecting") return null
  const age = Math.round((performance.now() - (heardAt.value ?? performance.now())) / 1000)
  return (
    <p class="banner" role="alert">
      Disconnected. This page shows the state of {age} s ago, and continues by itself when the sandbox is back.
    </p>
  )
}

const areHintsClosed = kept("hints closed", false, "localStorage")

const Hints = (): JSX.Element | null => {
  const { fault, price, time } = seen.value
  if (areHintsClosed.value) return null
  const hints = [
    [
      "Move the price…",
      price,
      "Drag the price in the chart, or type a new one. Stop orders that the price reaches are triggered.",
      () => focus("#market input")
    ],
    [
      "Fail the next call",
      fault,
      <>
        {faults.value.some(isArmed) ? "The next call will fail. Make one:" : "Then make a call:"}{" "}
        <code>curl {baseUrl}/api/v4/public/time</code>
      </>,
      () => {
        area.value = "faults"
        failNext("")
      }
    ],
    ["Go back in time…", time, "Move the timeline to an earlier command, and restore its state.", () => {
      area.value = "time"
      focus("#area input[type=range]")
    }]
  ] as const
  return (
    <section class="card hints" aria-label="First steps">
      <ol>
        {hints.map(([name, done, words, go]) => (
          <li key={name} class={done ? "done" : ""}>
            <button type="button" onClick={go}>{done ? "✓ " : ""}{name}</button>
            <span class="soft">{done ? "Done." : words}</span>
          </li>
        ))}
      </ol>
      <button type="button" class="quiet" onClick={() => (areHintsClosed.value = true)}>Hide</button>
    </section>
  )
}

const Area = (): JSX.Element => (
  <section id="area" role="tabpanel" aria-labelledby={`tab-${area.value}`}>
    {area.value === "orders"
      ? <Orders />
      : area.value === "requests"
      ? <Requests />
      : area.value === "streams"
      ? <Streams />
      : area.value === "time"
      ? <Time />
      : <Faults />}
  </section>
)

const Message = (): JSX.Element | null =>
  wrong.value === "" ? null : (
    <p class="banner" role="alert">
      {wrong.value} <button type="button" onClick={() => (wrong.value = "")}>Close</button>
    </p>
  )

const Page = (): JSX.Element => (
  <>
    <Head />
    <p class="unseen" role="status" aria-live="polite">{said.value}</p>
    {link.value === "unauthorised" ? <Login /> : (
      <>
        <Undo />
        <Asking />
        <OrderLook />
        <Keys shortcuts={shortcuts} />
        <State />
        <Message />
        <PastBanner />
        <main class={link.value === "live" ? "" : "stale"} aria-busy={link.value === "loading"}>
          <Hints />
          {link.value === "loading" && status.value === undefined ? <p class="soft">Loading…</p> : (
            <>
              <Market />
              <Tabs />
              <Area />
            </>
          )}
        </main>
        <footer class="soft">
          Charts by <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">TradingView</a>
        </footer>
      </>
    )}
  </>
)

const root = document.getElementById("page")
if (root !== null) render(isHost ? <HostPage /> : <Page />, root)
if (!isHost) {
  if (link.value !== "unauthorised") void start()
  onToken(enter)
  watch()
  effect(title)
}
