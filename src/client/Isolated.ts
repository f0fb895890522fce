/** Creates layers that are not shared with the rest of a program. */
import * as Layer from "effect/Layer"

/**
 * Isolates a layer. Within a program, layers are shared by reference, and most layers of this package are a single
 * value, but each account needs its own services. The services that an isolated layer builds internally are not shared
 * with other layers. The isolated layer itself is still built only once, however often it is provided.
 */
export const isolated = <A, E, R>(inside: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuildMemo((_shared, scope) => Layer.buildWithMemoMap(inside, Layer.makeMemoMapUnsafe(), scope))
