/** All the contract's channels, and the type that each channel's module must satisfy. */
import type * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import type * as Session from "../client/session/Session.ts"
import type * as Channel from "../protocol/Channel.ts"
import * as contract from "./contract.ts"

/**
 * The channel modules, keyed by name.
 *
 * @category models
 */
export type Contract = typeof contract

/**
 * The name of a channel's module and service, such as `DepthChannel`.
 *
 * @category models
 */
export type Name = keyof Contract

/**
 * The static members common to all channel service classes.
 *
 * @category models
 */
export interface Service {
  /** The key that identifies the service in an Effect context. */
  readonly key: string
  /** Provides the service. Requires `Session` or `PublicSession`. */
  readonly layer: Layer.Layer<never, never, Session.Session | Session.PublicSession>
}

/**
 * The exports that every channel module must have: the channel itself as a value, and a service with a layer.
 *
 * @category models
 */
export type Module<Name extends string> =
  & {
    readonly channel: Channel.Any
  }
  & {
    readonly [Service in Name]: {
      readonly key: string
      readonly layer: Layer.Layer<never, never, Session.Session | Session.PublicSession>
    }
  }

/**
 * The channel with a given name.
 *
 * @category models
 */
export type ChannelOf<K extends Name> = Contract[K]["channel"]

/**
 * The service identifiers of the public channels, the private channels, or both.
 *
 * @category models
 */
export type ServiceOf<Access extends "public" | "private"> = {
  readonly [N in Name]: ChannelOf<N>["access"] extends Access
    ? Contract[N] extends { readonly [S in N]: Context.Key<infer Identifier, infer _> } ? Identifier : never
    : never
}[Name]

/** Proves that every module of the contract is complete: an incomplete module causes a type error that names it. */
const modules: { readonly [K in Name]: Module<K> } = contract

/**
 * A channel with its contract name and its service's layer.
 *
 * @category models
 */
export interface Entry {
  /** The name of the channel's module and service. */
  readonly name: Name
  /** The channel's description: its methods, access and schemas. */
  readonly channel: Channel.Any
  /** The key that identifies the service in an Effect context. */
  readonly key: string
  /** Provides the service. */
  readonly layer: Service["layer"]
}

const entryOf = <K extends Name>(name: K): Entry => {
  const module = modules[name]
  const service: Service = module[name]
  return { name, channel: module.channel, key: service.key, layer: service.layer }
}

/** The channel names in the contract, in alphabetical order. */
const names = Object.keys(modules) as ReadonlyArray<Name>

/**
 * Every channel: first the public channels, then the private channels, each group sorted by name.
 *
 * @category channels
 */
export const entries: ReadonlyArray<Entry> = (["public", "private"] as const).flatMap((access) =>
  names.map(entryOf).filter(({ channel }) => channel.access === access)
)

/**
 * The channels of {@link entries}.
 *
 * @category channels
 */
export const all: ReadonlyArray<Channel.Any> = entries.map(({ channel }) => channel)
