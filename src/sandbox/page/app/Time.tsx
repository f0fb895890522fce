/** The time area: the clock, and the journal's commands. The user can restore the state after any command. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { CommandSummary } from "../../control/CommandHistory.ts"
import type { Forked } from "../../control/ControlApi.ts"
import { get, pageAt, post, remove } from "./api.ts"
import { dateAndTimeOf, lengthOf, number, timeOf } from "./format.ts"
import { Cell, Field, Form, Rows } from "./parts.tsx"
import { sentenceOf } from "./Sentence.ts"
import {
  act,
  clock,
  commandPage,
  commands,
  follow,
  forks,
  heardAt,
  link,
  lookAt,
  lookedAt,
  nextDue,
  onlyChanges,
  past,
  readNow,
  said,
  saved,
  status
} from "./store.ts"
import { ask, undoably } from "./Undo.tsx"

/** The venue's current time, or the last known time while the sandbox is disconnected. */
export const useNow = (): number | undefined => {
  const [, tick] = useState(0)
  const read = clock.value
  const isLive = link.value === "live"
  useEffect(() => {
    if (read === undefined || read.frozen || !isLive) return
    const timer = setInterval(() => tick((ticks) => ticks + 1), 1000)
    return () => clearInterval(timer)
  }, [read, isLive])
  const until = isLive ? performance.now() : Math.max(heardAt.value ?? 0, read?.readAt ?? 0)
  return read && read.at + (read.frozen ? 0 : (until - read.readAt) * 1000)
}

/** Describes the difference between the venue's clock and the machine's; empty if it is less than two seconds. */
export const aheadOf = (now: number): string => {
  const millis = now / 1000 - Date.now()
  if (Math.abs(millis) < 2000) return ""
  return `${lengthOf(millis)} ${millis > 0 ? "ahead" : "behind"}`
}

const older = signal<ReadonlyArray<CommandSummary>>([])

const restore = async (sequence: number): Promise<void> => {
  const done = sequence === 0 ? "Back at the beginning" : `Back at the state after command ${sequence}`
  if (!await undoably(done, () => post("Restore", { sequence }))) return
  lookAt(undefined)
  follow("time")
}

const reset = (): void =>
  ask({
    title: "Reset the sandbox?",
    words:
      "Orders, balances, prices and the clock return to the state in which the sandbox was set up. The journal keeps " +
      "everything, so you can undo the reset.",
    verb: "Reset",
    does: () => void undoably("The sandbox is reset", () => post("Reset"))
  })

const fork = (sequence: number): Promise<boolean> =>
  act(`A fork after command ${sequence} is served`, () => post<Forked>("Fork", { sequence }), "forks")

const SetClock = (): JSX.Element => {
  const [at, setAt] = useState("")
  return (
    <Form
      label="Set the clock"
      onSubmit={() => {
        const micros = Date.parse(`${at}Z`) * 1000
        if (Number.isFinite(micros)) void undoably("The clock is set", () => post("SetClock", { at: micros }))
      }}
    >
      <Field label="Later time, in UTC">
        <input
          type="datetime-local"
          required
          step={1}
          value={at}
          onInput={(event) => setAt(event.currentTarget.value)}
        />
      </Field>
      <button type="submit">Set</button>
    </Form>
  )
}

