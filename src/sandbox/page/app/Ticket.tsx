/** The order ticket. It offers the kinds of orders that the market supports, and places them as the chosen account. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import type { Called } from "../../control/Calls.ts"
import type { EndpointSummary, FieldSummary } from "../../control/ViewsApi.ts"
import { post } from "./api.ts"
import { openedOrder, showRequest } from "./areas.ts"
import { decimal, number, text, typedText, words } from "./format.ts"
import { kept } from "./kept.ts"
import { Choice, Field } from "./parts.tsx"
import {
  account,
  accounts,
  act,
  balances,
  choose,
  endpoints,
  lookedAt,
  market,
  requests,
  said,
  status,
  summaryOf,
  unitsOf
} from "./store.ts"

/** The label of each kind of order, keyed by the name of its endpoint. */
const titles: Readonly<Record<string, string>> = {
  "LimitOrders.create": "Limit",
  "MarketOrders.create": "Market by total",
  "StockMarketOrders.create": "Market",
  "StopLimitOrders.create": "Stop limit",
  "StopMarketOrders.create": "Stop market",
  "CollateralLimitOrders.create": "Margin limit",
  "CollateralMarketOrders.create": "Margin market",
  "CollateralStopLimitOrders.create": "Margin stop limit",
  "CollateralTriggerMarketOrders.create": "Margin stop market",
  "CollateralOcoOrders.create": "Margin OCO"
}

/** The kinds of orders in which a buy's amount is the total cost, in the quote currency. */
const byTotal: ReadonlySet<string> = new Set(["MarketOrders.create", "StopMarketOrders.create"])

/** The fields that are shown outside the options, in this order, if the kind of order has them. */
const main = ["amount", "price", "activationPrice", "stopLimitPrice"] as const

/** The values that the user has typed into the ticket, and the currencies of the market for which they were typed. */
const typed = kept("ticket", {
  kind: "LimitOrders.create",
  currencies: "",
  amount: "",
  price: "",
  activationPrice: "",
  stopLimitPrice: ""
})

/** The options that the user has set, keyed by field name. They apply until the user leaves the page. */
const options = signal<Readonly<Record<string, string>>>({})

/** The latest order's outcome. */
const outcome = signal<
  | {
    readonly words: string
    readonly isBad: boolean
    readonly order?: string
    /** The call, if it was refused or its response was lost. The call's record arrives later. */
    readonly call?: { readonly account: string; readonly path: string; readonly after: number }
  }
  | undefined
>(undefined)

/** Writes a price into the ticket. */
export const typePrice = (price: string): void => {
  typed.value = { ...typed.value, price }
}

const isMargin = ({ name }: EndpointSummary): boolean => name.startsWith("Collateral")

const order = Object.keys(titles)

/** The kinds of orders that the market supports. */
const kinds = (): ReadonlyArray<EndpointSummary> => {
  const { margin = true, type = "spot" } = summaryOf(market.value) ?? {}
  return endpoints.value
    .filter((one) => (one.places === "order" || one.places === "pair") && (isMargin(one) ? margin : type === "spot"))
    .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
}

/** A field's value on the wire, or `undefined` if the field is not set. */
const valueOf = ({ name, values }: FieldSummary): string | number | boolean | undefined => {
  const written = (typed.value as Readonly<Record<string, string>>)[name] ?? options.value[name] ?? ""
  // Spaces in a number only group its digits, so they are removed. An id with spaces is sent as it is, and refused.
  const given = name === "clientOrderId" ? written.trim() : typedText(written)
  if (given === "") return undefined
  return values === undefined ? given : values.find((value) => String(value) === given)
}

/** The reasons in an error's body. */
export const reasonsOf = (answer: string): string => {
  try {
    const { errors, message } = JSON.parse(answer) as { readonly errors?: object; readonly message?: string }
    const fields = Object.entries(errors ?? {}).map(([field, reasons]) =>
      `${field}: ${[reasons as unknown].flat().map(text).join(" ")}`
    )
    return [message, ...fields].flatMap((part) => part === undefined ? [] : [part.replace(/\.$/u, "")]).join(". ")
  } catch {
    return answer
  }
}

/**
 * Describes the outcome of an accepted order. An order that never rests in the book, such as a market order, is
 * accepted and then canceled if no resting order can trade with it.
 */
