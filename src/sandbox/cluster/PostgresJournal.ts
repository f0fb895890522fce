/**
 * A venue's journal in PostgreSQL, which any node of a cluster can open. Only one node at a time can write to it.
 *
 * Opening a journal increments its epoch. From then on, the node that had the journal before can't write: each group
 * contains the epoch and the number of the previous command, and a single statement compares both with the table and
 * writes the group. A node that has lost its venue can't serve reads either, because reads wait for a group without
 * commands, which checks whether the epoch is still valid.
 *
 * The commands of one turn of the event loop form a group, as in the in-memory journal. One group is written at a time;
 * commands that arrive meanwhile form the next group.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as EffectArray from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as SqlError from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import type { Command } from "../engine/Command.ts"
import * as Chain from "../store/Chain.ts"
import type { Journal, Options } from "../store/Journal.ts"
import { damaged, JournalError } from "../store/JournalError.ts"
import * as JournalTables from "../store/JournalTables.ts"
import * as Rules from "../store/Rules.ts"
import * as Database from "./Database.ts"
import * as KnownDeliveries from "./KnownDeliveries.ts"
import { databaseErrors } from "./NodeMetrics.ts"

/** The maximum number of commands that are read, or imported, at a time. */
const page = 1000

/**
 * The time limit for database operations. If writing a group takes longer, its outcome is unknown, so the venue halts.
 */
const patience = "10 seconds"

// -----------------------------------------------------------------------------
// Taking over
// -----------------------------------------------------------------------------

interface Owned {
  readonly epoch: bigint
  readonly end: Chain.End
}

interface VenueRow {
  readonly epoch: bigint
  readonly sequence: bigint
  readonly link: Uint8Array
}

/** Waits for a group that is being written, and makes all later groups of the previous node fail. */
const takeOver = Effect.fnUntraced(function*(sql: PgClient.PgClient, venue: string, rules: string, node: string) {
  const [row] = yield* sql.unsafe<VenueRow>(
    `INSERT INTO txc_venue (venue, rules, epoch, sequence, link, node) VALUES ($1, $2, 1, 0, $3, $4)
    ON CONFLICT (venue) DO UPDATE SET epoch = txc_venue.epoch + 1, node = excluded.node, since = now()
    WHERE txc_venue.rules = excluded.rules
    RETURNING epoch, sequence, link`,
    [venue, rules, PgTypes.bytea(Chain.start.link), node]
  )
  if (row !== undefined) {
    return { epoch: row.epoch, end: { sequence: Number(row.sequence), link: row.link } } satisfies Owned
  }
  const [found] = yield* sql.unsafe<{ rules: string }>("SELECT rules FROM txc_venue WHERE venue = $1", [venue])
  return yield* Rules.otherRules(venue, found?.rules ?? "", rules)
})

/** Whether the journal has ever had commands. This is recorded in the same statement as the first command. */
const isBegun = (sql: PgClient.PgClient, venue: string) =>
  Effect.map(
    sql.unsafe<{ begun: boolean }>("SELECT begun FROM txc_hosted WHERE venue = $1", [venue]),
    ([row]) => row?.begun === true
  )

const gone = (venue: string) =>
  damaged(venue, "it had commands, but is gone or empty. Restore a backup of the database, or end the venue", 0)

// -----------------------------------------------------------------------------
// Writing
// -----------------------------------------------------------------------------

interface Group {
  readonly commands: Array<Command>
  readonly answers: Array<KnownDeliveries.Kept>
  readonly waiting: Array<(error: JournalError | undefined) => void>
  snapshot: JournalTables.Snapshot | undefined
}

const emptyGroup = (): Group => ({ commands: [], answers: [], waiting: [], snapshot: undefined })

