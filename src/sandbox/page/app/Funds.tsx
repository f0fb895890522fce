/** The form with which the owner adds funds to the chosen account's wallets. */
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { post } from "./api.ts"
import { number, typedText } from "./format.ts"
import { Choice, Field, Form } from "./parts.tsx"
import { account, act, lookedAt, markets } from "./store.ts"

const wallets = ["trade", "collateral", "main"] as const

/** The currencies of all markets, each once. */
const tickers = (): ReadonlyArray<string> => [...new Set(markets.value.flatMap(({ money, stock }) => [money, stock]))]

export const AddFunds = (): JSX.Element => {
  const wallet = useSignal<string>("trade")
  const known = tickers()
  const chosen = useSignal("USDT")
  const ticker = known.includes(chosen.value) ? chosen.value : known[0] ?? ""
  const amount = useSignal("")
  const add = (): void => {
    const fields = {
      account: account.value,
      wallet: wallet.value,
      ticker,
      amount: typedText(amount.value)
    }
    void act(
      `${fields.account} has ${number(fields.amount)} ${fields.ticker} more in the ${fields.wallet} wallet`,
      () => post("Fund", fields),
      "account"
    ).then((isDone) => isDone && (amount.value = ""))
  }
  return (
    <details class="script">
      <summary>Add funds</summary>
      <Form label="Add funds" onSubmit={add}>
        <Field label="Wallet">
          <Choice
            label="Wallet"
            value={wallet.value}
            options={wallets.map((one) => [one, one])}
            onChange={(one) => (wallet.value = one)}
          />
        </Field>
        <Field label="Asset">
          <Choice
            label="Asset"
            value={ticker}
            options={known.map((one) => [one, one])}
            onChange={(one) => (chosen.value = one)}
          />
        </Field>
        <Field label={`Funds to add, ${ticker}`}>
          <input
            inputMode="decimal"
            required
            size={12}
            value={amount.value}
            onInput={(event) => (amount.value = event.currentTarget.value)}
          />
        </Field>
        <button type="submit" disabled={lookedAt.value !== undefined}>Add</button>
      </Form>
    </details>
  )
}
