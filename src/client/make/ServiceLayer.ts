/** Builds the layers of services that need nothing but other services, and merges many such layers at a low cost. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const TypeId = "~effect-txc/client/ServiceLayer"

/**
 * A service's recipe: its key, and the effect that creates it. The effect needs no scope, does not wait and does no
 * I/O.
 */
interface Recipe<R> {
  readonly key: string
  readonly create: Effect.Effect<unknown, never, R>
}

/** A layer that knows the recipe of its service. */
interface WithRecipe<R> {
  readonly [TypeId]: Recipe<R>
}

/** Builds a layer from an effect that needs no scope, does not wait and does no I/O. */
export const layer = <Identifier, Shape, R>(
  service: Context.Service<Identifier, Shape>,
  create: Effect.Effect<Shape, never, R>
): Layer.Layer<Identifier, never, R> => {
  const recipe: WithRecipe<R> = { [TypeId]: { key: service.key, create } }
  return Object.assign(Layer.effect(service, create), recipe)
}

/** Whether a layer was built by {@link layer}. */
export const hasRecipe = (layer: Layer.Any): layer is Layer.Any & WithRecipe<never> => TypeId in layer

/**
 * Merges layers. A layer that has a recipe is not built: its recipe runs instead, because a layer's bookkeeping, such
 * as its scope and its entry in the memo map, costs several times as much as creating the service. The type of the list
 * does not show which services the layers provide, so the caller states them.
 */
export const mergeAll = <Identifiers, R>(layers: ReadonlyArray<Layer.Any>): Layer.Layer<Identifiers, never, R> => {
  const recipes = layers.flatMap((layer) => hasRecipe(layer) ? [layer[TypeId]] : [])
  const built = Layer.effectContext(Effect.map(
    Effect.forEach(recipes, ({ create }) => create),
    (services) =>
      Context.makeUnsafe<Identifiers>(new Map(services.map((service, at) => [recipes[at]?.key ?? "", service])))
  ))
  const others = layers.flatMap((layer) => hasRecipe(layer) ? [] : [layer as Layer.Layer<never>])
  // The cast is safe if the caller states the types of these layers.
  return Layer.mergeAll(built, ...others) as Layer.Layer<Identifiers, never, R>
}
