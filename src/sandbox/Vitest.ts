/**
 * A sandbox over HTTP for all tests of a Vitest run, as its `globalSetup`. Needs `vitest`.
 *
 * The tests get it with `inject("effect-txc/sandbox")`. It runs in the process of Vitest, and ends with it.
 *
 * @example
 * ```ts
 * import { Dialect } from "effect-txc"
 * import { globalSetup } from "effect-txc/sandbox/vitest"
 *
 * // A file of your own, named under `globalSetup` in vitest.config.ts. For the defaults name this module itself.
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
  /** The base URL of the control plane, with a slash at its end. */
  readonly controlUrl: string
  /** The token of the control plane. */
  readonly controlToken: string
  /** The name of its dialect. */
  readonly dialect: "document" | "live"
  /** The keys of the example's accounts. */
  readonly keys: {
    /** A business partner with funds in all wallets. */
    readonly alice: Example.ExampleKey
    /** Not a business partner. */
    readonly bob: Example.ExampleKey
  }
}

declare module "vitest" {
  interface ProvidedContext {
    /** The sandbox that `globalSetup` of `effect-txc/sandbox/vitest` serves. */
    readonly "effect-txc/sandbox": Provided
  }
}

/**
 * Options of the sandbox and its server.
 *
 * @category models
 */
export interface Options {
  /**
   * The dialect that the sandbox speaks, and its choices where the document leaves one; `Dialect.document` by default.
   */
  readonly dialect?: Dialect.Dialect
  /** The port to listen on; any free one by default. */
  readonly port?: number
  /** The seed of the random choices of faults; 0 by default. */
  readonly seed?: number
  /**
   * Prepares the venue before the first test, and again after each reset; `Example.setUp` by default. To freeze the
   * clock, set it before anything else.
   */
  readonly setUp?: Effect.Effect<void, Control.ControlRefused | Journal.JournalError, Control.Control>
}

const serve = Effect.fnUntraced(
  function*({ dialect = Dialect.document, port = 0, seed = 0, setUp = Example.setUp }: Options) {
    const scope = yield* Scope.make()
    const controlToken = randomBytes(24).toString("base64url")
    const venue = Layer.provideMerge(Control.layer, Venue.layer({ dialect, seed }))
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
 * A `globalSetup` of Vitest that serves a sandbox until the run is over.
 *
 * @category running
 */
export const globalSetup =
  (options: Options = {}) => async (project: Pick<TestProject, "provide">): Promise<() => Promise<void>> => {
    const { provided, stop } = await Effect.runPromise(serve(options))
    project.provide("effect-txc/sandbox", provided)
    return () => Effect.runPromise(stop)
  }

/** The sandbox with the example, in the document's dialect. */
export default globalSetup()
