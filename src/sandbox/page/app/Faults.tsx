/** The faults area: which calls and streams go wrong, and how. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import type { Armed, StreamSymptom, Symptom } from "../../gateway/Faults.ts"
import { post, remove } from "./api.ts"
import { number, text } from "./format.ts"
import { Choice, Field, Form } from "./parts.tsx"
import { accounts, act, channels, endpoints, faults, ownFaults } from "./store.ts"

/** A parameter of a symptom. */
type Parameter = "applied" | "close" | "kind" | "millis" | "bytes" | "bytesPerSecond" | "status" | "body"

const symptoms: Readonly<Record<Symptom["_tag"], readonly [words: string, parameters: ReadonlyArray<Parameter>]>> = {
  Reset: ["the connection is reset", ["applied"]],
  BadGateway: ["502 from a proxy", ["applied"]],
  Refuse: ["the exchange refuses the call", ["kind"]],
  Delay: ["applied immediately, with a late response", ["millis"]],
  Late: ["the call arrives late", ["millis"]],
  Truncate: ["the response is cut off", ["bytes"]],
  Malformed: ["the response is not valid JSON", []],
  Unreadable: ["the response contains only order ids", []],
  Slow: ["the response arrives slowly", ["bytesPerSecond"]],
  Answer: ["a custom response", ["applied", "status", "body"]]
}

/** The description of a stream symptom: its label, the kind of event that it affects, and its parameters. */
interface StreamWords {
  readonly words: string
  readonly hits: "messages" | "snapshots" | "pings" | "tokens" | "connections"
  readonly parameters?: ReadonlyArray<Parameter>
}

const streamSymptoms: Readonly<Record<StreamSymptom["_tag"], StreamWords>> = {
  Cut: { words: "the connection ends", hits: "messages", parameters: ["close"] },
  Stall: { words: "nothing more arrives", hits: "messages" },
  Lose: { words: "a message is lost", hits: "messages" },
  Duplicate: { words: "a message arrives twice", hits: "messages" },
  HoldBack: { words: "a message arrives after the next one", hits: "messages" },
  Garble: { words: "a message is not valid JSON", hits: "messages" },
  Throttle: { words: "messages arrive slowly", hits: "messages", parameters: ["bytesPerSecond"] },
  Stale: { words: "a snapshot is stale", hits: "snapshots" },
  IgnorePing: { words: "a ping gets no response", hits: "pings" },
  RefuseToken: { words: "a token is refused", hits: "tokens", parameters: ["kind"] },
  RefuseConnection: { words: "a connection is refused", hits: "connections", parameters: ["kind"] }
}

const isOfStreams = (tag: string): tag is StreamSymptom["_tag"] => Object.hasOwn(streamSymptoms, tag)

const kinds: Readonly<Partial<Record<Tag, ReadonlyArray<string>>>> = {
  Refuse: ["rateLimited", "nonceUsed", "nonceOutsideWindow", "unauthorized", "unavailable"],
  RefuseToken: ["unauthorized", "unavailable"],
  RefuseConnection: ["rateLimited", "unavailable"]
}

type Tag = (Symptom | StreamSymptom)["_tag"]

const wanted = signal({
  path: "",
  apiKey: "",
  channel: "",
  account: "",
  symptom: "Reset" as Symptom["_tag"],
  streamSymptom: "Cut" as StreamSymptom["_tag"],
  isOfStreams: false,
  times: "1",
  skip: "0",
  probability: "1",
  applied: "true",
  close: "false",
  kind: "rateLimited",
  millis: "15000",
  bytes: "10",
  bytesPerSecond: "100",
  status: "500",
  body: "{}"
})

const set = (change: Partial<(typeof wanted)["value"]>): void => {
  wanted.value = { ...wanted.value, ...change }
}

