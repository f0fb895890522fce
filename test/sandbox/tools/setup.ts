import { Dialect } from "effect-txc"
import { Control, Example } from "effect-txc/sandbox"
import { globalSetup } from "effect-txc/sandbox/vitest"
import * as Effect from "effect/Effect"

const newYear = Control.Control.use((control) => control.setClock({ at: Date.UTC(2026, 0, 1) * 1000 }))

export default globalSetup({ dialect: Dialect.live, setUp: Effect.andThen(newYear, Example.setUp) })
