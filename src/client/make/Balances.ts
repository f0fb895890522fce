/** Reads the balances of one of an account's wallets: all of them, or one asset's. */
import * as Effect from "effect/Effect"
import type { Ticker } from "../../domain/Identifiers.ts"
import * as Errors from "../../protocol/Errors.ts"

/** The request for balances. */
export interface Request {
  /** Only the balance of this asset. Live dialect only. */
  readonly ticker?: Ticker
}

/** How to read the balances. */
export interface Reading<B, E> {
  /** The name of the call, for errors. */
  readonly name: string
  /** The call. */
  readonly call: (request: Request) => Effect.Effect<ReadonlyMap<Ticker, B> | B, E>
  /** Whether the exchange accepts a request for one asset. */
  readonly takesTicker: () => boolean
  /** The balance of an asset that the exchange omits. */
  readonly zero: B
}

const isMap = <B>(balances: ReadonlyMap<Ticker, B> | B): balances is ReadonlyMap<Ticker, B> => balances instanceof Map

/** Makes the methods `all` and `of`. Where the exchange accepts a ticker, `of` asks for that asset only. */
export const reading = <B, E>({ call, name, takesTicker, zero }: Reading<B, E>) => ({
  all: Effect.filterOrFail(
    call({}),
    (balances): balances is ReadonlyMap<Ticker, B> => isMap(balances),
    () =>
      new Errors.UnexpectedResponse({
        endpoint: name,
        status: 200,
        problem: "asked for all balances, answered with one",
        body: ""
      })
  ),
  of: (ticker: Ticker) =>
    Effect.map(
      call(takesTicker() ? { ticker } : {}),
      (balances) => isMap(balances) ? balances.get(ticker) ?? zero : balances
    )
})
