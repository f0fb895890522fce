/** The venue's margin policy, the weights of collateral, and the insurance account, all of which the owner can set. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import type { VenueMargin } from "../../control/MarginViews.ts"
import { get, post } from "./api.ts"
import { number, typedText } from "./format.ts"
import { Choice, Field, Form } from "./parts.tsx"
import { act, failed, lookedAt } from "./store.ts"
import { ask, undoably } from "./Undo.tsx"

const venue = signal<VenueMargin | undefined>(undefined)

/** The changed values of policy fields, keyed by name. A collateral weight is named after its asset. */
const typed = signal<Readonly<Record<string, string>>>({})

const insurance = signal("")

const leverages = ["1", "2", "3", "5", "10", "20", "50", "100"]

interface Term {
  readonly name: keyof VenueMargin["policy"]
  /** The value's description and unit. */
  readonly label: string
  /** The allowed values, unless the value is a decimal. */
  readonly values?: ReadonlyArray<readonly [value: string, words: string]>
}

const multiples = leverages.map((leverage) => [leverage, `${leverage}×`] as const)

const allowed = [["allowed", "allowed"], ["refused", "refused"]] as const

const terms: ReadonlyArray<Term> = [
  { name: "defaultLeverage", label: "Leverage of a new account", values: multiples },
  { name: "marginMaxLeverage", label: "Maximum leverage on margin markets", values: multiples },
  { name: "leverageChange", label: "Leverage change with open positions", values: allowed },
  {
    name: "bracketSpan",
    label: "Leverage across brackets",
    values: [["whole", "of the entire position"], ["marginal", "of each part"]]
  },
  { name: "maintenanceShare", label: "Maintenance margin, share of initial margin" },
  { name: "callRatio", label: "Margin call, multiple of maintenance margin" },
  { name: "partialShare", label: "First part closed, share of position" },
  { name: "liquidationFee", label: "Liquidation fee, share of value" },
  {
    name: "liquidity",
    label: "What the book can't take",
    values: [["outside", "outside market, then ADL"], ["book", "ADL"]]
  },
  { name: "fundingClamp", label: "Funding clamp, ratio" },
  { name: "borrowRate", label: "Interest per day, ratio" },
  {
    name: "oneWaySides",
    label: "LONG and SHORT in one-way mode",
    values: [["ignored", "ignored"], ["refused", "refused"]]
  },
  { name: "opposite", label: "Orders that flip a position", values: allowed }
]

const read = (): Promise<void> =>
  get<VenueMargin>("VenueMargin").then((found) => {
    venue.value = found
  }, failed)

/** The changes as the options of `SetMargin`. */
const changes = (): object => {
  const weights = (venue.value?.weights ?? []).flatMap(({ ticker }) =>
    typed.value[ticker] === undefined ? [] : [{ ticker, weight: typed.value[ticker] }]
  )
  const policy = terms.flatMap(({ name, values }) => {
    const value = typed.value[name]
    return value === undefined ? [] : [[name, values === multiples ? Number(value) : value] as const]
  })
  return { ...Object.fromEntries(policy), ...(weights.length === 0 ? {} : { weights }) }
}

/** Changes the policy. Asks first, because every account with positions is checked again. */
const save = (): void =>
  ask({
    title: "Change the margin policy?",
    words: "Every account with positions is checked again. Accounts without enough margin get a margin call or are " +
      "liquidated. You can undo the change.",
    verb: "Change",
    does: () =>
      void undoably("The margin policy is changed", () => post("SetMargin", changes())).then((isDone) => {
        if (isDone) typed.value = {}
        void read()
      })
  })

const insure = (): void =>
  void act(
    `The insurance account has ${number(insurance.value)} USDT`,
    () => post("SetInsurance", { ticker: "USDT", amount: typedText(insurance.value) })
  ).then((isDone) => {
    if (isDone) insurance.value = ""
    void read()
  })

interface ValueProps {
  readonly name: string
  readonly label: string
  readonly known: string
  readonly values?: Term["values"]
}

/** A field for a policy value. It shows the current value until the user types another value. */
const Value = ({ known, label, name, values }: ValueProps): JSX.Element => {
  const set = (value: string): void => {
    const { [name]: _, ...others } = typed.value
    typed.value = value.trim() === known || value.trim() === "" ? others : { ...others, [name]: typedText(value) }
  }
  const value = typed.value[name] ?? known
  return (
    <Field label={label}>
      {values === undefined
        ? <input inputMode="decimal" size={10} value={value} onInput={(event) => set(event.currentTarget.value)} />
        : <Choice label={label} value={value} options={values} onChange={set} />}
    </Field>
  )
}

const Terms = ({ of }: { of: VenueMargin }): JSX.Element => {
  const count = Object.keys(typed.value).length
  const isPast = lookedAt.value !== undefined
  const held = of.insurance.map(({ amount, ticker }) => `${number(amount)} ${ticker}`).join(", ")
  return (
    <>
      <Form label="Change the margin policy" onSubmit={() => count > 0 && save()}>
        {terms.map(({ label, name, values }) => (
          <Value key={name} known={String(of.policy[name])} {...{ label, name, values }} />
        ))}
        {of.weights.map(({ ticker, weight }) => (
          <Value key={ticker} name={ticker} label={`Weight of ${ticker}, 0 to 1`} known={weight} />
        ))}
        <button type="submit" disabled={isPast || count === 0}>Change…</button>
      </Form>
      <Form label="Set the insurance account" onSubmit={() => insurance.value.trim() !== "" && insure()}>
        <Field label="Insurance account, USDT">
          <input
            inputMode="decimal"
            size={12}
            placeholder={of.insurance.find(({ ticker }) => ticker === "USDT")?.amount ?? "0"}
            value={insurance.value}
            onInput={(event) => (insurance.value = event.currentTarget.value)}
          />
        </Field>
        <button type="submit" disabled={isPast}>Set</button>
        <span class="soft">It has {held === "" ? "nothing" : held}.</span>
      </Form>
    </>
  )
}

/** The policy that applies to all accounts. It is read when the user opens this section. */
export const Policy = (): JSX.Element => (
  <details
    class="script"
    onToggle={(event) => event.currentTarget.open && void read()}
  >
    <summary>Margin policy and insurance of all accounts</summary>
    {venue.value === undefined ? <p class="soft">Loading…</p> : <Terms of={venue.value} />}
  </details>
)
