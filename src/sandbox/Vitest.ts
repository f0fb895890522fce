/**
 * A Vitest `globalSetup` that serves one sandbox over HTTP to all tests of a run. This module needs `vitest`.
 *
 * Tests get the sandbox's addresses and keys with `inject("effect-txc/sandbox")`. The sandbox runs in the Vitest
 * process and stops when Vitest exits.
 *
 * @example
 * ```ts
 * import { Dialect } from "effect-txc"
 * import { globalSetup } from "effect-txc/sandbox/vitest"
 *
 * // Your own setup file, named under `globalSetup` in vitest.config.ts. If the defaults suit you, name
 * // "effect-txc/sandbox/vitest" there instead.
 * export default globalSetup({ dialect: Dialect.live })
 * ```
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import type { TestProject } from "vitest/node"
import * as Dialect from "../protocol/Dialect.ts"
import * as Control from "./control/Control.ts"
import * as ControlApi from "./control/ControlApi.ts"
import * as Example from "./Example.ts"
import * as Server from "./server/Server.ts"
import type * as Journal from "./store/Journal.ts"
import * as Venue from "./venue/Venue.ts"

/**
 * The addresses and keys that tests need to use the sandbox.
 *
 * @category models
 */
export interface Provided {
  /** The base URL of the exchange, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** The base URL of the control plane, with a trailing slash. */
  readonly controlUrl: string
  /** The control plane's token. */
  readonly controlToken: string
  /** The name of the sandbox's dialect. */
  readonly dialect: "document" | "live"
  /** The keys of the example's accounts. */
  readonly keys: {
    /** An account with funds in all wallets, which may call the B2B-only endpoints. */
    readonly alice: Example.ExampleKey
    /** An account that is not allowed to call the B2B-only endpoints. */
    readonly bob: Example.ExampleKey
  }
}

declare module "vitest" {
  interface ProvidedContext {
    /** The sandbox served by `globalSetup` from `effect-txc/sandbox/vitest`. */
    readonly "effect-txc/sandbox": Provided
  }
}

/**
 * Options for the sandbox and its server.
 *
 * @category models
 */
export interface Options {
  /**
   * The sandbox's dialect, including its choices where the documentation is ambiguous; `Dialect.document` by default.
   */
  readonly dialect?: Dialect.Dialect
  /** The port to listen on; any free port by default. */
  readonly port?: number
  /** The seed for random faults; 0 by default. */
  readonly seed?: number
  /**
   * Prepares the venue before the first test; `Example.setUp` by default. A reset returns to the prepared state. To
   * freeze the clock from the start, call `setClock` first.
   */
  readonly setUp?: Effect.Effect<void, Control.ControlRefused | Journal.JournalError, Control.Control>
}

const serve = Effect.fnUntraced(
  function*({ dialect = Dialect.document, port = 0, seed = 0, setUp = Example.setUp }: Options) {
    const scope = yield* Scope.make()
    const controlToken = randomBytes(24).toString("base64url")
    const venue = Layer.provideMerge(Control.layer, Venue.layer({ dialect, seed, secrets: "random" }))
    const context = yield* Layer.buildWithScope(venue, scope)
    const { baseUrl: url } = yield* Effect.gen(function*() {
      yield* setUp
      yield* Control.Control.use(({ begin }) => begin)
      return yield* Server.serve({ port, controlToken })
    }).pipe(
      Effect.provide(context),
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const provided: Provided = {
      url,
      controlUrl: url + ControlApi.prefix,
      controlToken,
      dialect: dialect.name,
      keys: { alice: Example.alice, bob: Example.bob }
    }
    return { provided, stop: Scope.close(scope, Exit.void) }
  }
)

/**
 * Creates a Vitest `globalSetup` that serves a sandbox until the run ends.
 *
 * @category running
 */
export const globalSetup =
  (options: Options = {}) => async (project: Pick<TestProject, "provide">): Promise<() => Promise<void>> => {
    const { provided, stop } = await Effect.runPromise(serve(options))
    project.provide("effect-txc/sandbox", provided)
    return () => Effect.runPromise(stop)
  }

/** A `globalSetup` that serves a sandbox in the document's dialect, set up with the example. */
export default globalSetup()