const acceptedAs = (answer: string): { readonly isBad: boolean; readonly words: string } => {
  // The response to an OCO order has no status of its own, only those of its legs.
  const [, status = ""] = /^\{[^{}]*"status":"([A-Z_]+)"/u.exec(answer) ?? []
  const [, traded = "0"] = /"deal_?stock":"([\d.]+)"/iu.exec(answer) ?? []
  const { quoted } = summaryOf(market.value) ?? {}
  const { stock } = unitsOf(market.value)
  if (status === "FILLED") return { isBad: false, words: "placed and filled" }
  if (!status.includes("CANCELED")) return { isBad: false, words: "placed" }
  if (Number(traded) > 0)
    return { isBad: false, words: `placed, canceled after ${number(traded)} ${stock} were filled` }
  const advice = quoted === true ? "" : " Nobody quotes the market: let the counterparty quote, under Order book."
  return { isBad: true, words: `canceled, because no order in the book could trade with it.${advice}` }
}

/** Returns advice on a refusal, in addition to the exchange's message. */
const adviceOn = (reasons: string): string => /not enough balance/iu.test(reasons) ? ". Add funds, under Wallets." : ""

/** A placed order's id. The dialect determines the name of the field that contains the id. */
const idOf = (answer: string): string | undefined => {
  const [, id] = /"order_?id":"?(\d+)/iu.exec(answer) ?? []
  return id
}

const outcomeOf = (said: string, answer: string, order: string | undefined): typeof outcome.value => {
  const { isBad, words } = acceptedAs(answer)
  return { isBad, words: `${said}: ${words}`, ...(order === undefined ? {} : { order }) }
}

const place = ({ fields, name, path, places }: EndpointSummary, side: "buy" | "sell"): void => {
  const set = fields.flatMap((field) => {
    const value = field.name === "market" ? market.value : field.name === "side" ? side : valueOf(field)
    return value === undefined ? [] : [[field.key, value] as const]
  })
  const title = titles[name] ?? name
  const of = account.value
  const call = { account: of, path, after: requests.value[0]?.number ?? 0 }
  void act(
    "",
    async () => {
      const { answer, status } = await post<Called>("CallAs", { account: of, path, fields: Object.fromEntries(set) })
      const id = idOf(answer)
      const said = `${title} ${side}`
      outcome.value = status === undefined
        ? { isBad: true, words: `${said}: the response was lost. The request shows whether it was applied.`, call }
        : status >= 400
        ? {
          isBad: true,
          words: `${said}, refused with HTTP ${status}: ${reasonsOf(answer)}${adviceOn(answer)}`,
          call
        }
        : outcomeOf(said, answer, places === "pair" ? undefined : id)
    },
    "account",
    "market"
  ).then(() => {
    said.value = outcome.value?.words ?? ""
  })
}

const labelOf = (name: string): string => words(name).replace(/^./u, (first) => first.toUpperCase())

/** The currency of a field's value. */
const unitOf = (field: string, kind: string): string => {
  const { money, stock } = unitsOf(market.value)
  if (field !== "amount") return money
  return byTotal.has(kind) ? `${money} to buy, ${stock} to sell` : stock
}

const Main = ({ field, kind }: { field: (typeof main)[number]; kind: string }): JSX.Element => (
  <Field label={`${labelOf(field)}, ${unitOf(field, kind)}`}>
    <input
      inputMode="decimal"
      size={12}
      placeholder={field === "price" ? summaryOf(market.value)?.price ?? "" : ""}
      value={typed.value[field]}
      onInput={(event) => (typed.value = { ...typed.value, [field]: event.currentTarget.value })}
    />
  </Field>
)

/** Labels for option values that are only numbers. */
const roles: Readonly<Record<string, string>> = { 1: "queue", 2: "counterparty" }

const Option = ({ field: { name, values } }: { field: FieldSummary }): JSX.Element => {
  const value = options.value[name] ?? ""
  const set = (value: string): void => {
    options.value = { ...options.value, [name]: value }
  }
  if (values?.includes(true) === true) {
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === "true"}
          onChange={(event) => set(event.currentTarget.checked ? "true" : "")}
        />{" "}
        {labelOf(name)}
      </label>
    )
  }
  return (
    <Field label={labelOf(name)}>
      {values === undefined
        ? <input size={12} value={value} onInput={(event) => set(event.currentTarget.value)} />
        : (
          <Choice
            label={labelOf(name)}
            value={value}
            options={[
              ["", "default"],
              ...values.map((one) =>
                [String(one), name === "bboRole" ? roles[String(one)] ?? "" : String(one)] as const
              )
            ]}
            onChange={set}
          />
        )}
    </Field>
  )
}

