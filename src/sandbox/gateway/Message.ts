/**
 * A request and an answer, whatever carried them: a socket, or a call within the process.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"

/**
 * - `path`: without the query
 * - `query`: without its question mark
 * - `headers`: names in lower case
 * - `from`: the caller's address, for limits of public endpoints
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Uint8Array
  readonly from: string
}

/**
 * The connection breaks before the body has ended.
 *
 * @category errors
 * @since 0.1.0
 */
export class BodyLost extends Schema.TaggedError<BodyLost>()("BodyLost", {}) {
  override readonly message = "the connection breaks before the body has ended"
}

/**
 * An answer, one whose body comes bit by bit, or a connection that breaks without one.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer =
  | {
    readonly _tag: "Answer"
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  | {
    readonly _tag: "Stream"
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: Stream.Stream<Uint8Array, BodyLost>
  }
  | { readonly _tag: "Reset" }
