/** Simulates a full disk, for journals in files. */
import { vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DatabaseSync } from "node:sqlite"

/** Makes every commit fail as it would on a full disk, until the scope is closed. */
export const fullDisk: Effect.Effect<unknown, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const real = Reflect.get(DatabaseSync.prototype, "exec") as (this: DatabaseSync, sql: string) => void
    return vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function(this: DatabaseSync, sql: string) {
      if (sql === "COMMIT") {
        throw Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 })
      }
      return real.call(this, sql)
    })
  }),
  (spy) => Effect.sync(() => spy.mockRestore())
)
