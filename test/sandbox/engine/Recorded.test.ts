import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import { canonical } from "../../support/engine.ts"
import { conditionalHistory, history } from "./histories.ts"
import { Summary } from "./recorded.ts"

/** The number of commands in a history, and the number of commands between two hashes of the state. */
const [length, between] = [400, 50]

/**
 * The recorded results of version 7 of the engine: for each history, a hash of each reply, all events, and some states.
 * They may change only with the version. Candles are excluded: they follow from the events, and have their own test.
 */
const recorded = {
  document: [
    "a4eaa7d0cb91d94805ab96f12852ee7be3840982469e2a813ed6f5f579d0c1e1",
    "21226d43ed9e3756353144b46eed11bf0c7c776ccf8f8c2c2c6493bb1c2581c9",
    "3c84bdbf6ba2f5fb97fb139d947a0090cf385d5b14db3744306ff08f26e4febb",
    "464f4ae38355c3b8312368435443cc647b52a1be32579573bf12cdf36cafecc9",
    "e509062ae99ecddcb27d8cc8e83f037978828f81f776bf7aacb71421b6a73e9d"
  ],
  live: [
    "ef2f206936de59a6cacfb5830a994cbc031bd5228e7fcfecd7ba7c67f73042b4",
    "fc233388b22cd38445980d4c4f7912467d8aef6126adfccfa5f1f6f23f64e819",
    "508340a4ab6f0ccfec0e64e2187c30303ad998fbb739de37c38ed1113558573d",
    "5c001f409f35938d3e64cd26aa88bfab60a84aca51dba81835a53a96f4990325",
    "88e7656fb069a4358adc040a213a42d715ead389c9e02a9494db90dc33000b21"
  ]
}

/** The hashes of another history, with the counterparty. */
const recordedWithCounterparty = {
  document: "7be2ba04f2c69007c8f165e185065b40d9ed3fc933dc8ec5cf80d1e00dab3571",
  live: "2ff16facb8968b46fd834dbfdc8b7f1c630ab339280d00659e6dffabc9dc44e5"
}

/** The hashes of another history, with stop-market orders, modified orders and bulk commands. */
const recordedWithNewer = {
  document: "b3940a8b0faf72119c4f9116a59467d93d88a3d58c607665bcc607fbdd375564",
  live: "142af28e49a26b8eb424e4f43cc46ae7aee43cf00574330bd1b187c0a05bf593"
}

/** The hashes of a history with kill switches and exits: the replies and all events. */
const recordedConditional = {
  document: "aff17eb5bc7e570b60c0af544ab1bc08755c9b7791e7579a26276d9a4154d19c",
  live: "7ec3719580d21a89afa3f17955acfd0865b5047bf82f6ad9bf9e257fd8bb06fd"
}

/** Fields added after the recording: kill switches, exits, retail flags, and the other order of a trade. */
const isAdded = (key: string, value: unknown): boolean =>
  ["killSwitches", "oto", "exits", "rpi", "retail"].includes(key) ||
  (key === "counterparty" && typeof value !== "object")

/** The constraint `step` was named `precision` when these results were recorded. */
const named = (key: string, value: unknown): unknown => key === "kind" && value === "step" ? "precision" : value

/** Sorts fields by name, because their order has no meaning. */
const sorted = <A>(value: A): A => sort(value) as A

const sort = (value: unknown): unknown => {
  if (value instanceof Map) return [...value].map(sort)
  if (value instanceof Set) return [...value].map(sort)
  if (Array.isArray(value)) return value.map(sort)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).filter(([key, value]) => !isAdded(key, value)).toSorted(([one], [other]) =>
      one < other ? -1 : 1
    )
      .map(([key, part]) => [key, sort(named(key, part))])
  )
}

const withoutCandles = ({ candles: _candles, ...saved }: Saved.Saved): object => saved

for (const { name, policy } of [Dialect.document, Dialect.live]) {
  const all = [...recorded[name], recordedWithCounterparty[name], recordedWithNewer[name]]
  all.forEach((expected, index) =>
    it.effect(`history ${index + 1} gives its recorded results under the policy of the ${name} dialect`, () =>
      Effect.sync(() => {
        assert.strictEqual(Engine.version, 7)
        const state = State.make(policy)
        const next = history(index + 1, {
          counterparty: index >= recorded[name].length,
          newer: index > recorded[name].length
        })
        const hash = createHash("sha256")
        const summary = new Summary()
        for (let count = 1; count <= length; count++) {
          const command = next(state)
          const done = sorted(Engine.apply(state, command))
          hash.update(canonical(done))
          summary.add(command, done)
          if (count % between > 0) continue
          const saved = sorted(withoutCandles(Saved.save(state)))
          hash.update(canonical(saved))
          summary.addState(count, saved)
        }
        summary.compare(`${name} ${index + 1}`, state)
        assert.strictEqual(hash.digest("hex"), expected)
      }))
  )

  it.effect(`kill switches and exits give their recorded results under the policy of the ${name} dialect`, () =>
    Effect.sync(() => {
      const state = State.make(policy)
      const next = conditionalHistory(1)
      const hash = createHash("sha256")
      const summary = new Summary()
      const seen = { fired: 0, exits: 0 }
      for (let count = 1; count <= 600; count++) {
        const command = next(state)
        const done = Engine.apply(state, command)
        hash.update(canonical(sorted(done)))
        summary.add(command, sorted(done))
        seen.fired += done.events.filter(({ _tag }) => _tag === "KillSwitchFired").length
        seen.exits = Math.max(seen.exits, state.exits.size)
      }
      assert.isAbove(seen.fired, 9)
      assert.isAbove(seen.exits, 2)
      summary.compare(`${name} conditional`, state)
      assert.strictEqual(hash.digest("hex"), recordedConditional[name])
    }))
}
