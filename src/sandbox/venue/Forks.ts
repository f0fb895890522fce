/** Manages the tree of a venue's forks: creates, counts, lists and closes forks. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"

/**
 * The maximum number of forks that a venue and all its forks may have together. Each fork keeps an entire exchange in
 * memory.
 */
export const maxForks = 16

/** An open fork. */
export interface Fork {
  /** The fork's number. */
  readonly id: number
  /** The number of the parent fork; 0 if the parent is the venue itself. */
  readonly origin: number
  /** The number of commands that the fork copied from its parent. */
  readonly sequence: number
  /** The base URL of the fork's exchange, if it is served over HTTP. */
  readonly url?: string
  /** The base URL of the fork's control plane, if it is served over HTTP. */
  readonly controlUrl?: string
}

/** The schema of {@link Fork}. */
export const Fork: Schema.Codec<Fork, unknown> = Schema.Struct({
  id: Schema.Int,
  origin: Schema.Int,
  sequence: Schema.Int,
  url: Schema.optionalKey(Schema.String),
  controlUrl: Schema.optionalKey(Schema.String)
})

/** The addresses of a fork that is served over HTTP. */
export interface Place {
  /** The base URL of the exchange. */
  readonly url: string
  /** The base URL of the control plane. */
  readonly controlUrl: string
}

/** A venue's forks. */
export interface Forks {
  /** The number of this fork; 0 for the venue itself. */
  readonly id: number
  /**
   * Creates a fork with the first `sequence` commands. The fork stays open until it is closed or the scope is closed.
   * Returns `undefined` if {@link maxForks} forks already exist. `make` receives the fork's own list of forks.
   */
  readonly open: <A, E>(
    sequence: number,
    make: (forks: Forks) => Effect.Effect<A, E, Scope.Scope>
  ) => Effect.Effect<A | undefined, E, Scope.Scope>
  /** Sets the addresses at which this fork is served. Does nothing for the venue itself. */
  readonly served: (place: Place) => void
  /** The descendants of this fork: its forks, their forks, and so on. */
  readonly list: () => ReadonlyArray<Fork>
  /**
   * Closes one of the forks in `list`, and all descendants of that fork. Returns `false` if `list` has no such fork.
   */
  readonly end: (id: number) => Effect.Effect<boolean>
}

interface Held {
  readonly fork: Fork
  readonly place: Place | undefined
  readonly end: Effect.Effect<void>
}

/** All forks that descend from one venue, keyed by number. A fork comes after its parent. */
interface Tree {
  readonly forks: Map<number, Held>
  last: number
}

const below = ({ forks }: Tree, id: number): ReadonlyArray<Held> => {
  const ids = new Set([id])
  return [...forks.values()].filter(({ fork }) => ids.has(fork.origin) && ids.add(fork.id))
}

const viewOf = (tree: Tree, id: number): Forks => {
  const endAll = (held: ReadonlyArray<Held>) => Effect.forEach(held, ({ end }) => end, { discard: true })
  return {
    id,
    open: Effect.fnUntraced(function*(sequence, make) {
      if (tree.forks.size >= maxForks) return undefined
      const scope = yield* Scope.fork(yield* Effect.scope)
      const own = ++tree.last
      tree.forks.set(own, {
        fork: { id: own, origin: id, sequence },
        place: undefined,
        end: Scope.close(scope, Exit.void)
      })
      yield* Scope.addFinalizer(scope, Effect.sync(() => tree.forks.delete(own)))
      return yield* make(viewOf(tree, own)).pipe(
        Scope.provide(scope),
        Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))
      )
    }),
    served: (place) => {
      const held = tree.forks.get(id)
      if (held !== undefined) tree.forks.set(id, { ...held, place })
    },
    list: () =>
      below(tree, id).map(({ fork: { id, origin, sequence }, place }) => ({ id, origin, sequence, ...place })),
    end: (ended) =>
      Effect.suspend(() => {
        const found = below(tree, id).find(({ fork }) => fork.id === ended)
        if (found === undefined) return Effect.succeed(false)
        return Effect.as(endAll([...below(tree, ended).toReversed(), found]), true)
      })
  }
}

/** Creates an empty tree of forks for a venue. */
export const make = (): Forks => viewOf({ forks: new Map(), last: 0 }, 0)
