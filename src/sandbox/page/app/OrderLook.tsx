/**
 * Shows an order's history: its terms, its fills, the funds that it locks, and the calls and commands that changed it.
 */
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { OrderEvent, OrderLife } from "../../control/OrderView.ts"
import type { AnyOrder } from "../../control/Views.ts"
import { get, post } from "./api.ts"
import { openedOrder, requestOf, showCommand, showRequest } from "./areas.ts"
import { dateAndTimeOf, decimal, number, words } from "./format.ts"
import { Amount, Dialog, Pairs } from "./parts.tsx"
import { act, status, unitsOf } from "./store.ts"

/** Whether an order's amount is in quote currency. */
export const isInQuote = ({ kind, side, type }: AnyOrder): boolean =>
  side === "buy" && (type === "market" || (type === "stop market" && kind === "spot"))

/** The filled amount, as a percentage of the order's amount. */
export const filledOf = (order: AnyOrder): number =>
  Math.round(Number(isInQuote(order) ? order.dealMoney : order.dealStock) / Number(order.amount) * 100)

/** Describes an order's status in plain English. */
export const outcomeOf = (status: string): string => status.toLowerCase().replaceAll("_", " ")

export const cancel = (order: AnyOrder): void =>
  void act(
    `Order ${order.id} was canceled`,
    () => post("CancelOrder", { account: order.account, market: order.market, orderId: order.id }),
    "account",
    "market"
  )

const title = { placed: "placed", triggered: "triggered", filled: "filled", ended: "closed" } as const

/** Buttons that show the call or the command that caused an event. */
const Cause = ({ command }: { command: number | undefined }): JSX.Element => {
  if (command === undefined) return <span class="soft">no longer known</span>
  const request = requestOf(command)
  return (
    <>
      {request === undefined
        ? null
        : (
          <button type="button" onClick={() => showRequest(request)}>
            Request {request.number}, {request.endpoint}
          </button>
        )} <button type="button" onClick={() => showCommand(command)}>Command {command}</button>
    </>
  )
}

const Happened = (
  { event: { at, command, fill, what }, order }: { event: OrderEvent; order: OrderLife }
): JSX.Element => {
  const { money, stock } = unitsOf(order.market)
  return (
    <tr>
      <td class="soft">{at === undefined ? "–" : dateAndTimeOf(at).slice(5)}</td>
      <td class="wraps">
        <b>{title[what]}</b> {what === "ended" ? outcomeOf(order.status) : ""}
        {fill === undefined ? null : (
          <>
            <Amount of={fill.amount} unit={stock} /> at <Amount of={fill.price} unit={money} />{" "}
            <span class="soft">
              as {fill.role}, fee <Amount of={fill.fee} unit={fill.feeAsset} />
            </span>
          </>
        )}
      </td>
      <td>
        <Cause command={command} />
      </td>
    </tr>
  )
}

/** An order's terms, keyed by name. Terms that the order does not have are omitted. */
const termsOf = (order: OrderLife): Readonly<Record<string, string>> => {
  const { money, stock } = unitsOf(order.market)
  const { activationCondition, activationPrice, dealMoney, dealStock, ioc, oco, postOnly, price, reduceOnly, stp } =
    order
  const flags = Object.entries({ postOnly, ioc, reduceOnly }).flatMap(([name, is]) => is ? [words(name)] : [])
  const options = [...flags, ...(stp === "no" ? [] : [`self-trade prevention ${stp}`])]
  return {
    order: `#${order.id}${order.clientOrderId === undefined ? "" : `, ${order.clientOrderId}`}`,
    account: order.account,
    market: `${order.market}, ${order.kind}`,
    amount: `${number(order.amount)} ${isInQuote(order) ? money : stock}`,
    ...(price === undefined ? {} : { price: `${number(price)} ${money}` }),
    ...(activationPrice === undefined
      ? {}
      : { "activation price": `${activationCondition === "gte" ? "≥" : "≤"} ${number(activationPrice)} ${money}` }),
    ...(oco === undefined ? {} : { OCO: `#${oco}` }),
    ...(options.length === 0 ? {} : { options: options.join(", ") }),
    status: outcomeOf(order.status),
    filled: `${filledOf(order)} %, ${number(dealStock)} ${stock}`,
    ...(Number(dealStock) === 0 ? {} : {
      "average price": `${number(decimal(Number(dealMoney) / Number(dealStock), 8))} ${money}`
    }),
    locks: order.locked === undefined
      ? order.open && oco !== undefined ? "nothing: the other leg holds the lock" : "nothing"
      : `${number(order.locked.amount)} ${order.locked.ticker} in the ${order.locked.wallet} wallet`
  }
}

const Life = ({ order }: { order: OrderLife }): JSX.Element => (
  <>
    {order.open
      ? (
        <div class="bar">
          <button type="button" onClick={() => cancel(order)}>Cancel</button>
        </div>
      )
      : null}
    <section aria-label="Order">
      <Pairs of={termsOf(order)} />
    </section>
    <section aria-label="Life">
      <h3>Life</h3>
      <div class="scroll-x">
        <table>
          <tbody>
            {order.events.map((event, index) => <Happened key={index} event={event} order={order} />)}
          </tbody>
        </table>
      </div>
    </section>
  </>
)

/** The opened order's details, which are read again whenever the exchange changes. */
export const OrderLook = (): JSX.Element => {
  const opened = openedOrder.value
  const [order, setOrder] = useState<OrderLife | string>()
  useEffect(() => {
    if (opened === undefined) return setOrder(undefined)
    get<OrderLife>("Order", opened).then(
      (found) => openedOrder.value?.id === opened.id && setOrder(found),
      ({ message }: Error) => setOrder(message)
    )
  }, [opened, status.value?.digest])
  return (
    <Dialog
      title={typeof order !== "object" ? "Order" : `${order.side} ${order.type} #${order.id}`}
      className="drawer"
      open={opened !== undefined}
      onClose={() => {
        openedOrder.value = undefined
      }}
    >
      {order === undefined ?
        <p class="soft">Loading…</p> :
        typeof order === "string" ?
        <p class="bad">{order}</p> :
        <Life order={order} />}
    </Dialog>
  )
}