/** Writes a group only if the table has the epoch and the last command number that the group expects. */
const appending = `WITH fence AS (
    UPDATE txc_venue SET sequence = $4, link = $5 WHERE venue = $1 AND epoch = $2 AND sequence = $3 RETURNING 1
  ), written AS (
    INSERT INTO txc_journal (venue, sequence, epoch, command, hash, recalled)
    SELECT $1, $3 + e.place, $2, e.command, e.hash, e.recalled
    FROM fence, unnest($6::text[], $7::bytea[], $8::bigint[]) WITH ORDINALITY AS e (command, hash, recalled, place)
  ), begun AS (
    UPDATE txc_hosted SET begun = true FROM fence WHERE venue = $1 AND $3 = 0
  ), kept AS (
    INSERT INTO txc_delivery (venue, id, answer)
    SELECT $1, d.id, d.answer FROM fence, unnest($9::text[], $10::text[]) AS d (id, answer)
    ON CONFLICT (venue, id) DO NOTHING
  )
  SELECT count(*)::int AS fenced FROM fence`

const snapshotting = `WITH fence AS (
    SELECT 1 FROM txc_venue WHERE venue = $1 AND epoch = $2
  ), older AS (
    DELETE FROM txc_snapshot USING fence WHERE venue = $1 AND sequence < $3
  )
  INSERT INTO txc_snapshot (venue, sequence, part, origin, hash, state)
  SELECT $1, $3, p.part, $4, $5, p.state FROM fence, unnest($6::bytea[]) WITH ORDINALITY AS p (state, part)
  ON CONFLICT DO NOTHING`

/** The maximum size of one stored part of a state, in bytes. */
const partLength = 4 * 1024 * 1024

const partsOf = (state: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from(
    { length: Math.ceil(state.length / partLength) },
    (_, index) => state.subarray(index * partLength, (index + 1) * partLength)
  )

/**
 * Joins the parts of a state, in memory that is freed once the state has been read. A small `Buffer` would share a pool
 * that is freed later.
 */
const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const state = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    state.set(part, at)
    at += part.length
  }
  return state
}

const confirming = "SELECT count(*)::int AS fenced FROM txc_venue WHERE venue = $1 AND epoch = $2 AND sequence = $3"

const fenced = (venue: string) =>
  new JournalError({ why: "fenced", file: venue, reason: "another node has taken it over; ask that node" })

const int8 = (value: number) => PgTypes.int8(BigInt(value))

const arrayOf = (values: ReadonlyArray<unknown>, oid: number) => Result.getOrThrow(PgTypes.array(values, oid))

/** Adds commands to the chain. */
const linked = (end: Chain.End, commands: ReadonlyArray<Command>) => {
  const texts: Array<string> = []
  const links: Array<Uint8Array> = []
  let { link } = end
  for (const command of commands) {
    const text = Result.getOrThrow(Chain.encode(command))
    link = Chain.link(link, text)
    texts.push(text)
    links.push(link)
  }
  return { texts, links, end: { sequence: end.sequence + commands.length, link } }
}

/** Writes a group. Returns the position of the new last entry. */
const write = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  venue: string,
  { end: before, epoch }: Owned,
  { answers, commands, snapshot }: Group
) {
  const at = [venue, PgTypes.int8(epoch), int8(before.sequence)]
  const { end, links, texts } = linked(before, commands)
  const recalled = commands.map(Chain.recalledBy).map((sequence) => sequence === null ? null : BigInt(sequence))
  const isEmpty = commands.length === 0 && answers.length === 0
  const [row] = yield* isEmpty ? sql.unsafe<{ fenced: number }>(confirming, at) : sql.unsafe<{ fenced: number }>(
    appending,
    [
      ...at,
      int8(end.sequence),
      PgTypes.bytea(end.link),
      arrayOf(texts, PgTypes.OID.text),
      arrayOf(links, PgTypes.OID.bytea),
      arrayOf(recalled, PgTypes.OID.int8),
      arrayOf(answers.map(({ id }) => id), PgTypes.OID.text),
      arrayOf(answers.map(({ answer }) => answer), PgTypes.OID.text)
    ]
  )
  if (row?.fenced !== 1) return yield* fenced(venue)
  if (snapshot !== undefined) {
    const { origin, sequence, state } = snapshot
    // The snapshot's last command is in this group, or is the last command before the group.
    const link = links[sequence - before.sequence - 1] ?? before.link
    const hash = PgTypes.bytea(JournalTables.seal(snapshot, link))
    const parts = arrayOf(partsOf(state), PgTypes.OID.bytea)
    yield* sql.unsafe(snapshotting, [venue, PgTypes.int8(epoch), int8(sequence), int8(origin), hash, parts])
  }
  return end
})

