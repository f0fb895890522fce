/** A channel's table: how events and states change its records, and how the records are shown. */
import type * as Item from "../../client/session/Item.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Row } from "../Answer.ts"

/** Defines how a channel's events and states become a table's records. */
export interface Definition<Event, State, Record> {
  /** The name of the subcommand. */
  readonly command: string
  /** The content of the table, in a few words. */
  readonly summary: string
  /** The records that an event adds, replaces or removes. */
  readonly ofEvent: (event: Event) => ReadonlyArray<Record>
  /** The records of a state. */
  readonly ofState: (state: State) => ReadonlyArray<Record>
  /** The kinds of items that contain all records, and therefore replace the table. */
  readonly whole: "states" | "both" | "neither"
  /** The key of a record. A record replaces an earlier one with the same key. */
  readonly keyOf: (record: Record) => string
  /** The maximum number of records, beyond which the oldest are dropped; unlimited by default. */
  readonly keeps?: number
  /** Whether a record marks its own removal from the table. */
  readonly isGone?: (record: Record) => boolean
  /**
   * Sorts the records, and may drop records that the topic does not request. By default, the records stay in the
   * sequence of their arrival.
   */
  readonly sorted?: (records: ReadonlyArray<Record>, topic: Topic) => ReadonlyArray<Record>
  /** The cells of a record. */
  readonly row: (record: Record) => Row
  /** The default values of fields that the channel needs. */
  readonly defaults?: Topic
  /** Whether the command watches one market, although the channel can push all markets. */
  readonly isOfOneMarket?: true
}

/** The parameters of a subscription, in any channel's form. */
export type Topic = Readonly<Record<string, unknown>>

/** A table, built from a stream's items. */
export interface Table<Event, State> {
  /** Applies an event or a state. */
  readonly apply: (item: Item.Event<Event> | Item.Snapshot<State>) => void
  /** The table's rows, sorted as the view defines. */
  readonly rows: () => ReadonlyArray<Row>
}

/** Builds and shows one channel's table. */
export interface View<Event, State>
  extends Pick<Definition<Event, State, never>, "command" | "summary" | "defaults" | "isOfOneMarket">
{
  /** Creates an empty table. */
  readonly begin: (topic: Topic) => Table<Event, State>
}

/** The number of records that a table keeps of an endless list: more than a terminal has lines. */
const most = 1000

/** Creates a view from its definition. */
export const make = <Event, State, Record>(definition: Definition<Event, State, Record>): View<Event, State> => {
  const { isGone = () => false, keeps = Infinity, keyOf, ofEvent, ofState, row, sorted = (records) => records, whole } =
    definition
  return {
    ...definition,
    begin: (topic) => {
      const records = new Map<string, Record>()
      const put = (record: Record) => {
        const key = keyOf(record)
        if (isGone(record)) records.delete(key)
        else records.set(key, record)
        for (const oldest of records.keys()) {
          if (records.size <= keeps) break
          records.delete(oldest)
        }
      }
      return {
        apply: (item) => {
          if (whole === "both" || (whole === "states" && item._tag === "Snapshot")) records.clear()
          for (const record of item._tag === "Event" ? ofEvent(item.event) : ofState(item.state)) put(record)
        },
        rows: () => sorted([...records.values()], topic).map(row)
      }
    }
  }
}

/**
 * Returns a function that puts the latest records first. Among records with the same time, the last to arrive comes
 * first.
 */
export const latestFirst =
  <Base>(timeOf: (record: Base) => number) =>
  <Record extends Base>(records: ReadonlyArray<Record>): ReadonlyArray<Record> =>
    records.toReversed().toSorted((one, other) => timeOf(other) - timeOf(one))

/** Returns a function that sorts records in ascending order of the strings that `textOf` returns for them. */
export const by =
  <Base>(textOf: (record: Base) => string) =>
  <Record extends Base>(records: ReadonlyArray<Record>): ReadonlyArray<Record> =>
    records.toSorted((one, other) => textOf(one).localeCompare(textOf(other)))

type OfRecords<Record> = Omit<Definition<Record, ReadonlyArray<Record>, Record>, "ofEvent" | "ofState" | "whole">

/** Creates the view for a channel that pushes records one by one, and whose state consists of the latest records. */
export const records = <Record>(definition: OfRecords<Record>): View<Record, ReadonlyArray<Record>> =>
  make({ ...definition, ofEvent: (record) => [record], ofState: (records) => records, whole: "states", keeps: most })

/** Creates the view for a channel whose messages each contain all records. */
export const lists = <Record>(definition: OfRecords<Record>): View<ReadonlyArray<Record>, ReadonlyArray<Record>> =>
  make({ ...definition, ofEvent: (records) => records, ofState: (records) => records, whole: "both" })

/** Creates the view for a channel that pushes the value of each market. */
export const perMarket = <Value extends { readonly market: string }>(
  command: string,
  summary: string,
  row: (value: Value) => Row
): View<Value, Value> =>
  make({
    command,
    summary,
    ofEvent: (value) => [value],
    ofState: (value) => [value],
    whole: "neither",
    keyOf: ({ market }) => market,
    sorted: by(({ market }: { readonly market: string }) => market),
    row
  })

/** A price level of an order book. */
export interface Level {
  readonly side: "ask" | "bid"
  readonly price: Decimal.Decimal
  readonly amount: Decimal.Decimal
}

/** Returns an order book as a table: the offers to sell above the offers to buy, with the best prices in the middle. */
export const book = (levels: ReadonlyArray<Level>, { limit }: Topic): ReadonlyArray<Level> => {
  const descending = levels.toSorted((one, other) => Decimal.Order(other.price, one.price))
  const count = Number(limit)
  return [
    ...descending.filter(({ side }) => side === "ask").slice(-count),
    ...descending.filter(({ side }) => side === "bid").slice(0, count)
  ]
}
