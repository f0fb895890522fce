/**
 * Where venues are: which process carries out the calls of a venue, and how a call gets there. The edge of a host, which
 * takes requests, knows nothing else of venues. In one process all are here; where venues are spread over several
 * machines, another placement sends each request to the machine that owns its venue.
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
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Answer, Request } from "../gateway/Message.ts"

/**
 * Where venues are.
 *
 * @category services
 * @since 0.1.0
 */
export class Placement extends Context.Service<Placement, {
  /** The process that owns a venue, by a name such as `here`; `undefined` when there is no such venue. */
  readonly ownerOf: (id: string) => Effect.Effect<string | undefined>
  /**
   * Sends a raw request to the owner of a venue. Its path is as the venue sees it, without a prefix. `resume` is called once:
   * with the answer, or with how to come by it. A venue that is not there is answered too.
   */
  readonly send: (
    id: string,
    request: Request,
    clock: Clock.Clock,
    resume: (answer: Answer | Effect.Effect<Answer>) => void
  ) => void
}>()("effect-txc/sandbox/Placement") {}
