/**
 * The tables of a journal in memory. No other process can change the tables, so they do not store a hash per entry:
 * hashes are computed on demand.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Command } from "../engine/Command.ts"
import * as Chain from "./Chain.ts"
import { maxInMemory } from "./InMemory.ts"
import { closedInMemory, fullInMemory } from "./JournalError.ts"
import type { JournalTables, Snapshot } from "./JournalTables.ts"

/**
 * Consecutive entries, joined into one buffer, because millions of separate strings would burden the garbage
 * collector.
 */
interface Page {
  /** The first entry's number. */
  readonly first: number
  readonly texts: Buffer
  /** The position at which each entry's text ends. */
  readonly ends: Array<number>
}

/** The number of entries between two cached links. */
const linkEvery = 1000

const pageLength = 1024 * 1024

/** The approximate memory overhead of an entry, in addition to its text, in bytes. */
const lengthBesideText = 16

/** All entries of a journal. */
class Entries {
  private readonly pages: Array<Page> = []
  private length = 0

  /** Whether this many more bytes fit within the maximum size. */
  hasRoom(bytes: number): boolean {
    return this.length + bytes <= maxInMemory
  }

  add(sequence: number, text: string, bytes: number): void {
    let page = this.pages.at(-1)
    if (page === undefined || (page.ends.at(-1) ?? 0) + bytes > page.texts.length) {
      page = { first: sequence, texts: Buffer.allocUnsafeSlow(Math.max(pageLength, bytes)), ends: [] }
      this.pages.push(page)
    }
    const from = page.ends.at(-1) ?? 0
    page.texts.write(text, from)
    page.ends.push(from + bytes)
    this.length += bytes + lengthBesideText
  }

  /** The text of each entry from `after` (exclusive) to `to` (inclusive), in order. */
  *between(after: number, to: number): Generator<string> {
    for (const { ends, first, texts } of this.pages) {
      for (let index = Math.max(0, after + 1 - first); index < ends.length && first + index <= to; index++) {
        yield texts.toString("utf8", ends[index - 1] ?? 0, ends[index])
      }
    }
  }
}

/** The last entry of a journal in memory. The link is computed only when it is read. */
class End implements Chain.End {
  readonly sequence: number
  private readonly linkOf: (sequence: number) => Uint8Array

  constructor(sequence: number, linkOf: (sequence: number) => Uint8Array) {
    this.sequence = sequence
    this.linkOf = linkOf
  }

  get link(): Uint8Array {
    return this.linkOf(this.sequence)
  }
}

const make = (isOpen: () => boolean): JournalTables => {
  const entries = new Entries()
  const recalls = new Map<number, number>()
  let sequence = 0
  let latest: Snapshot | undefined
  /** The link of every thousandth entry, as far as the chain has been computed. */
  const links = [Chain.start.link]

  const linkOf = (sequence: number): Uint8Array => {
    const known = Math.min(links.length - 1, Math.floor(sequence / linkEvery))
    let link = links[known] ?? Chain.start.link
    let at = known * linkEvery
    for (const text of entries.between(at, sequence)) {
      link = Chain.link(link, text)
      if (++at % linkEvery === 0) links[at / linkEvery] = link
    }
    return link
  }

  const append = (command: Command): void => {
    const text = Result.getOrThrow(Chain.encode(command))
    const bytes = Buffer.byteLength(text)
    if (!entries.hasRoom(bytes)) Result.getOrThrow(Result.fail(fullInMemory()))
    entries.add(++sequence, text, bytes)
    if (command.action._tag === "Restore") recalls.set(sequence, command.action.sequence)
  }

  return {
    end: () => new End(sequence, linkOf),
    linkOf,
    *entries(after, to) {
      if (!isOpen()) Result.getOrThrow(Result.fail(closedInMemory()))
      let before = { sequence: after, link: linkOf(after) }
      for (const command of entries.between(after, to)) {
        const link = Chain.link(before.link, command)
        before = { sequence: before.sequence + 1, link }
        yield { sequence: before.sequence, command, hash: link, recalled: recalls.get(before.sequence) ?? null }
      }
    },
    recalledAfter: (after) =>
      new Set([...recalls].flatMap(([sequence, recalled]) => sequence > after ? [recalled] : [])),
    snapshot: () => latest && { ...latest, state: latest.state.slice() },
    write: (_end, commands, snapshot = latest) => {
      if (!isOpen()) Result.getOrThrow(Result.fail(closedInMemory()))
      for (const command of commands) append(command)
      latest = snapshot
      return new End(sequence, linkOf)
    }
  }
}

/** Creates tables. After the scope is closed, the tables refuse reads and writes, as the tables of a file do. */
export const open: Effect.Effect<JournalTables, never, Scope.Scope> = Effect.suspend(() => {
  let isOpen = true
  const close = Effect.sync(() => {
    isOpen = false
  })
  return Effect.as(Effect.addFinalizer(() => close), make(() => isOpen))
})
