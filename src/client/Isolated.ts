/** Makes layers that share nothing with the rest of a program. */
import * as Layer from "effect/Layer"

/**
 * Isolates a layer. Layers are shared by reference within a program, and most here are one value for all accounts, but
 * each account needs its own. Services built inside are not shared with the outside; the result is still built once
 * wherever it is used.
 */
export const isolated = <A, E, R>(inside: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuildMemo((_shared, scope) => Layer.buildWithMemoMap(inside, Layer.makeMemoMapUnsafe(), scope))
