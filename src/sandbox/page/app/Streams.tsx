/** The streams area: the connected clients, their subscriptions, and the messages sent to them. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { OpenConnection, SentMessage } from "../../gateway/OpenConnections.ts"
import { get, post } from "./api.ts"
import { dateAndTimeOf, number, pretty, timeOf } from "./format.ts"
import { Cell, Dialog, Pairs, Rows } from "./parts.tsx"
import { act, connections, status } from "./store.ts"

const opened = signal<OpenConnection | undefined>(undefined)

const cut = (id: number, close = false): void =>
  void act(
    `Connection ${id} was cut off`,
    () => post("CutConnection", { id, ...(close ? { close } : {}) }),
    "connections"
  )

const topicText = (topic: ReadonlyArray<unknown>): string => topic.map(String).join(" ")

/** Describes a connection's subscriptions. */
const listening = ({ subscriptions }: OpenConnection): string =>
  subscriptions.map(({ channel, topics }) => [channel, topics.map(topicText).join(", ")].join(" ").trim()).join("; ")

const Connection = ({ connection }: { connection: OpenConnection }): JSX.Element => (
  <>
    <Cell class="soft num">{connection.id}</Cell>
    <Cell>{connection.account ?? <span class="soft">not authorized</span>}</Cell>
    <Cell class="soft">{timeOf(connection.since)}</Cell>
    <Cell class="soft">{connection.from}</Cell>
    <Cell class="why">{listening(connection) || <span class="soft">nothing</span>}</Cell>
    <Cell class="num">{number(connection.sent)}</Cell>
    <Cell class="num">{connection.waiting === 0 ? "" : number(connection.waiting)}</Cell>
    <Cell class="do">
      <button
        type="button"
        aria-label={`Cut off connection ${connection.id}`}
        aria-keyshortcuts="Delete"
        onClick={(event) => {
          // Keeps the click from also opening the row.
          event.stopPropagation()
          cut(connection.id)
        }}
      >
        Cut off
      </button>
    </Cell>
  </>
)

/** The method of a push, or the id of the request to which a message responds. */
const nameOf = (text: string): string => {
  const [, method] = /"method":"([^"]*)"/u.exec(text) ?? []
  if (method !== undefined) return method
  const [, id] = /"id":(\d+)/u.exec(text) ?? []
  return id === undefined ? "message" : `response to ${id}`
}

/** A key for each message, so that an unfolded message stays unfolded when later messages arrive. */
const keysOf = (messages: ReadonlyArray<SentMessage>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  return messages.map(({ at, text }) => {
    const count = (counts.get(`${at} ${text}`) ?? 0) + 1
    counts.set(`${at} ${text}`, count)
    return `${at} ${count} ${text}`
  })
}

const Messages = ({ of }: { of: OpenConnection }): JSX.Element => {
  const [messages, setMessages] = useState<ReadonlyArray<SentMessage>>()
  useEffect(() => {
    get<ReadonlyArray<SentMessage>>(`Connections/${of.id}/Messages`).then(setMessages, () => undefined)
  }, [of.id, of.sent])
  const kept = messages ?? []
  const keys = keysOf(kept)
  return (
    <section aria-label="Messages">
      <h3>
        Latest messages{" "}
        <span class="soft">
          {messages === undefined ? "Loading…" : `${kept.length} of ${number(of.sent)} sent, the latest first`}
        </span>
      </h3>
      {kept.map(({ at, text }, index) => (
        <details key={keys[index]} class="message">
          <summary>
            {timeOf(at)} <b>{nameOf(text)}</b> <span class="soft">{text}</span>
          </summary>
          <pre tabIndex={0}>{pretty(text)}</pre>
        </details>
      )).toReversed()}
    </section>
  )
}

const Look = ({ connection }: { connection: OpenConnection }): JSX.Element => {
  const isOpen = connections.value.some(({ id }) => id === connection.id)
  const { account, apiKey, from, id, since, subscriptions, waiting } = connection
  return (
    <>
      {isOpen
        ? (
          <div class="bar">
            <button type="button" onClick={() => cut(id)}>Cut off</button>
            <button type="button" onClick={() => cut(id, true)}>Close (1001)</button>
          </div>
        )
        : <p class="hint" role="status">This connection has ended.</p>}
      <section aria-label="Connection">
        <h3>Connection</h3>
        <Pairs
          of={{
            account: account ?? "not authorized",
            key: apiKey ?? "none",
            since: `${dateAndTimeOf(since)} UTC`,
            from,
            "waiting to be read": `${number(waiting)} bytes`
          }}
        />
      </section>
      <section aria-label="Subscriptions">
        <h3>Subscriptions</h3>
        {subscriptions.length === 0 ?
          <p class="soft">None.</p> :
          (
            <Pairs
              of={Object.fromEntries(subscriptions.map(({ channel, topics }) => [
                channel,
                topics.map(topicText).join(", ") || "everything"
              ]))}
            />
          )}
      </section>
      <Messages of={connection} />
    </>
  )
}

const noConnections = (): string =>
  status.value?.dialect === "live"
    ? "None. Connect a WebSocket client to the path /ws."
    : "None. Only the live exchange's dialect has streams: start the sandbox with --dialect live."

export const Streams = (): JSX.Element => {
  const shown = connections.value.toReversed()
  const before = opened.value
  const look = shown.find(({ id }) => id === before?.id) ?? before
  return (
    <div class="area">
      <section class="card" aria-label="Connections">
        <h2>
          Connections <span class="soft">{number(shown.length)}</span>
        </h2>
        <Rows
          label="Connections"
          className="connections"
          count={shown.length}
          lines={14}
          head={["#", "Account", "Since", "From", "Subscriptions", "Sent", "Waiting", "Action"]}
          empty={noConnections()}
          keyOf={(index) => shown[index]?.id ?? 0}
          onOpen={(index) => {
            opened.value = shown[index]
          }}
          onDelete={(index) => {
            const connection = shown[index]
            if (connection !== undefined) cut(connection.id)
          }}
          row={(index) => {
            const connection = shown[index]
            return connection === undefined ? null : <Connection connection={connection} />
          }}
        />
      </section>
      <Dialog
        title={look === undefined ? "Connection" : `Connection ${look.id}`}
        className="drawer"
        open={look !== undefined}
        onClose={() => {
          opened.value = undefined
        }}
      >
        {look === undefined ? null : <Look connection={look} />}
      </Dialog>
    </div>
  )
}
