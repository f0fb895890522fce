/** Creates layers that share nothing with the rest of a program. */
import * as Layer from "effect/Layer"

/**
 * Isolates a layer. Layers are shared by reference within a program, and most layers of this package are a single
 * value, but each account needs its own services. The services that this layer builds inside are not shared with other
 * layers. The layer itself is still built once, however often it is provided.
 */
export const isolated = <A, E, R>(inside: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuildMemo((_shared, scope) => Layer.buildWithMemoMap(inside, Layer.makeMemoMapUnsafe(), scope))
