/** Time: the clock, and the journal's commands to go back to. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { Forked } from "../../control/ControlApi.ts"
import type { CommandSummary } from "../../control/Past.ts"
import { get, pageAt, post, remove } from "./api.ts"
import { dateAndTimeOf, lengthOf, number, text, timeOf } from "./format.ts"
import { Cell, Dialog, Field, Form, Rows } from "./parts.tsx"
import { act, clock, commands, forks, heardAt, link, nextDue, past, restore, said, saved, status } from "./store.ts"

/** What the venue's clock shows now; what it showed last when the sandbox is away. */
export const useNow = (): number | undefined => {
  const [, tick] = useState(0)
  const read = clock.value
  const isLive = link.value === "live"
  useEffect(() => {
    if (read === undefined || read.frozen || !isLive) return
    const timer = setInterval(() => tick((ticks) => ticks + 1), 1000)
    return () => clearInterval(timer)
  }, [read, isLive])
  const until = isLive ? performance.now() : Math.max(heardAt.value, read?.readAt ?? 0)
  return read && read.at + (read.frozen ? 0 : (until - read.readAt) * 1000)
}

/** How the venue's clock stands to the machine's, in words; nothing when they agree. */
export const aheadOf = (now: number): string => {
  const millis = now / 1000 - Date.now()
  if (Math.abs(millis) < 2000) return ""
  return `${lengthOf(millis)} ${millis > 0 ? "ahead" : "behind"}`
}

/** The command that was scrubbed to; the latest when `undefined`. */
const chosen = signal<number | undefined>(undefined)

const older = signal<ReadonlyArray<CommandSummary>>([])

/** The state before a reset, to go back to. */
const undo = signal<number | undefined>(undefined)

const reset = async (): Promise<void> => {
  const before = status.value?.sequence
  if (await act("Reset to the beginning", () => post("Reset"), ...past)) undo.value = before
}

const fork = (sequence: number): Promise<boolean> =>
  act(`A fork after command ${sequence} is served`, () => post<Forked>("Fork", { sequence }), "forks")

