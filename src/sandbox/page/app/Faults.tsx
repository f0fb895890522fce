/** The faults area: which calls fail, and how. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import type { Armed, StreamSymptom, Symptom } from "../../gateway/Faults.ts"
import { post, remove } from "./api.ts"
import { text } from "./format.ts"
import { Choice, Field, Form } from "./parts.tsx"
import { accounts, act, endpoints, faults, ownFaults } from "./store.ts"

/** A parameter of a symptom. */
type Parameter = "applied" | "kind" | "millis" | "bytes" | "bytesPerSecond" | "status" | "body"

const symptoms: Readonly<Record<Symptom["_tag"], readonly [words: string, parameters: ReadonlyArray<Parameter>]>> = {
  Reset: ["the connection is reset", ["applied"]],
  BadGateway: ["502 from a proxy", ["applied"]],
  Refuse: ["the exchange refuses", ["kind"]],
  Delay: ["applied at once, answered later", ["millis"]],
  Late: ["arrives later", ["millis"]],
  Truncate: ["the answer is cut off", ["bytes"]],
  Malformed: ["the answer is not valid JSON", []],
  Slow: ["the answer arrives slowly", ["bytesPerSecond"]],
  Answer: ["an answer of your own", ["applied", "status", "body"]]
}

const streamSymptoms: Readonly<Record<StreamSymptom["_tag"], string>> = {
  Cut: "the connection ends",
  Stall: "nothing more arrives",
  Lose: "a message is lost",
  Duplicate: "a message arrives twice",
  HoldBack: "a message arrives after the next",
  Garble: "a message is not JSON",
  Throttle: "messages arrive slowly",
  Stale: "a snapshot is old",
  IgnorePing: "a ping is not answered",
  RefuseToken: "a token is refused",
  RefuseConnection: "a connection is refused"
}

const wordsOf = (tag: (Symptom | StreamSymptom)["_tag"]): string =>
  tag in streamSymptoms
    ? streamSymptoms[tag as StreamSymptom["_tag"]]
    : symptoms[tag as Symptom["_tag"]][0]

const excuses = ["rateLimited", "nonceUsed", "nonceOutsideWindow", "unauthorized", "unavailable"]

const wanted = signal({
  path: "",
  apiKey: "",
  symptom: "Reset" as Symptom["_tag"],
  times: "1",
  skip: "0",
  probability: "1",
  applied: "true",
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

const toSymptom = (): object => {
  const given = wanted.value
  const read: Readonly<Record<Parameter, unknown>> = {
    applied: given.applied === "true",
    kind: given.kind,
    millis: Number(given.millis),
    bytes: Number(given.bytes),
    bytesPerSecond: Number(given.bytesPerSecond),
    status: Number(given.status),
    body: given.body
  }
  return {
    _tag: given.symptom,
    ...Object.fromEntries(symptoms[given.symptom][1].map((parameter) => [parameter, read[parameter]])),
    ...(given.symptom === "Answer" ? { headers: { "content-type": "application/json" } } : {})
  }
}

const send = (done: string, fault: object): void =>
  void act(done, async () => {
    const { id } = await post<{ readonly id: number }>("Faults", fault)
    ownFaults.add(id)
  }, "faults")

const add = (): void => {
  const { apiKey, path, probability, skip, times } = wanted.value
  send("Fault added", {
    ...(path === "" ? {} : { path }),
    ...(apiKey === "" ? {} : { apiKey }),
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
      min={0}
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
  kind: () => (
    <Field label="Reason">
      <Choice
        label="Reason"
        value={wanted.value.kind}
        options={excuses.map((kind) => [kind, kind])}
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

const describe = ({ fault: { symptom } }: Armed): string => {
  const { _tag, ...rest } = symptom
  const given = Object.entries(rest).filter(([name]) => name !== "headers")
    .map(([name, value]) => name === "applied" ? value === true ? "applied" : "not applied" : `${name} ${text(value)}`)
  return [wordsOf(_tag), ...given].join(", ")
}

const endpointOptions = (): ReadonlyArray<readonly [string, string]> => [
  ["", "every endpoint"],
  ...endpoints.value.map(({ name, path }) => [path, `${name}  ${path}`] as const)
]

const nameOf = (of: string): string => endpoints.value.find(({ path }) => path === of)?.name ?? of

const timesOf = ({ fault: { times = 1 } }: Armed): number => times

/** Whether a fault can still hit a call. */
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
          {fault.symptom._tag in streamSymptoms
            ? fault.channel ?? "streams"
            : fault.path === undefined
            ? "every endpoint"
            : nameOf(fault.path)}
          {fault.account === undefined ? "" : `, account ${fault.account}`}
          {fault.apiKey === undefined ? "" : `, key ${fault.apiKey}`}
          {fault.probability === undefined || fault.probability === 1 ? "" : `, chance ${fault.probability}`}
          {fault.skip === undefined || fault.skip === 0 ? "" : `, after ${fault.skip} calls`}; fired {fired} of{" "}
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

export const Faults = (): JSX.Element => {
  const { apiKey, path, symptom } = wanted.value
  const keys = accounts.value.flatMap(({ account, keys }) =>
    keys.map(({ apiKey, title }) => [apiKey, `${account}: ${title}`] as const)
  )
  return (
    <div class="area columns">
      <section class="card" aria-label="New fault">
        <h2>New fault</h2>
        <Form label="New fault" onSubmit={add}>
          <Field label="Endpoint">
            <Choice label="Endpoint" value={path} options={endpointOptions()} onChange={(path) => set({ path })} />
          </Field>
          <button type="button" class="main" onClick={() => failNext(path)}>
            Fail the next call to {path === "" ? "any endpoint" : nameOf(path)}
          </button>
          <hr />
          <Field label="What goes wrong">
            <Choice
              label="What goes wrong"
              value={symptom}
              options={Object.entries(symptoms).map(([tag, [words]]) => [tag, words])}
              onChange={(tag) => set({ symptom: tag as Symptom["_tag"] })}
            />
          </Field>
          {symptoms[symptom][1].map((parameter) => {
            const Part = parameterFields[parameter]
            return <Part key={parameter} />
          })}
          <Amount label="Number of calls" name="times" />
          <Amount label="Calls to skip" name="skip" />
          <Amount label="Probability, 0 to 1" name="probability" step={0.05} />
          <Field label="API key">
            <Choice
              label="API key"
              value={apiKey}
              options={[["", "any key, or none"], ...keys]}
              onChange={(apiKey) => set({ apiKey })}
            />
          </Field>
          <button type="submit">Add fault</button>
        </Form>
      </section>
      <section class="card" aria-label="Faults">
        <h2>Faults</h2>
        {faults.value.length === 0 ? <p class="soft">None. All calls are answered normally.</p> : (
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
}
