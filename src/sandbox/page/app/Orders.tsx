/** What an account has: orders, positions, balances and fills. */
import type { JSX } from "preact"
import type { OpenOrder } from "../../control/Views.ts"
import { post } from "./api.ts"
import { dateAndTimeOf, decimal, number } from "./format.ts"
import { Choice, Rows } from "./parts.tsx"
import {
  account,
  accounts,
  act,
  balances,
  choose,
  fills,
  lookAtOrders,
  markets,
  orderCount,
  orders,
  positions
} from "./store.ts"

/** From which side the price must come, in words. */
const activationOf = ({ activated, activationCondition, activationPrice }: OpenOrder): string =>
  activationPrice === undefined
    ? ""
    : activated
    ? `triggered at ${number(activationPrice)}`
    : `waits for ${activationCondition === "gte" ? "≥" : "≤"} ${number(activationPrice)}`

/** The share that is filled, in percent: of a market buy in quote currency. */
const filledOf = ({ amount, dealMoney, dealStock, side, type }: OpenOrder): number => {
  const isQuote = side === "buy" && (type === "market" || type === "stop market")
  return Math.round(Number(isQuote ? dealMoney : dealStock) / Number(amount) * 100)
}

const cancel = (order: OpenOrder): void =>
  void act(
    `Order ${order.id} was canceled`,
    () => post("CancelOrder", { account: order.account, market: order.market, orderId: order.id }),
    "account",
    "market"
  )

const Order = ({ order }: { order: OpenOrder }): JSX.Element => {
  const filled = filledOf(order)
  return (
    <>
      <span class={order.side === "buy" ? "good" : "bad"}>{order.side} {order.type}</span>
      <span>{order.market}</span>
      <span class="num">{number(order.amount)}</span>
      <span class="num">{order.price === undefined ? "at market" : number(order.price)}</span>
      <span class="activation">{activationOf(order)}</span>
      <span>{order.oco === undefined ? "" : <span class="tag">OCO {order.oco}</span>}</span>
      <span>
        <meter aria-label={`${filled} % filled`} max={100} value={filled} /> {filled} %
      </span>
      <span class="soft">{order.clientOrderId ?? `#${order.id}`}</span>
      <span class="do">
        <button
          type="button"
          aria-label={`Cancel order ${order.clientOrderId ?? order.id}`}
          onClick={(event) => {
            event.stopPropagation()
            cancel(order)
          }}
        >
          Cancel
        </button>
      </span>
    </>
  )
}

const Positions = (): JSX.Element => (
  <section class="card" aria-label="Positions">
    <h2>Positions</h2>
    {positions.value.length === 0 ? <p class="soft">None.</p> : (
      <div class="scroll-x">
        <table>
          <thead>
            <tr>
              <th>Market</th>
              <th>Side</th>
              <th>Amount</th>
              <th>Entry</th>
              <th>Value</th>
              <th>Profit</th>
            </tr>
          </thead>
          <tbody>
            {positions.value.map(({ amount, cost, market }) => {
              const price = Number(markets.value.find((one) => one.market === market)?.price ?? 0)
              const [size, paid] = [Number(amount), Number(cost)]
              // The cost of a short position is what it has received.
              const profit = size >= 0 ? size * price - Math.abs(paid) : Math.abs(paid) + size * price
              return (
                <tr key={market}>
                  <td>{market}</td>
                  <td class={size > 0 ? "good" : "bad"}>{size > 0 ? "long" : "short"}</td>
                  <td class="num">{number(decimal(Math.abs(size), 8))}</td>
                  <td class="num">{size === 0 ? "–" : number(decimal(Math.abs(paid / size), 8), 4)}</td>
                  <td class="num">{number(decimal(Math.abs(size * price), 8), 2)}</td>
                  <td class={`num ${profit < 0 ? "bad" : "good"}`}>
                    {profit < 0 ? "−" : "+"}
                    {number(decimal(Math.abs(profit), 8), 2)}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

/** Why funds are locked: the orders that hold them. */
const whyLocked = (wallet: string, ticker: string): string => {
  const holding = orders.value.rows.filter(({ locked }) => locked?.wallet === wallet && locked.ticker === ticker)
  const [first] = holding
  if (first === undefined) return "by orders"
  const named = `${first.side} ${first.type} ${first.clientOrderId ?? `#${first.id}`}`
  return holding.length === 1 ? `by ${named}` : `by ${named} and ${holding.length - 1} more`
}

const Balances = (): JSX.Element => (
  <section class="card" aria-label="Balances" id="balances">
    <h2>Wallets</h2>
    {balances.value.length === 0 ? <p class="soft">Empty.</p> : (
      <div class="scroll-x">
        <table>
          <thead>
            <tr>
              <th>Wallet</th>
              <th>Asset</th>
              <th>Free</th>
              <th>Locked</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {balances.value.map(({ free, locked, ticker, wallet }) => (
              <tr key={`${wallet} ${ticker}`}>
                <td>{wallet}</td>
                <td>{ticker}</td>
                <td class="num">{number(free)}</td>
                <td class="num">{Number(locked) === 0 ? "" : number(locked)}</td>
                <td class="soft">{Number(locked) === 0 ? "" : whyLocked(wallet, ticker)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const Fills = (): JSX.Element => (
  <section class="card" aria-label="Fills">
    <h2>Fills</h2>
    {fills.value.length === 0 ? <p class="soft">None yet.</p> : (
      <div class="scroll-x">
        <table>
          <thead>
            <tr>
              <th>Time</th>
              <th>Market</th>
              <th>Side</th>
              <th>Price</th>
              <th>Amount</th>
              <th>Fee</th>
            </tr>
          </thead>
          <tbody>
            {fills.value.slice(0, 20).map(({ amount, at, fee, feeAsset, market, price, role, side, trade }) => (
              <tr key={`${trade} ${role}`}>
                <td class="soft">{dateAndTimeOf(at).slice(5)}</td>
                <td>{market}</td>
                <td class={side === "buy" ? "good" : "bad"}>{side}, {role}</td>
                <td class="num">{number(price)}</td>
                <td class="num">{number(amount)}</td>
                <td class="num">{number(fee)} {feeAsset}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

/** Legs of an OCO order stand together, whichever was placed when. */
const grouped = (rows: ReadonlyArray<OpenOrder>): ReadonlyArray<OpenOrder> => {
  const legs = Map.groupBy(rows, ({ id, oco }) => oco ?? id)
  return [...legs.values()].flat()
}

export const Orders = (): JSX.Element => {
  const { offset, rows } = orders.value
  const shown = grouped(rows)
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
          Open orders <span class="soft">{number(orderCount.value)}</span>
        </h2>
        <Rows
          label="Open orders"
          className="orders"
          count={orderCount.value}
          head={["Order", "Market", "Amount", "Price", "Trigger", "", "Filled", "Id", ""]}
          empty="None. A limit order that does not trade at once, or a stop order, appears here."
          keyOf={(index) => shown[index - offset]?.id ?? -index - 1}
          onLook={lookAtOrders}
          row={(index) => {
            const order = shown[index - offset]
            return order === undefined ? <span class="soft">…</span> : <Order order={order} />
          }}
        />
      </section>
      <div class="columns">
        <Balances />
        <Positions />
      </div>
      <Fills />
    </div>
  )
}