const Clock = (): JSX.Element => {
  const now = useNow()
  const [at, setAt] = useState("")
  const reading = clock.value
  if (reading === undefined || now === undefined) return <p class="soft">Loading…</p>
  const advance = (millis: number, words: string): void =>
    void act(`${words} later`, () => post("AdvanceClock", { millis }), ...past)
  const ahead = aheadOf(now)
  return (
    <section class="card" aria-label="Clock">
      <h2>Clock</h2>
      <p class="big" id="clock">
        {dateAndTimeOf(now)} UTC{" "}
        <span class={reading.frozen ? "tag warn" : "tag"}>{reading.frozen ? "frozen" : "runs"}</span>
      </p>
      {ahead === "" ? null : (
        <p class="hint">
          The sandbox's clock is{" "}
          {ahead}, compared with this machine's. Orders, interest and limits carry its time; nonces go by the machine's
          clock, so callers keep trading.
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
          ? <button type="button" onClick={() => void act("The clock runs", () => post("RunClock"))}>Run</button>
          : (
            <button type="button" onClick={() => void act("The clock stands still", () => post("FreezeClock"))}>
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
            void act(
              "The next due event has happened",
              () => post("SetClock", { at: Math.max(nextDue.value ?? 0, now) }),
              ...past
            )}
        >
          Next due event
          {nextDue.value === undefined ? ": none" : `: in ${lengthOf(Math.max(0, nextDue.value - now) / 1000)}`}
        </button>
      </div>
      <Form
        label="Set the clock"
        onSubmit={() => {
          const micros = Date.parse(`${at}Z`) * 1000
          if (Number.isFinite(micros)) void act("The clock is set", () => post("SetClock", { at: micros }), ...past)
        }}
      >
        <Field label="Set it to a later time, in UTC">
          <input type="datetime-local" step={1} value={at} onInput={(event) => setAt(event.currentTarget.value)} />
        </Field>
        <button type="submit">Set</button>
      </Form>
    </section>
  )
}

/** A call that only reads, or that was refused, uses up its nonce: it is a command all the same. */
const actionOf = ({ action }: CommandSummary): string => action === "Nothing" ? "no effect" : action

const detailOf = ({ fields }: CommandSummary): string =>
  Object.entries(fields).map(([name, value]) => `${name} ${text(value)}`).join(", ")

const ResetDialog = ({ onClose, open }: { open: boolean; onClose: () => void }): JSX.Element => (
  <Dialog title="Reset the sandbox?" open={open} onClose={onClose}>
    <p>
      The state goes back to where the sandbox was set up: orders, balances, prices and the clock. The journal goes on
      and loses nothing, so you can undo it.
    </p>
    <div class="bar">
      <button
        type="button"
        class="danger"
        onClick={() => {
          onClose()
          void reset()
        }}
      >
        Reset
      </button>
      <button type="button" onClick={onClose}>Keep it as it is</button>
    </div>
  </Dialog>
)

/** What can be done at a command. */
const Actions = ({ at, last }: { at: number; last: number }): JSX.Element => {
  const [asking, ask] = useState(false)
  const before = undo.value
  const back = async (): Promise<void> => {
    if (await restore(at)) chosen.value = undefined
  }
  const undoReset = async (sequence: number): Promise<void> => {
    if (await restore(sequence)) undo.value = undefined
  }
  return (
    <div class="bar">
      <button type="button" disabled={at === last} onClick={() => void back()}>Restore</button>
      <button type="button" onClick={() => void fork(at)}>Fork here</button>
      <button type="button" onClick={() => void act("A snapshot was taken", () => post("Snapshot"), "commands")}>
        Take a snapshot
      </button>
      <button type="button" class="danger" onClick={() => ask(true)}>Reset…</button>
      {before === undefined
        ? null
        : <button type="button" onClick={() => void undoReset(before)}>Undo the reset</button>}
      <ResetDialog open={asking} onClose={() => ask(false)} />
    </div>
  )
}

const Commands = ({ all, at }: { all: ReadonlyArray<CommandSummary>; at: number }): JSX.Element => (
  <Rows
    label="Commands"
    className="commands"
    count={all.length}
    lines={8}
    head={["#", "Time", "What", "Account", "Fields"]}
    empty="No command yet."
    keyOf={(row) => all[row]?.sequence ?? 0}
    onOpen={(row) => {
      chosen.value = all[row]?.sequence
      said.value = `Command ${all[row]?.sequence ?? ""} is chosen`
    }}
    row={(row) => {
      const command = all[row]
      return command === undefined ? null : (
        <>
          <Cell class="num soft">{command.sequence}</Cell>
          <Cell class="soft">{timeOf(command.at)}</Cell>
          <Cell class={command.sequence === at ? "chosen" : ""}>{actionOf(command)}</Cell>
          <Cell>{command.account ?? ""}</Cell>
          <Cell class="why">{detailOf(command)}</Cell>
        </>
      )
    }}
  />
)

/** The commands that are known: the latest, and those around the one that was scrubbed to. */
const useCommands = (at: number): ReadonlyArray<CommandSummary> => {
  const latest = commands.value
  const lowest = latest.at(-1)?.sequence ?? 1
  const all = [...latest, ...older.value.filter(({ sequence }) => sequence < lowest)]
  const isKnown = at < 1 || latest.length === 0 || all.some(({ sequence }) => sequence === at)
  useEffect(() => {
    if (isKnown) return
    const read = async (): Promise<void> => {
      older.value = await get<ReadonlyArray<CommandSummary>>("Commands", { before: at + 50, limit: 200 })
    }
    const timer = setTimeout(() => void read(), 150)
    return () => clearTimeout(timer)
  }, [at, isKnown])
  return all
}

const Timeline = (): JSX.Element => {
  const last = status.value?.sequence ?? 0
  const at = Math.min(chosen.value ?? last, last)
  const all = useCommands(at)
  const shown = all.find(({ sequence }) => sequence === at)
  const words = shown === undefined
    ? ""
    : `${dateAndTimeOf(shown.at)}: ${actionOf(shown)} ${shown.account ?? ""} ${detailOf(shown)}`
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
        aria-valuetext={shown === undefined ? `command ${at}` : `command ${at}: ${actionOf(shown)}`}
        onInput={(event) => {
          const to = Number(event.currentTarget.value)
          chosen.value = to === last ? undefined : to
        }}
      />
      <p id="command">
        <b>{at === 0 ? "The beginning" : `Command ${at}`}</b> {words}
      </p>
      <Actions at={at} last={last} />
      <Commands all={all} at={at} />
    </section>
  )
}

const Snapshots = (): JSX.Element => (
  <section class="card" aria-label="Snapshots">
    <h2>Snapshots</h2>
    {saved.value.length === 0 ? <p class="soft">None. A snapshot makes going back quick.</p> : (
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

const Forks = (): JSX.Element => (
  <section class="card" aria-label="Forks">
    <h2>Forks</h2>
    {forks.value.length === 0 ?
      <p class="soft">None. A fork is a sandbox of its own that begins where this one was.</p> :
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
                onClick={() => void act(`Fork ${id} has ended`, () => remove(`Forks/${id}`), "forks")}
              >
                End
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