const Clock = (): JSX.Element => {
  const now = useNow()
  const reading = clock.value
  if (reading === undefined || now === undefined) return <p class="soft">Loading…</p>
  const advance = (millis: number, words: string): void =>
    void undoably(`It is ${words} later`, () => post("AdvanceClock", { millis }))
  const ahead = aheadOf(now)
  return (
    <section class="card" aria-label="Clock">
      <h2>Clock</h2>
      <p class="big" id="clock">
        {dateAndTimeOf(now)} UTC{" "}
        <span class={reading.frozen ? "tag warn" : "tag"}>{reading.frozen ? "frozen" : "running"}</span>
      </p>
      {ahead === "" ? null : (
        <p class="hint">
          Compared with this machine's clock, the sandbox's clock is{" "}
          {ahead}. Orders, interest and limits use the sandbox's clock. Nonces are checked against the machine's clock,
          so callers can keep trading.
        </p>
      )}
      {reading.skewMillis === 0
        ? null
        : (
          <p class="hint">
            Callers see a clock that is {lengthOf(reading.skewMillis)} {reading.skewMillis > 0 ? "ahead" : "behind"}.
          </p>
        )}
      <div class="bar">
        {reading.frozen
          ? <button type="button" onClick={() => void act("The clock is running", () => post("RunClock"))}>Run</button>
          : (
            <button type="button" onClick={() => void act("The clock is frozen", () => post("FreezeClock"))}>
              Freeze
            </button>
          )}
        {([[1000, "1 second"], [60_000, "1 minute"], [3_600_000, "1 hour"], [86_400_000, "1 day"]] as const).map((
          [millis, words]
        ) => <button key={words} type="button" onClick={() => advance(millis, words)}>+{words}</button>)}
        <button
          type="button"
          disabled={nextDue.value === undefined}
          onClick={() =>
            void undoably(
              "The next due event was carried out",
              () => post("SetClock", { at: Math.max(nextDue.value ?? 0, now) })
            )}
        >
          Next due event
          {nextDue.value === undefined ? ": none" : `: in ${lengthOf(Math.max(0, nextDue.value - now) / 1000)}`}
        </button>
      </div>
      <SetClock />
    </section>
  )
}

/** The buttons that act on the selected command: restore, fork, snapshot and reset. */
const Actions = ({ at, last }: { at: number; last: number }): JSX.Element => (
  <div class="bar">
    <button type="button" disabled={at === last} onClick={() => void restore(at)}>Restore</button>
    <button type="button" onClick={() => void fork(at)}>Fork here</button>
    <button type="button" onClick={() => void act("Snapshot taken", () => post("Snapshot"), "commands")}>
      Take snapshot
    </button>
    <button type="button" class="danger" onClick={reset}>Reset…</button>
  </div>
)

const whatClass = ({ changed, sequence }: CommandSummary, at: number): string =>
  ["why", ...(sequence === at ? ["chosen"] : changed === false ? ["soft"] : [])].join(" ")

const Commands = ({ all, at }: { all: ReadonlyArray<CommandSummary>; at: number }): JSX.Element => (
  <Rows
    label="Commands"
    className="commands"
    count={all.length}
    lines={8}
    narrowHeight={68}
    head={["#", "Time", "Account", "What happened"]}
    empty={onlyChanges.value ? "No command has changed anything." : "No commands yet."}
    keyOf={(row) => all[row]?.sequence ?? 0}
    onOpen={(row) => {
      const to = all[row]?.sequence
      lookAt(to === status.value?.sequence ? undefined : to)
      said.value = `Command ${all[row]?.sequence ?? ""} is chosen`
    }}
    row={(row) => {
      const command = all[row]
      return command === undefined ? null : (
        <>
          <Cell class="num soft">{command.sequence}</Cell>
          <Cell class="soft">{timeOf(command.at)}</Cell>
          <Cell>{command.account ?? ""}</Cell>
          <Cell class={whatClass(command, at)}>{sentenceOf(command)}</Cell>
        </>
      )
    }}
  />
)

/** The selected command for which older commands were last read. */
const readFor = signal<number | undefined>(undefined)

/** The commands that the page knows: the latest commands, and those around the selected command. */
const useCommands = (at: number): ReadonlyArray<CommandSummary> => {
  const latest = commands.value
  const lowest = latest.at(-1)?.sequence ?? 1
  const all = [...latest, ...older.value.filter(({ sequence }) => sequence < lowest)]
  // The list might omit the selected command even after a read, so the page reads older commands only once for each
  // selected command.
  const isKnown = at < 1 || latest.length === 0 || readFor.value === at || all.some(({ sequence }) => sequence === at)
  useEffect(() => {
    if (isKnown) return
    const read = async (): Promise<void> => {
      const part = { before: at + 50, limit: commandPage, ...(onlyChanges.value ? { onlyChanges: "true" } : {}) }
      older.value = await get<ReadonlyArray<CommandSummary>>("Commands", part)
      readFor.value = at
    }
    const timer = setTimeout(() => void read(), 150)
    return () => clearTimeout(timer)
  }, [at, isKnown])
  return all
}

