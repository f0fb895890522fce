/** A host's page. It lists, creates, copies, opens and deletes venues, and shows a cluster's nodes. */
import { batch, signal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { get, onToken, post, remove, setToken, venueAt } from "./api.ts"
import { dateAndTimeOf, number } from "./format.ts"
import { kept } from "./kept.ts"
import { Cell, Choice, Field, Form, Rows } from "./parts.tsx"
import { type Choice as Theme, choice } from "./theme.ts"
import { ask, Asking } from "./Undo.tsx"

/** The part of a venue's summary that the page shows. Times are in Unix microseconds. */
interface Summary {
  readonly id: string
  readonly owner: string
  readonly dialect: string
  readonly stage?: string
  readonly since?: number
  readonly node?: string
  readonly madeAt: number
  readonly endsAt?: number
}

/** A venue's addresses and token. */
interface Made {
  readonly controlToken: string
  readonly nameUrl?: string
}

/** The part of a node's status that the page shows. */
interface NodeStatus {
  readonly node: string
  readonly state: string
  readonly since: number
  readonly shards: number
  readonly awake: number
  readonly troubles: ReadonlyArray<string>
}

/** The part of a host's status that the page shows. */
interface HostStatus {
  readonly awake: number
  readonly bounds: Readonly<Record<string, number>>
  readonly nodes?: ReadonlyArray<NodeStatus>
}

const venues = signal<ReadonlyArray<Summary>>([])
const status = signal<HostStatus | undefined>(undefined)
const link = signal<"loading" | "live" | "disconnected" | "locked">("loading")
const wrong = signal("")
const filter = kept("host filter", { text: "", stage: "" })
const wanted = kept("host wanted", { owner: "", dialect: "document", example: true })

const noToken = "This token does not open this host. Open the address that the host printed, or type its token."

const read = async (): Promise<void> => {
  try {
    const [listed, found] = await Promise.all([get<ReadonlyArray<Summary>>("Venues"), get<HostStatus>("Host")])
    batch(() => {
      venues.value = listed.toReversed()
      status.value = found
      link.value = "live"
    })
  } catch (error) {
    const { message, status = 0 } = error as { message: string; status?: number }
    if (status === 401) {
      link.value = "locked"
      wrong.value = noToken
    } else if (status === 0) link.value = "disconnected"
    else wrong.value = message
  }
}

/** Reads the list repeatedly while the page is visible. */
const follow = (): void => {
  void read()
  setInterval(() => {
    if (!document.hidden && link.value !== "locked") void read()
  }, 2000)
  onToken(enter)
}

const enter = (token: string): void => {
  setToken(token)
  wrong.value = ""
  void read()
}

/** Performs an action, and shows its result or its error. */
const act = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    wrong.value = ""
    await work()
  } catch (error) {
    wrong.value = (error as Error).message
  }
  await read()
}

/** Opens a venue's page in a tab that has no reference to this tab, on the venue's own origin if it has one. */
const open = async (id: string): Promise<void> => {
  const { controlToken, nameUrl } = await get<Made>(`Venues/${id}`)
  window.open(venueAt(id, nameUrl, controlToken), "_blank", "noopener,noreferrer")
}

const end = (id: string): void =>
  ask({
    title: `End the venue ${id}?`,
    words: "The venue's exchange, journal and files are removed.",
    verb: "End",
    does: () => void act(() => remove(`Venues/${id}`))
  })

const drain = (node: string): void =>
  ask({
    title: `Stop the node ${node}?`,
    words: "The node's venues move to the other nodes, and its process ends.",
    verb: "Stop",
    does: () => void act(() => post("Host/Drain", { node }))
  })

const Action = ({ does, name, of }: { name: string; of: string; does: () => void }): JSX.Element => (
  <button
    type="button"
    aria-label={`${name} ${of}`}
    onClick={(event) => {
      // Keeps the click from also opening the row.
      event.stopPropagation()
      does()
    }}
  >
    {name}
  </button>
)

const Venue = (
  { venue: { dialect, endsAt, id, madeAt, node, owner, since, stage } }: { venue: Summary }
): JSX.Element => (
  <>
    <Cell>{id}</Cell>
    <Cell>{owner}</Cell>
    <Cell>{dialect}</Cell>
    <Cell class={stage === "awake" ? "good" : stage === "halted" || stage === "lost" ? "bad" : "soft"}>{stage}</Cell>
    <Cell class="soft">{since === undefined ? "" : dateAndTimeOf(since)}</Cell>
    <Cell class="soft">{node ?? ""}</Cell>
    <Cell class="soft">{dateAndTimeOf(madeAt)}</Cell>
    <Cell class="soft">{endsAt === undefined ? "" : dateAndTimeOf(endsAt)}</Cell>
    <Cell class="do">
      <Action name="Open" of={id} does={() => void act(() => open(id))} />{" "}
      <Action name="Copy" of={id} does={() => void act(() => post(`Venues/${id}/Copy`))} />{" "}
      <Action name="End" of={id} does={() => end(id)} />
    </Cell>
  </>
)