/** Converts a database error to a `JournalError`. */
export const toJournalError = (venue: string) => (error: JournalError | SqlError.SqlError): JournalError =>
  error._tag === "JournalError"
    ? error
    : new JournalError({ why: "failed", file: venue, reason: `the database failed: ${Database.said(error)}` })

/** Abandons database work after ten seconds, because an unreachable database might never report an error. */
export const inTime = (venue: string) => <A, R>(work: Effect.Effect<A, JournalError | SqlError.SqlError, R>) =>
  work.pipe(
    Database.within(patience),
    Effect.tapError((error) =>
      error._tag === "JournalError"
        ? Effect.void
        : Metric.update(
          Metric.withAttributes(databaseErrors, { kind: error._tag === "SqlError" ? error.reason._tag : error._tag }),
          1
        )
    ),
    Effect.mapError((error) =>
      error._tag === "TimeoutError"
        ? new JournalError({ why: "failed", file: venue, reason: `no response within ${patience}` })
        : toJournalError(venue)(error)
    )
  )

/** Writes groups, one after the other. */
const makeWriter = (
  sql: PgClient.PgClient,
  venue: string,
  owned: Owned,
  deliveries: KnownDeliveries.KnownDeliveries,
  fork: (work: Effect.Effect<void>) => unknown,
  onCommitted: (sequence: number) => void
) => {
  let { end } = owned
  let group = emptyGroup()
  let isWriting = false
  let broken: JournalError | undefined

  const finish = (written: Group, exit: Exit.Exit<Chain.End, JournalError>): void => {
    isWriting = false
    if (Exit.isSuccess(exit)) {
      end = exit.value
      onCommitted(end.sequence)
    } else {
      broken = Option.getOrElse(
        Exit.findErrorOption(exit),
        () => new JournalError({ why: "failed", file: venue, reason: "writing was interrupted" })
      )
    }
    for (const done of written.waiting) done(broken)
    if (group.waiting.length > 0) commit()
  }

  const commit = (): void => {
    if (isWriting) return
    const written = group
    group = emptyGroup()
    if (broken !== undefined) {
      for (const done of written.waiting) done(broken)
      return
    }
    isWriting = true
    const all = { ...written, answers: deliveries.take() }
    const writing = inTime(venue)(write(sql, venue, { epoch: owned.epoch, end }, all))
    fork(Effect.map(Effect.exit(writing), (exit) => finish(written, exit)))
  }

  const whenCommitted: Journal["whenCommitted"] = (done) => {
    // The first waiter in this turn of the event loop schedules the write, at the end of the turn.
    if (group.waiting.push(done) === 1) setImmediate(commit)
  }

  return {
    end: () => end,
    append: (command: Command) => {
      if (broken === undefined) group.commands.push(command)
    },
    keep: (snapshot: JournalTables.Snapshot) => {
      group.snapshot = snapshot
    },
    whenCommitted,
    failure: () => broken,
    committed: Effect.callback<void, JournalError>((resume) =>
      whenCommitted((error) => resume(error === undefined ? Effect.void : Effect.fail(error)))
    )
  }
}

// -----------------------------------------------------------------------------
// Reading
// -----------------------------------------------------------------------------

interface EntryRow {
  readonly sequence: bigint
  readonly command: string
  readonly hash: Uint8Array
  readonly recalled: bigint | null
}

const toRow = ({ command, hash, recalled, sequence }: EntryRow): Chain.Row => ({
  sequence: Number(sequence),
  command,
  hash,
  recalled: recalled === null ? null : Number(recalled)
})