/** The chosen symptom's name and parameters. */
const chosen = (): readonly [tag: Tag, parameters: ReadonlyArray<Parameter>] => {
  const { isOfStreams, streamSymptom, symptom } = wanted.value
  return isOfStreams
    ? [streamSymptom, streamSymptoms[streamSymptom].parameters ?? []]
    : [symptom, symptoms[symptom][1]]
}

/** Returns the selected reason if it is one of the chosen symptom's reasons, otherwise the symptom's first reason. */
const kindOf = (tag: Tag): string => {
  const known = kinds[tag] ?? []
  return known.includes(wanted.value.kind) ? wanted.value.kind : known[0] ?? ""
}

const toSymptom = (): object => {
  const given = wanted.value
  const [tag, parameters] = chosen()
  const read: Readonly<Record<Parameter, unknown>> = {
    applied: given.applied === "true",
    close: given.close === "true",
    kind: kindOf(tag),
    millis: Number(given.millis),
    bytes: Number(given.bytes),
    bytesPerSecond: Number(given.bytesPerSecond),
    status: Number(given.status),
    body: given.body
  }
  return {
    _tag: tag,
    ...Object.fromEntries(parameters.map((parameter) => [parameter, read[parameter]])),
    ...(tag === "Answer" ? { headers: { "content-type": "application/json" } } : {})
  }
}

type Selector = "path" | "apiKey" | "channel" | "account"

/** The fields that select the calls or streams that a symptom affects. */
const selectorsOf = (tag: Tag): ReadonlyArray<Selector> => {
  if (!isOfStreams(tag)) return ["path", "apiKey"]
  const { hits } = streamSymptoms[tag]
  if (hits === "connections") return []
  return hits === "messages" || hits === "snapshots" ? ["channel", "account"] : ["account"]
}

const send = (done: string, fault: object): void =>
  void act(done, async () => {
    const { id } = await post<{ readonly id: number }>("Faults", fault)
    ownFaults.add(id)
  }, "faults")

const add = (): void => {
  const { probability, skip, times } = wanted.value
  const selected = selectorsOf(chosen()[0]).map((name) => [name, wanted.value[name]]).filter(([, value]) =>
    value !== ""
  )
  send("Fault added", {
    ...Object.fromEntries(selected),
    times: Number(times),
    skip: Number(skip),
    probability: Number(probability),
    symptom: toSymptom()
  })
}

/** Makes the next call to an endpoint, or to any endpoint, fail as if a proxy could not reach the exchange. */
export const failNext = (path: string): void =>
  send("The next call will fail", {
    ...(path === "" ? {} : { path }),
    symptom: { _tag: "BadGateway", applied: false }
  })

const Amount = (
  { label, name, step = 1 }: {
    label: string
    name: "millis" | "bytes" | "bytesPerSecond" | "status" | "times" | "skip" | "probability"
    step?: number
  }
): JSX.Element => (
  <Field label={label}>
    <input
      type="number"
      required
      min={name === "times" ? 1 : 0}
      max={name === "probability" ? 1 : undefined}
      step={step}
      value={wanted.value[name]}
      onInput={(event) => set({ [name]: event.currentTarget.value })}
    />
  </Field>
)

const parameterFields: Readonly<Record<Parameter, () => JSX.Element>> = {
  applied: () => (
    <Field label="Is the call applied?">
      <Choice
        label="Is the call applied?"
        value={wanted.value.applied}
        options={[["true", "yes, first"], ["false", "no"]]}
        onChange={(applied) => set({ applied })}
      />
    </Field>
  ),
  close: () => (
    <Field label="How">
      <Choice
        label="How"
        value={wanted.value.close}
        options={[["false", "abruptly (1006)"], ["true", "with a close frame (1001)"]]}
        onChange={(close) => set({ close })}
      />
    </Field>
  ),
  kind: () => (
    <Field label="Reason">
      <Choice
        label="Reason"
        value={kindOf(chosen()[0])}
        options={(kinds[chosen()[0]] ?? []).map((kind) => [kind, kind])}
        onChange={(kind) => set({ kind })}
      />
    </Field>
  ),
  millis: () => <Amount label="Milliseconds" name="millis" />,
  bytes: () => <Amount label="After bytes" name="bytes" />,
  bytesPerSecond: () => <Amount label="Bytes per second" name="bytesPerSecond" />,
  status: () => <Amount label="HTTP status" name="status" />,
  body: () => (
    <Field label="Body">
      <input value={wanted.value.body} onInput={(event) => set({ body: event.currentTarget.value })} />
    </Field>
  )
}

