/** The account area: orders, positions, margin, balances and fills. */
import type { JSX } from "preact"
import type { Balance, EndedOrder, OpenOrder } from "../../control/Views.ts"
import { openedOrder } from "./areas.ts"
import { dateAndTimeOf, forcedOf, number } from "./format.ts"
import { AddFunds } from "./Funds.tsx"
import { Margin, MarginEvents, Positions } from "./Margin.tsx"
import { cancel, filledOf, isInQuote, outcomeOf } from "./OrderLook.tsx"
import { Amount, Cell, Choice, Rows } from "./parts.tsx"
import {
  account,
  accounts,
  balances,
  choose,
  endedOrders,
  fills,
  latestOrders,
  lookAtOrders,
  lookedAt,
  orderCount,
  orders,
  unitsOf,
  wrong
} from "./store.ts"

/**
 * Says whether a stop order has been triggered, and if not, from which side the price must reach the activation price.
 */
const activationOf = ({ activated, activationCondition }: OpenOrder): string =>
  activated ? "triggered at " : `waits for ${activationCondition === "gte" ? "≥" : "≤"} `

/** The maximum number of closed orders that the sandbox returns. */
const mostShown = 100

/**
 * Opens an order's history. Not available while the page shows the past, because the order might not exist in the
 * present.
 */
const openOrder = (order: OpenOrder | EndedOrder | undefined): void => {
  if (order === undefined) return
  if (lookedAt.value === undefined) openedOrder.value = { account: order.account, id: order.id }
  else wrong.value = "Go back to the present to open an order."
}

/** Notes on an order: which leg of an OCO order it is, and whether it is reduce-only. */
const noteOf = ({ activationPrice, oco, reduceOnly }: OpenOrder): string =>
  [
    oco === undefined ? undefined : `OCO ${oco}, ${activationPrice === undefined ? "take profit" : "stop loss"}`,
    reduceOnly ? "reduce only" : undefined
  ].filter((note) => note !== undefined).join(", ")

const Order = ({ order }: { order: OpenOrder }): JSX.Element => {
  const filled = filledOf(order)
  const note = noteOf(order)
  const { money, stock } = unitsOf(order.market)
  return (
    <>
      <Cell class={order.side === "buy" ? "good" : "bad"}>{order.side} {order.type}</Cell>
      <Cell>
        {order.market} <span class="kind">{order.kind}</span>
      </Cell>
      <Cell class="num">
        <Amount of={order.amount} unit={isInQuote(order) ? money : stock} />
      </Cell>
      <Cell class="num">{order.price === undefined ? "at market" : <Amount of={order.price} unit={money} />}</Cell>
      <Cell class="activation">
        {order.activationPrice === undefined ? null : (
          <>
            {activationOf(order)}
            <Amount of={order.activationPrice} unit={money} />
          </>
        )}
      </Cell>
      <Cell>
        {note === "" ? null : <span class="tag">{note}</span>}
      </Cell>
      <Cell class="num">
        <meter aria-label={`${filled} % filled`} max={100} value={filled} /> {filled} %
      </Cell>
      <Cell class="soft" title={order.clientOrderId}>{order.clientOrderId ?? `#${order.id}`}</Cell>
      <Cell class="do">
        <button
          type="button"
          aria-label={`Cancel order ${order.clientOrderId ?? order.id}`}
          aria-keyshortcuts="Delete"
          disabled={lookedAt.value !== undefined}
          onClick={(event) => {
            // Keeps the click from also opening the row.
            event.stopPropagation()
            cancel(order)
          }}
        >
          Cancel
        </button>
      </Cell>
    </>
  )
}

const ClosedRow = ({ order }: { order: EndedOrder }): JSX.Element => {
  const { money, stock } = unitsOf(order.market)
  return (
    <>
      <Cell class="soft">{dateAndTimeOf(order.endedAt).slice(5)}</Cell>
      <Cell class={order.side === "buy" ? "good" : "bad"}>{order.side} {order.type}</Cell>
      <Cell>
        {order.market} <span class="kind">{order.kind}</span>
      </Cell>
      <Cell class="num">
        <Amount of={order.amount} unit={isInQuote(order) ? money : stock} />
      </Cell>
      <Cell class="num">{order.price === undefined ? "at market" : <Amount of={order.price} unit={money} />}</Cell>
      <Cell>{outcomeOf(order.status)}</Cell>
      <Cell class="num">{filledOf(order)} %</Cell>
      <Cell class="soft" title={order.clientOrderId}>{order.clientOrderId ?? `#${order.id}`}</Cell>
    </>
  )
}

/** Describes the orders that lock an asset's funds, as far as the page has read the orders. */
const whyLocked = (wallet: string, ticker: string): string => {
  const holding = latestOrders.value.filter(({ locked }) => locked?.wallet === wallet && locked.ticker === ticker)
  const [first] = holding
  if (first === undefined) return "by orders"
  const named = `${first.side} ${first.type} ${first.clientOrderId ?? `#${first.id}`}`
  if (orderCount.value > latestOrders.value.length) return `by ${named} and others`
  return holding.length === 1 ? `by ${named}` : `by ${named} and ${holding.length - 1} more`
}

