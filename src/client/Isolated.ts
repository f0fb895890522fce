/** Creates layers that are not shared with the rest of a program. */
import * as Layer from "effect/Layer"

/**
 * Isolates a layer, so that each account has its own services. Effect builds the same layer only once, and most layers
 * of this package are a single value, so accounts would otherwise share their services. Whatever an isolated layer
 * builds internally is not shared. The isolated layer itself is still built only once, however often it is provided.
 */
export const isolated = <A, E, R>(inside: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuildMemo((_shared, scope) => Layer.buildWithMemoMap(inside, Layer.makeMemoMapUnsafe(), scope))
