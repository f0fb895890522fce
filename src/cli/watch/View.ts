/** A channel's table: how events and states change its records, and how the records are shown. */
import type * as Item from "../../client/session/Item.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Row } from "../Answer.ts"

/** Defines how a channel's events and states become a table's records. */
export interface Definition<Event, State, Record> {
  /** The name of the subcommand. */
  readonly command: string
  /** A description of the table's content, in a few words. */
  readonly summary: string
  /** Returns the records in an event. Each is added to the table, replaces a record, or removes one. */
  readonly ofEvent: (event: Event) => ReadonlyArray<Record>
  /** Returns the records in a state. */
  readonly ofState: (state: State) => ReadonlyArray<Record>
  /**
   * The kinds of items that contain all records, and therefore replace the table: only states, both states and events,
   * or neither.
   */
  readonly whole: "states" | "both" | "neither"
  /** Returns a record's key. A record replaces an earlier record with the same key. */
  readonly keyOf: (record: Record) => string
  /** The maximum number of records; unlimited by default. The oldest records are dropped. */
  readonly keeps?: number
  /** Whether this record removes the record with the same key from the table. */
  readonly isGone?: (record: Record) => boolean
  /**
   * Sorts the records, and may drop records that the topic does not include. By default, the records stay in order of
   * arrival.
   */
  readonly sorted?: (records: ReadonlyArray<Record>, topic: Topic) => ReadonlyArray<Record>
  /** Returns a record's cells. */
  readonly row: (record: Record) => Row
  /** The default values of the topic's fields. */
  readonly defaults?: Topic
  /** Whether the command requires a single market, although the channel could push all markets. */
  readonly isOfOneMarket?: true
}

/** The topic of any channel's subscription. */
export type Topic = Readonly<Record<string, unknown>>

/** A table, built from a stream's items. */
export interface Table<Event, State> {
  /** Applies an event or a state. */
  readonly apply: (item: Item.Event<Event> | Item.Snapshot<State>) => void
  /** The table's rows, sorted as the view defines. */
  readonly rows: () => ReadonlyArray<Row>
}

/** The view of one channel, which creates the channel's table. */
export interface View<Event, State>
  extends Pick<Definition<Event, State, never>, "command" | "summary" | "defaults" | "isOfOneMarket">
{
  /** Creates an empty table. */
  readonly begin: (topic: Topic) => Table<Event, State>
}

/** The number of records that a table keeps if its channel pushes records without end. A terminal has fewer lines. */
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
 * Returns a function that sorts records from latest to earliest. If records have the same time, the last to arrive
 * comes first.
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

/** Creates the view for a channel that pushes one value per market. */
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

/**
 * Returns the `limit` best asks and the `limit` best bids in descending order of price, so that the best prices are in
 * the middle.
 */
export const book = (levels: ReadonlyArray<Level>, { limit }: Topic): ReadonlyArray<Level> => {
  const descending = levels.toSorted((one, other) => Decimal.Order(other.price, one.price))
  const count = Number(limit)
  return [
    ...descending.filter(({ side }) => side === "ask").slice(-count),
    ...descending.filter(({ side }) => side === "bid").slice(0, count)
  ]
}
