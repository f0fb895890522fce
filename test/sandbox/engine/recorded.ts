/**
 * The details recorded for each history in addition to its hash, so that a failure shows the difference: a code for
 * each command, short hashes of each part of the state at intervals, and values that describe the final state.
 * `TXC_TEST_RECORD=1` rewrites the file. A change to the engine that requires a rewrite also requires a new engine
 * version.
 */
import { assert } from "@effect/vitest"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import type { Event } from "../../../src/sandbox/engine/Event.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import type { Reply } from "../../../src/sandbox/engine/Reply.ts"
import type { State } from "../../../src/sandbox/engine/State.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import { canonical } from "../../support/engine.ts"

interface Recorded {
  /** One code per command, made of its reply, its number of events, and a hash of both. Each line has ten codes. */
  readonly commands: ReadonlyArray<string>
  /** The hashes of each part of the state, at successive intervals. */
  readonly parts: Readonly<Record<string, string>>
  /** Values that describe the final state. */
  readonly end: Readonly<Record<string, string | number>>
}

const file = new URL("./recorded.json", import.meta.url)

const read = (): Record<string, Recorded> =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) as Record<string, Recorded> : {}

const letters: { readonly [Tag in Reply["_tag"]]: string } = {
  Done: "d",
  OrderPlaced: "p",
  StopPlaced: "s",
  OrderModified: "m",
  BulkDone: "b",
  OrderCanceled: "c",
  OcoPlaced: "o",
  OcoCanceled: "x",
  KillSwitchSet: "k",
  CodeCreated: "n",
  CodeApplied: "a",
  SubAccountCreated: "u",
  KeyCreated: "y",
  LeverageSet: "l",
  HedgeModeSet: "h",
  Invalid: "I",
  Refused: "R"
}

const hashOf = (value: unknown, digits: number): string =>
  createHash("sha256").update(canonical(value)).digest("hex").slice(0, digits)

/** Explains a command's code. */
const explained = (word = ""): string => {
  const [tag] = Object.entries(letters).find(([, letter]) => letter === word[0]) ?? ["nothing"]
  return `${tag} and ${Number.parseInt(word.slice(1, -2), 36) || 0} events`
}

/** Formats the records with one history per line. */
const textOf = (all: Readonly<Record<string, Recorded>>): string =>
  `{\n${Object.entries(all).map((entry) => entry.map((part) => JSON.stringify(part)).join(": ")).join(",\n")}\n}\n`

/** Summarizes a history while its commands are applied. */
export class Summary {
  private readonly words: Array<string> = []
  private readonly told: Array<string> = []
  private readonly parts: Record<string, string> = {}
  private readonly looks: Array<number> = []
  private readonly counts: Record<string, number> = {}

  add(command: Command, done: { readonly reply: Reply; readonly events: ReadonlyArray<Event> }): void {
    const { events, reply } = done
    for (const { _tag } of [reply, ...events]) this.counts[_tag] = (this.counts[_tag] ?? 0) + 1
    this.words.push(`${letters[reply._tag]}${events.length.toString(36)}${hashOf(done, 2)}`)
    this.told.push(`${canonical(command)}\nis answered ${canonical(done)}`)
  }

  addState(count: number, state: object): void {
    this.looks.push(count)
    for (const [name, part] of Object.entries(state)) {
      this.parts[name] = `${this.parts[name] ?? ""} ${hashOf(part, 3)}`.trim()
    }
  }

  private recorded(state: State): Recorded {
    const balances = Array.from(Ledger.save(state.ledger), ([holder, held]) => {
      const amounts = Array.from(held, ([ticker, units]) => `${Units.toDecimal(units)} ${ticker}`)
      return [holder, amounts.join(", ")] as const
    })
    const lines = Array.from(
      { length: Math.ceil(this.words.length / 10) },
      (_, line) => this.words.slice(10 * line, 10 * line + 10).join(" ")
    )
    return {
      commands: lines,
      parts: this.parts,
      end: {
        ...this.counts,
        "open orders": state.openOrders.size,
        "last id": state.lastId,
        ...Object.fromEntries(balances)
      }
    }
  }

  private difference({ commands, parts }: Recorded): string | undefined {
    const before = commands.join(" ").split(" ")
    const index = this.words.findIndex((word, index) => word !== before[index])
    if (index !== -1) {
      return `command ${index + 1} had the reply ${explained(before[index])}; now ${this.told[index]}`
    }
    for (const [look, count] of this.looks.entries()) {
      const changed = Object.keys({ ...parts, ...this.parts }).filter((name) =>
        parts[name]?.split(" ")[look] !== this.parts[name]?.split(" ")[look]
      )
      if (changed.length > 0) return `after command ${count} the state differs in ${changed.join(", ")}`
    }
    return undefined
  }

  /** Compares the history with its record, and fails with the first difference. */
  compare(name: string, state: State): void {
    const now = this.recorded(state)
    if (process.env["TXC_TEST_RECORD"] !== undefined) {
      return writeFileSync(file, textOf({ ...read(), [name]: now }))
    }
    const before = read()[name] ?? assert.fail(`nothing is recorded for ${name}`)
    const difference = this.difference(before)
    assert.deepStrictEqual(now.end, before.end, difference)
    assert.isUndefined(difference)
  }
}