const makeReader = (sql: PgClient.PgClient, venue: string) => {
  const entries = (after: number, to: number) =>
    Effect.map(
      sql.unsafe<EntryRow>(
        `SELECT sequence, command, hash, recalled FROM txc_journal
        WHERE venue = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence`,
        [venue, int8(after), int8(Math.min(after + page, to))]
      ),
      (rows) => rows.map(toRow)
    )
  const linkOf = Effect.fnUntraced(function*(sequence: number) {
    const [row] = yield* entries(sequence - 1, sequence)
    return row?.["hash"] instanceof Uint8Array ? row["hash"] : Chain.start.link
  })
  return {
    linkOf,
    snapshot: Effect.gen(function*() {
      const rows = yield* sql.unsafe<{ sequence: bigint; origin: bigint; hash: Uint8Array; state: Uint8Array }>(
        `SELECT sequence, origin, hash, state FROM txc_snapshot
        WHERE venue = $1 AND sequence = (SELECT max(sequence) FROM txc_snapshot WHERE venue = $1) ORDER BY part`,
        [venue]
      )
      const [first] = rows
      if (first === undefined) return undefined
      const link = yield* linkOf(Number(first.sequence))
      return JournalTables.unseal({ ...first, state: joined(rows.map(({ state }) => state)) }, () => link)
    }),
    recalledAfter: (sequence: number) =>
      Effect.map(
        sql.unsafe<{ recalled: bigint }>(
          "SELECT recalled FROM txc_journal WHERE venue = $1 AND sequence > $2 AND recalled IS NOT NULL",
          [venue, int8(sequence)]
        ),
        (rows): ReadonlySet<number> => new Set(rows.map(({ recalled }) => Number(recalled)))
      ),
    /**
     * Reads a page of entries, and checks each entry against the previous one. Returns the position of the last entry
     * in the hash chain.
     */
    page: Effect.fnUntraced(function*(
      after: Chain.End,
      to: number,
      visit: (text: string, sequence: number, command: Command) => void
    ) {
      const rows = yield* entries(after.sequence, to)
      const section = { file: venue, after, to: Math.min(after.sequence + page, to) }
      return yield* Effect.fromResult(
        Chain.follow(rows, section, (command, sequence, text) => visit(text, sequence, command))
      )
    })
  }
}

const makeReading = (venue: string, reader: ReturnType<typeof makeReader>) => {
  const read = Effect.fnUntraced(function*(
    after: number,
    to: number,
    visit: (command: Command, sequence: number) => void
  ) {
    let place: Chain.End = { sequence: after, link: after === 0 ? Chain.start.link : yield* reader.linkOf(after) }
    while (place.sequence < to) {
      place = yield* reader.page(place, to, (_text, sequence, command) => visit(command, sequence))
    }
    return place
  }, Effect.mapError(toJournalError(venue)))
  const verify = Effect.fnUntraced(function*(end: Chain.End) {
    const place = yield* read(0, end.sequence, () => undefined)
    if (!Chain.isSame(place.link, end.link)) {
      return yield* damaged(venue, `entry ${end.sequence} was changed after it was written`, 0)
    }
  })
  const lines = (end: Chain.End): Stream.Stream<string, JournalError> =>
    Stream.paginate(Chain.start, (after) => {
      const texts: Array<string> = []
      return reader.page(after, end.sequence, (text) => texts.push(text)).pipe(
        Effect.mapError(toJournalError(venue)),
        Effect.map((place) => [texts, place.sequence < end.sequence ? Option.some(place) : Option.none()] as const)
      )
    })
  return { read, verify, lines }
}

/**
 * Opens or creates the journal of a venue, and takes the journal over from the node that has it. The database must have
 * the tables of this version. `node` is the name of the node that opens the journal, for display.
 */