const Venues = (): JSX.Element => {
  const { stage, text } = filter.value
  const sought = text.toLowerCase()
  const stages = [...new Set(venues.value.flatMap(({ stage }) => stage ?? []))]
  const shown = venues.value.filter((venue) =>
    (stage === "" || venue.stage === stage) && `${venue.id} ${venue.owner}`.toLowerCase().includes(sought)
  )
  return (
    <section class="card" aria-label="Venues">
      <h2>
        Venues <span class="soft">{number(shown.length)} of {number(venues.value.length)}</span>
      </h2>
      <div class="bar" role="search" aria-label="Filter the venues">
        <Choice
          label="Filter by stage"
          value={stage}
          options={[["", "every stage"], ...stages.map((one) => [one, one] as const)]}
          onChange={(stage) => (filter.value = { ...filter.value, stage })}
        />
        <input
          type="search"
          aria-label="Filter by id or owner"
          placeholder="id or owner"
          value={text}
          onInput={(event) => (filter.value = { ...filter.value, text: event.currentTarget.value })}
        />
      </div>
      <Rows
        label="Venues"
        className="venues"
        count={shown.length}
        lines={16}
        head={["Venue", "Owner", "Dialect", "Stage", "Since, UTC", "Node", "Created, UTC", "Ends, UTC", "Action"]}
        empty="None. A venue is an exchange of its own, with its own accounts, clock and journal."
        keyOf={(index) => shown[index]?.id ?? index}
        onOpen={(index) => {
          const venue = shown[index]
          if (venue !== undefined) void act(() => open(venue.id))
        }}
        row={(index) => {
          const venue = shown[index]
          return venue === undefined ? null : <Venue venue={venue} />
        }}
      />
    </section>
  )
}

const NewVenue = (): JSX.Element => {
  const { dialect, example, owner } = wanted.value
  const make = (): Promise<unknown> => post("Venues", { dialect, example, ...(owner === "" ? {} : { owner }) })
  return (
    <section class="card" aria-label="New venue">
      <h2>New venue</h2>
      <Form label="Create a venue" onSubmit={() => void act(make)}>
        <Field label="Owner">
          <input
            maxLength={100}
            value={owner}
            onInput={(event) => (wanted.value = { ...wanted.value, owner: event.currentTarget.value })}
          />
        </Field>
        <Field label="Dialect">
          <Choice
            label="Dialect"
            value={dialect}
            options={[["document", "document"], ["live", "live"]]}
            onChange={(dialect) => (wanted.value = { ...wanted.value, dialect })}
          />
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={example}
            onChange={(event) => (wanted.value = { ...wanted.value, example: event.currentTarget.checked })}
          />{" "}
          With the example's accounts
        </label>
        <button type="submit">Create a venue</button>
      </Form>
    </section>
  )
}

const Node = ({ of: { awake, node, shards, since, state, troubles } }: { of: NodeStatus }): JSX.Element => (
  <tr>
    <td>{node}</td>
    <td class={state === "ready" ? "good" : "bad"}>{state}</td>
    <td class="soft">{dateAndTimeOf(since)}</td>
    <td>{shards} of 60</td>
    <td>{awake}</td>
    <td class="wraps">{troubles.join(". ")}</td>
    <td>
      <Action name="Drain" of={node} does={() => drain(node)} />
    </td>
  </tr>
)

const Nodes = (): JSX.Element | null => {
  const nodes = status.value?.nodes ?? []
  if (nodes.length === 0) return null
  return (
    <section class="card" aria-label="Nodes">
      <h2>Nodes</h2>
      <div class="scroll-x">
        <table>
          <thead>
            <tr>{["Node", "State", "Since, UTC", "Shards", "Awake", "Troubles", ""].map((name) => <th>{name}</th>)}</tr>
          </thead>
          <tbody>{nodes.map((node) => <Node key={node.node} of={node} />)}</tbody>
        </table>
      </div>
    </section>
  )
}

const Login = (): JSX.Element => {
  const [token, set] = useState("")
  return (
    <main class="login">
      <section class="card" aria-label="Control token">
        <h2>The host's control token</h2>
        <Form label="Open the host" onSubmit={() => enter(token)}>
          <input
            type="password"
            autocomplete="off"
            aria-label="The host's control token"
            autofocus
            value={token}
            onInput={(event) => set(event.currentTarget.value)}
          />
          <button type="submit">Open</button>
        </Form>
      </section>
    </main>
  )
}

const words = {
  loading: "loading",
  live: "live",
  disconnected: "disconnected, reconnecting",
  locked: "locked"
} as const

const Head = (): JSX.Element => {
  const { awake = 0, bounds = {} } = status.value ?? {}
  const isLive = link.value === "live"
  return (
    <header class="top">
      <h1>
        effect-txc <span class="soft">host</span>
      </h1>
      <span class={`link ${isLive ? "live" : "reconnecting"}`} role="status" id="link">{words[link.value]}</span>
      {status.value === undefined ? null : (
        <span class="soft">
          {venues.value.length} of {bounds["maxVenues"]} venues, {awake} of {bounds["maxAwake"]} awake
        </span>
      )}
      <label class="theme end">
        <span class="soft">Theme</span>{" "}
        <select value={choice.value} onChange={(event) => (choice.value = event.currentTarget.value as Theme)}>
          <option value="system">system</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
    </header>
  )
}

export const HostPage = (): JSX.Element => {
  useEffect(follow, [])
  const count = venues.value.length
  useEffect(() => {
    document.title = `${count} ${count === 1 ? "venue" : "venues"} · effect-txc host`
  }, [count])
  return (
    <>
      <Head />
      <Asking />
      {wrong.value === "" ? null : <p class="banner" role="alert">{wrong.value}</p>}
      {link.value === "locked" ? <Login /> : (
        <main class={link.value === "disconnected" ? "stale" : ""}>
          <NewVenue />
          <Nodes />
          <Venues />
        </main>
      )}
    </>
  )
}