/** Hides the calls that have changed nothing, or shows all commands. */
const setOnlyChanges = (is: boolean): void => {
  onlyChanges.value = is
  older.value = []
  readFor.value = undefined
  void readNow("commands")
}

const Timeline = (): JSX.Element => {
  const last = status.value?.sequence ?? 0
  const at = Math.min(lookedAt.value ?? last, last)
  const all = useCommands(at)
  const shown = all.find(({ sequence }) => sequence === at)
  const words = shown === undefined
    ? ""
    : `${dateAndTimeOf(shown.at)}: ${
      [shown.account, sentenceOf(shown)].filter((part) => part !== undefined).join(": ")
    }`
  return (
    <section class="card" aria-label="Timeline">
      <h2>
        Timeline <span class="soft">{number(last)} commands</span>
      </h2>
      <input
        type="range"
        class="wide"
        aria-label="Command"
        min={0}
        max={last}
        value={at}
        aria-valuetext={shown === undefined ? `command ${at}` : `command ${at}: ${sentenceOf(shown)}`}
        onInput={(event) => {
          const to = Number(event.currentTarget.value)
          lookAt(to === last ? undefined : to)
        }}
      />
      <p id="command">
        <b>{at === 0 ? "The beginning" : `Command ${at}`}</b> {words}
      </p>
      <Actions at={at} last={last} />
      <label class="check">
        <input
          type="checkbox"
          checked={onlyChanges.value}
          onChange={(event) => setOnlyChanges(event.currentTarget.checked)}
        />{" "}
        Hide commands without effect
      </label>{" "}
      <span class="soft">The list has {number(all.length)} of {number(last)} commands.</span>
      <Commands all={all} at={at} />
    </section>
  )
}

/** States that the page shows the past, and lets the user return to the present. */
export const PastBanner = (): JSX.Element | null => {
  const at = lookedAt.value
  if (at === undefined) return null
  const shown = past.value
  return (
    <p class="banner past" role="status">
      <span>
        {shown?.sequence === at
          ? `The exchange as it was ${
            at === 0 ? "at the beginning" : `after command ${at}, ${dateAndTimeOf(shown.at)} UTC`
          }.`
          : `Reading the exchange after command ${at}…`} Nothing is restored.
      </span>
      <button type="button" onClick={() => void restore(at)}>Restore this</button>
      <button type="button" class="main" onClick={() => lookAt(undefined)}>Back to the present</button>
    </p>
  )
}

const Snapshots = (): JSX.Element => (
  <section class="card" aria-label="Snapshots">
    <h2>Snapshots</h2>
    {saved.value.length === 0 ? <p class="soft">None. A snapshot makes a restore quick.</p> : (
      <ul class="list">
        {saved.value.toReversed().map(({ at, sequence }) => (
          <li key={sequence}>
            <span>After command {sequence}, {dateAndTimeOf(at)}</span>
            <button type="button" onClick={() => void restore(sequence)}>Restore {sequence}</button>
          </li>
        ))}
      </ul>
    )}
  </section>
)

const end = (id: number): void =>
  ask({
    title: `End fork ${id}?`,
    words: "The fork's state and journal are lost. Its own forks end too.",
    verb: "End",
    does: () => void act(`Fork ${id} has ended`, () => remove(`Forks/${id}`), "forks")
  })

const Forks = (): JSX.Element => (
  <section class="card" aria-label="Forks">
    <h2>Forks</h2>
    {forks.value.length === 0 ?
      <p class="soft">None. A fork is a separate sandbox that starts from a state of this sandbox.</p> :
      (
        <ul class="list">
          {forks.value.map(({ id, sequence, url }) => (
            <li key={id}>
              <span>
                Fork {id}, after command {sequence}:{" "}
                {url === undefined ? "not served" : <a href={pageAt(url)} target="_blank" rel="noreferrer">{url}</a>}
              </span>
              <button
                type="button"
                onClick={() => end(id)}
              >
                End…
              </button>
            </li>
          ))}
        </ul>
      )}
  </section>
)

export const Time = (): JSX.Element => (
  <div class="area">
    <Clock />
    <Timeline />
    <div class="columns">
      <Snapshots />
      <Forks />
    </div>
  </div>
)
