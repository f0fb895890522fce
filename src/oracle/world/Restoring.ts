/**
 * Restores a sandbox to its state before the check: its clock, prices, accounts, keys, codes, orders and money. If the
 * control plane has no snapshots, only the prices are restored, and the report names the changes that remain.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Verdict from "../Verdict.ts"
import type * as ControlPlane from "./ControlPlane.ts"
import * as Paths from "./Paths.ts"
import type { World } from "./World.ts"

/** Saves the state of a sandbox before a check, and notes the changes that the check makes. */
export interface Restoring {
  /** Takes a snapshot of the sandbox. If its control plane has no snapshots, notes the prices instead. */
  readonly begin: Effect.Effect<void>
  /** Runs a control-plane action, and notes its changes. */
  readonly control: World["control"]
  /**
   * Restores the sandbox. Succeeds with messages about the changes that remain because the control plane has no
   * snapshots.
   */
  readonly end: Effect.Effect<ReadonlyArray<string>>
}

/** The changes that a check has made to a sandbox whose control plane has no snapshots. */
interface Changes {
  readonly markets: Set<string>
  advanced: number
  opened: number
}

const hours = (millis: number): string => `${Number((millis / 3_600_000).toFixed(1))} hours`

/** Restores the markets' earlier prices. Succeeds with messages about the changes that remain. */
const putBack = Effect.fnUntraced(function*(
  control: World["control"],
  { advanced, markets, opened }: Changes,
  tickers: unknown
) {
  const moved: Array<string> = []
  for (const market of markets) {
    const ticker = Json.isObject(tickers) ? tickers[market] : undefined
    const price = Json.isObject(ticker) ? ticker["last_price"] : undefined
    const isBack = Number(price) > 0 &&
      (yield* Effect.isSuccess(control("MovePrice", { market, price: String(price) })))
    if (!isBack) moved.push(market)
  }
  return [
    ...(opened === 0 ? [] : [`${opened} accounts whose names begin with oracle- or sub-, with their keys and codes`]),
    ...(advanced === 0 ? [] : [`the sandbox's clock is ${hours(advanced)} further ahead`]),
    ...(moved.length === 0 ? [] : [`the prices of ${moved.join(", ")} have moved`])
  ]
})

/** Prepares to restore a sandbox. */
export const make = (
  { control, get, warn }: Pick<World, "control" | "get" | "warn">,
  read: ReturnType<typeof ControlPlane.reader>
): Restoring => {
  const changes: Changes = { markets: new Set(), advanced: 0, opened: 0 }
  let sequence: unknown
  let tickers: unknown
  const note = (action: string, fields: Readonly<Record<string, unknown>>): void => {
    if (action === "MovePrice") changes.markets.add(String(fields["market"]))
    if (action === "AdvanceClock") changes.advanced += Number(fields["millis"])
    if (action === "OpenAccount" || action === "OpenSubAccount") changes.opened++
  }
  const restore = Effect.matchEffect(Effect.suspend(() => control("Restore", { sequence })), {
    onFailure: (error) =>
      Effect.as(
        warn(
          `the sandbox is not as it was before the check: ${Verdict.whyOf(error)}. `
            + `Restore it with POST Restore {"sequence":${String(sequence)}} on its control plane`
        ),
        []
      ),
    onSuccess: () => Effect.succeed([])
  })
  return {
    begin: Effect.gen(function*() {
      const snapshot = yield* read("Snapshot", "POST")
      sequence = Json.isObject(snapshot) ? snapshot["sequence"] : undefined
      if (sequence !== undefined) return
      tickers = yield* Effect.orElseSucceed(Effect.map(get(Paths.tickers), ({ json }) => json), () => undefined)
    }),
    control: (action, fields) =>
      Effect.tap(control(action, fields), Effect.sync(() => note(action, fields as Readonly<Record<string, unknown>>))),
    end: Effect.suspend(() => sequence === undefined ? putBack(control, changes, tickers) : restore)
  }
}
