/** Reads a wallet's balances: all balances, or a single asset's balance. */
import * as Effect from "effect/Effect"
import type { Ticker } from "../../domain/Identifiers.ts"
import * as Errors from "../../protocol/Errors.ts"

/** A request for balances. */
export interface Request {
  /** Only the balance of this asset. Live dialect only. Default: all assets. */
  readonly ticker?: Ticker
}

/** The call that reads a wallet's balances. */
export interface Reading<B, E> {
  /** The call's name, for errors. */
  readonly name: string
  /** Requests the balances. */
  readonly call: (request: Request) => Effect.Effect<ReadonlyMap<Ticker, B> | B, E>
  /** Whether the exchange accepts a request for one asset. */
  readonly takesTicker: () => boolean
  /** The balance to return for an asset that the exchange omits. */
  readonly zero: B
}

const isMap = <B>(balances: ReadonlyMap<Ticker, B> | B): balances is ReadonlyMap<Ticker, B> => balances instanceof Map

/**
 * Creates the methods `all` and `of`. If the exchange accepts a ticker in the request, `of` requests only that asset.
 */
export const reading = <B, E>({ call, name, takesTicker, zero }: Reading<B, E>) => ({
  all: Effect.filterOrFail(
    call({}),
    (balances): balances is ReadonlyMap<Ticker, B> => isMap(balances),
    () =>
      new Errors.UnexpectedResponse({
        endpoint: name,
        status: 200,
        problem: "the request was for all balances, but the response has only one",
        body: ""
      })
  ),
  of: (ticker: Ticker) =>
    Effect.map(
      call(takesTicker() ? { ticker } : {}),
      (balances) => isMap(balances) ? balances.get(ticker) ?? zero : balances
    )
})