const wordsOf = (tag: Tag): string => isOfStreams(tag) ? streamSymptoms[tag].words : symptoms[tag][0]

const parameterText = (name: string, value: unknown): string => {
  if (name === "applied") return value === true ? "applied" : "not applied"
  if (name === "close") return value === true ? "with a close frame" : "abruptly"
  if (name === "millis") return `${number(String(value))} ms`
  if (name === "bytes") return `after ${number(String(value))} bytes`
  if (name === "bytesPerSecond") return `${number(String(value))} bytes per second`
  if (name === "status") return `HTTP ${text(value)}`
  return `${name} ${text(value)}`
}

const describe = ({ fault: { symptom } }: Armed): string => {
  const { _tag, ...rest } = symptom
  const given = Object.entries(rest).filter(([name]) => name !== "headers").map(([name, value]) =>
    parameterText(name, value)
  )
  return [wordsOf(_tag), ...given].join(", ")
}

/** Describes the calls or streams that a fault affects. */
const targetOf = ({ fault: { account, apiKey, channel, path, symptom: { _tag } } }: Armed): string => {
  const parts = isOfStreams(_tag)
    ? [channel === undefined ? streamSymptoms[_tag].hits : `${streamSymptoms[_tag].hits} of ${channel}`]
    : [path === undefined ? "every endpoint" : nameOf(path)]
  if (account !== undefined) parts.push(`account ${account}`)
  if (apiKey !== undefined) parts.push(`key ${apiKey}`)
  return parts.join(", ")
}

const endpointOptions = (): ReadonlyArray<readonly [string, string]> => [
  ["", "every endpoint"],
  ...endpoints.value.map(({ name, path }) => [path, `${name}  ${path}`] as const)
]

const nameOf = (of: string): string => endpoints.value.find(({ path }) => path === of)?.name ?? of

const timesOf = ({ fault: { times = 1 } }: Armed): number => times

/** Whether a fault can still fire. */
export const isArmed = (armed: Armed): boolean => armed.fired < timesOf(armed)

const Fault = ({ armed }: { armed: Armed }): JSX.Element => {
  const { fault, fired, id, matched } = armed
  return (
    <li class={isArmed(armed) ? "" : "used"}>
      <span>
        <b>#{id}</b> {isArmed(armed) ? <span class="tag warn">armed</span> : <span class="tag">used up</span>}{" "}
        {describe(armed)}
        <br />
        <span class="soft">
          {targetOf(armed)}
          {fault.probability === undefined || fault.probability === 1 ? "" : `, chance ${fault.probability}`}
          {fault.skip === undefined || fault.skip === 0 ? "" : `, after ${fault.skip}`}; fired {fired} of{" "}
          {timesOf(armed)}, matched {matched}
        </span>
      </span>
      <button
        type="button"
        aria-label={`Remove fault ${id}`}
        onClick={() => void act(`Fault ${id} removed`, () => remove(`Faults/${id}`), "faults")}
      >
        Remove
      </button>
    </li>
  )
}

const Endpoint = (): JSX.Element => (
  <Field label="Endpoint">
    <Choice
      label="Endpoint"
      value={wanted.value.path}
      options={endpointOptions()}
      onChange={(path) => set({ path })}
    />
  </Field>
)

