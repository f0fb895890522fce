/**
 * The placement of venues determines which process serves a venue's calls, and how requests reach that process. A
 * host's router reaches venues only through the placement. A host in a single process has all venues in that process.
 * In a cluster, a different placement sends each request to the node that has its venue.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Host, type Placement } from "effect-txc/sandbox"
 *
 * // The placement of a host in this process.
 * const here: Effect.Effect<Placement.Placement["Service"], never, Host.Host> = Host.Host.use((host) =>
 *   Effect.succeed(host.placement)
 * )
 * ```
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Outcome, Request } from "../gateway/Message.ts"

/**
 * Finds the process that has a venue, and sends requests to that process.
 *
 * @category services
 */
export class Placement extends Context.Service<Placement, {
  /** The name of the process that has a venue, such as `here`; `undefined` if there is no such venue. */
  readonly ownerOf: (id: string) => Effect.Effect<string | undefined>
  /**
   * Sends a raw request to the process that has a venue. The request's path has no venue prefix. `resume` is called
   * once, with the outcome or with an effect that returns the outcome. If the venue does not exist, the outcome is a
   * 404 response.
   */
  readonly send: (
    id: string,
    request: Request,
    clock: Clock.Clock,
    resume: (outcome: Outcome | Effect.Effect<Outcome>) => void
  ) => void
}>()("effect-txc/sandbox/Placement") {}