/** Lists the orders that lock part of a balance, and the account's debt in the asset. */
const why = ({ debt, locked, ticker, wallet }: Balance): string =>
  [
    ...(Number(locked) === 0 ? [] : [whyLocked(wallet, ticker)]),
    ...(debt === undefined ? [] : [`owes ${number(debt)} ${ticker}`])
  ].join("; ")

const Balances = (): JSX.Element => (
  <section class="card" aria-label="Balances" id="balances">
    <h2>Wallets</h2>
    {balances.value.length === 0 ? <p class="soft">Empty. The owner can add funds.</p> : (
      <div class="scroll-x">
        <table class="six">
          <thead>
            <tr>
              <th>Wallet</th>
              <th>Asset</th>
              <th class="num">Free</th>
              <th class="num">Locked</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {balances.value.map((balance) => (
              <tr key={`${balance.wallet} ${balance.ticker}`}>
                <td>{balance.wallet}</td>
                <td>{balance.ticker}</td>
                <td class="num">{number(balance.free)}</td>
                <td class="num">{Number(balance.locked) === 0 ? "" : number(balance.locked)}</td>
                <td class="soft wraps">{why(balance)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    <AddFunds />
  </section>
)

const Fills = (): JSX.Element => (
  <section class="card" aria-label="Fills">
    <h2>
      Fills {fills.value.length <= 20 ? null : <span class="soft">latest 20</span>}
    </h2>
    {fills.value.length === 0 ? <p class="soft">None yet.</p> : (
      <div class="scroll-x">
        <table class="six">
          <thead>
            <tr>
              <th>Time</th>
              <th>Market</th>
              <th>Side</th>
              <th class="num">Price</th>
              <th class="num">Amount</th>
              <th class="num">Fee</th>
            </tr>
          </thead>
          <tbody>
            {fills.value.slice(0, 20).map((fill) => ({ ...fill, forced: forcedOf(fill) })).map((
              { amount, at, fee, feeAsset, forced, market, price, role, side, trade }
            ) => (
              <tr key={`${trade} ${role}`}>
                <td class="soft">{dateAndTimeOf(at).slice(5)}</td>
                <td>{market}</td>
                <td class={side === "buy" ? "good" : "bad"}>
                  {side}, {role}
                  {forced === undefined ? "" : `, ${forced}`}
                </td>
                <td class="num">
                  <Amount of={price} unit={unitsOf(market).money} />
                </td>
                <td class="num">
                  <Amount of={amount} unit={unitsOf(market).stock} />
                </td>
                <td class="num">
                  <Amount of={fee} unit={feeAsset} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const Closed = (): JSX.Element => (
  <section class="card" aria-label="Closed orders">
    <h2>
      Closed orders {endedOrders.value.length < mostShown ? null : <span class="soft">latest {mostShown}</span>}
    </h2>
    <Rows
      label="Closed orders"
      className="closed"
      count={endedOrders.value.length}
      lines={8}
      head={["Closed", "Order", "Market", "Amount", "Price", "Outcome", "Filled", "Id"]}
      empty="None yet."
      keyOf={(index) => endedOrders.value[index]?.id ?? index}
      onOpen={(index) => openOrder(endedOrders.value[index])}
      row={(index) => {
        const order = endedOrders.value[index]
        return order === undefined ? null : <ClosedRow order={order} />
      }}
    />
  </section>
)

/** Puts the legs of an OCO order next to each other, regardless of when each was placed. */
const grouped = (rows: ReadonlyArray<OpenOrder>): ReadonlyArray<OpenOrder> => {
  const legs = Map.groupBy(rows, ({ id, oco }) => oco ?? id)
  return [...legs.values()].flat()
}

export const Orders = (): JSX.Element => {
  const { offset, rows } = orders.value
  const shown = grouped(rows)
  // While the page shows the past, it has only the latest orders.
  const count = lookedAt.value === undefined ? orderCount.value : rows.length
  return (
    <div class="area">
      <div class="bar">
        <label>
          Account{" "}
          <Choice
            label="Account"
            value={account.value}
            options={accounts.value.map((one) => [
              one.account,
              one.subAccountOf === undefined ? one.account : `${one.account} of ${one.subAccountOf}`
            ])}
            onChange={(account) => choose({ account })}
          />
        </label>
      </div>
      <section class="card" aria-label="Open orders">
        <h2>
          Open orders{" "}
          <span class="soft">
            {count === orderCount.value ? number(count) : `latest ${count} of ${number(orderCount.value)}`}
          </span>
        </h2>
        <Rows
          label="Open orders"
          className="orders"
          count={count}
          narrowHeight={68}
          head={["Order", "Market", "Amount", "Price", "Trigger", "Note", "Filled", "Id", "Action"]}
          empty="None. Resting limit orders and pending stop orders appear here."
          keyOf={(index) => shown[index - offset]?.id ?? -index - 1}
          onLook={lookAtOrders}
          onOpen={(index) => openOrder(shown[index - offset])}
          onDelete={(index) => {
            const order = shown[index - offset]
            if (order !== undefined && lookedAt.value === undefined) cancel(order)
          }}
          row={(index) => {
            const order = shown[index - offset]
            return order === undefined ? <Cell class="soft">…</Cell> : <Order order={order} />
          }}
        />
      </section>
      <Positions />
      <div class="columns">
        <Margin />
        <Balances />
      </div>
      <MarginEvents />
      <Closed />
      <Fills />
    </div>
  )
}
