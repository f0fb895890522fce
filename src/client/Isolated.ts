/** Layers that share nothing with the rest of a program. */
import * as Layer from "effect/Layer"

/**
 * Layers are shared by reference within a program, and most here are one value for all accounts. Each account needs
 * its own: what is built inside is shared with nothing outside, while the result is still built once wherever it is used.
 */
export const isolated = <A, E, R>(inside: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuildMemo((_shared, scope) => Layer.buildWithMemoMap(inside, Layer.makeMemoMapUnsafe(), scope))