/** The funds that are available for an order, and the order's total. */
const Funds = ({ kind }: { kind: EndpointSummary }): JSX.Element => {
  const { money, stock } = unitsOf(market.value)
  const wallet = isMargin(kind) ? "collateral" : "trade"
  const free = balances.value.filter((one) => one.wallet === wallet && (one.ticker === money || one.ticker === stock))
  const total = Number(typedText(typed.value.amount)) * Number(typedText(typed.value.price))
  return (
    <span class="soft">
      {total > 0 && kind.fields.some(({ name }) => name === "price") ?
        `Total ${number(decimal(total, 8))} ${money}. ` :
        ""}
      {free.length === 0
        ? `Nothing free in the ${wallet} wallet. Add funds, under Wallets.`
        : `Free in the ${wallet} wallet: ${free.map((one) => `${number(one.free)} ${one.ticker}`).join(", ")}.`}
    </span>
  )
}

const Outcome = (): JSX.Element | null => {
  const told = outcome.value
  if (told === undefined) return null
  const { call, order } = told
  // The latest call comes first, so `findLast` finds the first call made after the order was sent.
  const request = call === undefined ?
    undefined :
    requests.value.findLast(({ account, number, path }) =>
      number > call.after && path === call.path && account === call.account
    )
  return (
    <p class={told.isBad ? "bad" : "good"} role={told.isBad ? "alert" : "status"}>
      {told.words} {order === undefined
        ? null
        : (
          <button type="button" onClick={() => (openedOrder.value = { account: account.value, id: order })}>
            Order {order}
          </button>
        )} {request === undefined
        ? null
        : <button type="button" onClick={() => showRequest(request)}>Request {request.number}</button>}
    </p>
  )
}

/** Chooses a kind of order. An amount in another currency is cleared: 100 USDT must not become 100 BTC. */
const chooseKind = (kind: string): void => {
  const isSame = unitOf("amount", kind) === unitOf("amount", typed.value.kind)
  typed.value = { ...typed.value, kind, ...(isSame ? {} : { amount: "" }) }
}

/** Clears the amounts and prices that were typed for a market with other currencies. */
const useCurrencies = (): void => {
  const { money, stock } = unitsOf(market.value)
  const currencies = `${stock} ${money}`
  useEffect(() => {
    if (stock === "" || typed.value.currencies === currencies) return
    const isFirst = typed.value.currencies === ""
    const blank = isFirst ? {} : { amount: "", price: "", activationPrice: "", stopLimitPrice: "" }
    typed.value = { ...typed.value, ...blank, currencies }
  }, [currencies])
}

export const Ticket = (): JSX.Element | null => {
  useCurrencies()
  const known = kinds()
  const kind = known.find(({ name }) => name === typed.value.kind) ?? known[0]
  if (kind === undefined || status.value === undefined) return null
  const isPast = lookedAt.value !== undefined
  const shown = main.filter((field) => kind.fields.some(({ name }) => name === field))
  const others = kind.fields.filter(({ name }) => ![...main, "market", "side"].includes(name as "amount"))
  const isSet = others.filter((field) => valueOf(field) !== undefined).length
  return (
    <form
      class="ticket"
      aria-label="Place an order"
      // Pressing Enter in a field places no order, because the key does not indicate a side.
      onSubmit={(event) => event.preventDefault()}
    >
      <Field label="As">
        <Choice
          label="Place the order as"
          value={account.value}
          options={accounts.value.map((one) => [one.account, one.account])}
          onChange={(account) => choose({ account })}
        />
      </Field>
      <Field label="Order">
        <Choice
          label="Kind of order"
          value={kind.name}
          options={known.map(({ name }) => [name, titles[name] ?? name])}
          onChange={chooseKind}
        />
      </Field>
      {shown.map((field) => <Main key={field} field={field} kind={kind.name} />)}
      <span class="group">
        <button type="button" class="buy" disabled={isPast} onClick={() => place(kind, "buy")}>Buy</button>
        <button type="button" class="sell" disabled={isPast} onClick={() => place(kind, "sell")}>Sell</button>
      </span>
      <details>
        <summary>Options{isSet === 0 ? "" : `: ${isSet} set`}</summary>
        <div class="bar">{others.map((field) => <Option key={field.name} field={field} />)}</div>
      </details>
      <Funds kind={kind} />
      <Outcome />
    </form>
  )
}