export const open = Effect.fnUntraced(function*(
  venue: string,
  { onCommitted = () => undefined, rules }: Options,
  node: string = "a node"
): Effect.fn.Return<Journal, JournalError, PgClient.PgClient | Scope.Scope> {
  const sql = yield* PgClient.PgClient
  const failing = inTime(venue)
  // Takes over before reading anything: from now on, the previous node can't write.
  const owned = yield* Effect.acquireRelease(failing(takeOver(sql, venue, rules, node)), ({ epoch }) =>
    // The node's name in the table is only for display, so if clearing the name fails, a sleeping venue is merely
    // listed as awake.
    Effect.exit(failing(sql.unsafe("UPDATE txc_venue SET node = NULL, since = now() WHERE venue = $1 AND epoch = $2", [
      venue,
      PgTypes.int8(epoch)
    ]))), { interruptible: true })
  if (owned.end.sequence === 0 && (yield* failing(isBegun(sql, venue)))) return yield* gone(venue)
  const deliveries = yield* KnownDeliveries.open(yield* failing(KnownDeliveries.read(sql, venue)))
  const fork = Effect.runForkWith(yield* Effect.context())
  const writer = makeWriter(sql, venue, owned, deliveries, fork, onCommitted)
  const reader = makeReader(sql, venue)
  const { lines, read, verify } = makeReading(venue, reader)
  const last = yield* failing(reader.linkOf(owned.end.sequence))
  if (owned.end.sequence > 0 && !Chain.isSame(last, owned.end.link)) {
    return yield* damaged(venue, `entry ${owned.end.sequence} is missing, or was changed after it was written`)
  }
  return {
    sequence: () => writer.end().sequence,
    digest: () => Buffer.from(writer.end().link).toString("hex"),
    run: Number(owned.epoch),
    unfinished: 0,
    anchored: true,
    snapshot: failing(reader.snapshot),
    recalledAfter: (sequence) => failing(reader.recalledAfter(sequence)),
    verify: Effect.suspend(() => verify(writer.end())),
    read: (after, to, visit) => Effect.asVoid(read(after, to, visit)),
    lines: Effect.suspend(() => {
      const end = writer.end()
      return Effect.as(verify(end), end.sequence === 0 ? Stream.empty : lines(end))
    }),
    append: writer.append,
    keep: writer.keep,
    whenCommitted: writer.whenCommitted,
    committed: writer.committed,
    failure: writer.failure,
    deliveries
  }
})

/**
 * Reads all commands of a venue, or those up to `sequence`, even while a node is writing more commands. If there are
 * fewer than `sequence` commands, fails with the number of commands.
 */
export const commandsOf = Effect.fnUntraced(function*(
  venue: string,
  sequence: number | undefined
): Effect.fn.Return<ReadonlyArray<Command>, JournalError | number, PgClient.PgClient> {
  const sql = yield* PgClient.PgClient
  const [row] = yield* inTime(venue)(
    sql.unsafe<{ sequence: bigint }>("SELECT sequence FROM txc_venue WHERE venue = $1", [venue])
  )
  const all = Number(row?.sequence ?? 0)
  if (sequence !== undefined && sequence > all) return yield* Effect.fail(all)
  const commands: Array<Command> = []
  yield* makeReading(venue, makeReader(sql, venue)).read(0, sequence ?? all, (command) => commands.push(command))
  return commands
})

/** Writes a journal for a venue that has none. No node has the journal until one opens it. */
export const insert = Effect.fnUntraced(function*(venue: string, rules: string, commands: ReadonlyArray<Command>) {
  const sql = yield* PgClient.PgClient
  const owned = yield* takeOver(sql, venue, rules, "an import")
  let { end } = owned
  for (const group of EffectArray.chunksOf(commands, page)) {
    end = yield* write(sql, venue, { ...owned, end }, { ...emptyGroup(), commands: group })
  }
  yield* sql.unsafe("UPDATE txc_venue SET node = NULL WHERE venue = $1", [venue])
})

/** A venue's latest snapshot, if it is usable. */
export const snapshotOf = (
  venue: string
): Effect.Effect<JournalTables.Snapshot | undefined, JournalError, PgClient.PgClient> =>
  Effect.flatMap(PgClient.PgClient, (sql) => inTime(venue)(makeReader(sql, venue).snapshot))
