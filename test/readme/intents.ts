import { Exchange, FetchTransport, Intents, Reconciliation } from "effect-txc"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DatabaseSync } from "node:sqlite"

/** Stores the orders in flight in a file that survives the process and the machine. */
const open = (path: string) => {
  const file = new DatabaseSync(path)
  file.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS intents (key TEXT, nonce INTEGER, lost TEXT, PRIMARY KEY (key, nonce)) STRICT`)
  const insert = file.prepare("INSERT INTO intents VALUES (?, ?, ?)")
  const remove = file.prepare("DELETE FROM intents WHERE key = ? AND nonce = ?")
  const select = file.prepare("SELECT lost FROM intents ORDER BY nonce")
  return {
    layer: Intents.layer({
      // The request is not stored, because it may contain a secret. If the insert fails, the order is not sent.
      record: (intent) =>
        Effect.try({
          try: () => void insert.run(intent.key, intent.nonce, JSON.stringify({ ...intent, request: undefined })),
          catch: (cause) => new Intents.IntentNotRecorded({ reason: String(cause) })
        }),
      settled: ({ key, nonce }, outcome) =>
        outcome === "unknown" ? Effect.void : Effect.sync(() => void remove.run(key, nonce))
    }),
    unsettled: () => select.all().map(({ lost }) => JSON.parse(String(lost)) as Intents.Intent),
    decided: ({ key, nonce }: Intents.Intent) => void remove.run(key, nonce)
  }
}

/** Runs at every start. Finds out what happened to the orders that were in flight when the process ended. */
export const recover = Effect.fnUntraced(function*(path: string) {
  const { decided, unsettled } = open(path)
  const { reconcileAll } = yield* Reconciliation.Reconciliation
  return yield* Effect.forEach(unsettled(), (intent) =>
    Effect.map(reconcileAll(intent), (verdicts) => {
      if (verdicts.every(({ _tag }) => _tag !== "StillUnknown")) decided(intent)
      return { intent, verdicts }
    }))
})

/** All services of the account that the environment configures. Every order is on disk before it is sent. */
export const exchange = (path: string) =>
  Exchange.layerConfigWith({ transport: FetchTransport.layer }).pipe(
    Layer.provide(Layer.unwrap(Effect.sync(() => open(path).layer)))
  )