const selectorFields: Readonly<Record<Selector, () => JSX.Element | null>> = {
  // The field for the path is at the top of the form, because "Fail the next call" also uses it.
  path: () => null,
  apiKey: () => {
    const keys = accounts.value.flatMap(({ account, keys }) =>
      keys.map(({ apiKey, title }) => [apiKey, `${account}: ${title}`] as const)
    )
    return (
      <Field label="API key">
        <Choice
          label="API key"
          value={wanted.value.apiKey}
          options={[["", "any key, or none"], ...keys]}
          onChange={(apiKey) => set({ apiKey })}
        />
      </Field>
    )
  },
  channel: () => (
    <Field label="Channel">
      <Choice
        label="Channel"
        value={wanted.value.channel}
        options={[["", "every channel"], ...channels.value.map(({ channel }) => [channel, channel] as const)]}
        onChange={(channel) => set({ channel })}
      />
    </Field>
  ),
  account: () => (
    <Field label="Of account">
      <Choice
        label="Of account"
        value={wanted.value.account}
        options={[["", "any account, or none"], ...accounts.value.map(({ account }) => [account, account] as const)]}
        onChange={(account) => set({ account })}
      />
    </Field>
  )
}

const Target = (): JSX.Element => (
  <div class="group" role="group" aria-label="What the fault hits">
    {([[false, "Calls"], [true, "Streams"]] as const).map(([isOfStreams, name]) => (
      <button
        key={name}
        type="button"
        aria-pressed={wanted.value.isOfStreams === isOfStreams}
        onClick={() => set({ isOfStreams })}
      >
        {name}
      </button>
    ))}
  </div>
)

const SymptomChoice = (): JSX.Element => {
  const [tag] = chosen()
  const options = wanted.value.isOfStreams
    ? Object.entries(streamSymptoms).map(([tag, { words }]) => [tag, words] as const)
    : Object.entries(symptoms).map(([tag, [words]]) => [tag, words] as const)
  return (
    <Field label="What goes wrong">
      <Choice
        label="What goes wrong"
        value={tag}
        options={options}
        onChange={(tag) => set(isOfStreams(tag) ? { streamSymptom: tag } : { symptom: tag as Symptom["_tag"] })}
      />
    </Field>
  )
}

const NewFault = (): JSX.Element => {
  const [tag, parameters] = chosen()
  const hits = isOfStreams(tag) ? streamSymptoms[tag].hits : "calls"
  const { path } = wanted.value
  return (
    <section class="card" aria-label="New fault">
      <h2>New fault</h2>
      <div class="bar">
        <Target />
      </div>
      <Form label="New fault" onSubmit={add}>
        {wanted.value.isOfStreams ? null : (
          <>
            <Endpoint />
            <button type="button" class="main" onClick={() => failNext(path)}>
              Fail the next call to {path === "" ? "any endpoint" : nameOf(path)}
            </button>
            <hr />
          </>
        )}
        <SymptomChoice />
        {parameters.map((parameter) => {
          const Part = parameterFields[parameter]
          return <Part key={parameter} />
        })}
        <Amount label={`Number of ${hits}`} name="times" />
        <Amount label={`${hits.slice(0, 1).toUpperCase()}${hits.slice(1)} to skip`} name="skip" />
        <Amount label="Probability, 0 to 1" name="probability" step={0.05} />
        {selectorsOf(tag).map((selector) => {
          const Part = selectorFields[selector]
          return <Part key={selector} />
        })}
        <button type="submit">Add fault</button>
      </Form>
    </section>
  )
}

export const Faults = (): JSX.Element => (
  <div class="area columns">
    <NewFault />
    <section class="card" aria-label="Faults">
      <h2>Faults</h2>
      {faults.value.length === 0 ? <p class="soft">None. All calls and streams work normally.</p> : (
        <>
          <ul class="list" id="faults">
            {faults.value.toReversed().map((armed) => <Fault key={armed.id} armed={armed} />)}
          </ul>
          <div class="bar">
            <button
              type="button"
              onClick={() => void act("All faults removed", () => remove("Faults"), "faults")}
            >
              Remove all
            </button>
          </div>
        </>
      )}
    </section>
  </div>
)
