/** All channels of the contract, and the type that each channel's module must satisfy. */
import type * as Channel from "../protocol/Channel.ts"
import * as contract from "./contract.ts"

/**
 * The channel modules, by name.
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
 * The exports that every channel module must have: the channel's value.
 *
 * @category models
 */
export interface Module {
  readonly channel: Channel.Any
}

/**
 * The channel with a given name.
 *
 * @category models
 */
export type ChannelOf<K extends Name> = Contract[K]["channel"]

/**
 * The names of the public channels.
 *
 * @category models
 */
export type PublicName = {
  readonly [K in Name]: ChannelOf<K>["access"] extends "public" ? K : never
}[Name]

/** Proves that every module of the contract is complete: an incomplete module is a type error that names the module. */
const modules: { readonly [K in Name]: Module } = contract

/**
 * A channel with its contract name.
 *
 * @category models
 */
export interface Entry {
  /** The name of the channel's module and service. */
  readonly name: Name
  /** The channel's description: its methods, access and schemas. */
  readonly channel: Channel.Any
}

/** The names in the contract, in alphabetical order. */
const names = Object.keys(modules) as ReadonlyArray<Name>

/**
 * Every channel: first the public ones, then the private ones, each by name.
 *
 * @category channels
 */
export const entries: ReadonlyArray<Entry> = (["public", "private"] as const).flatMap((access) =>
  names.flatMap((name) => {
    const { channel } = modules[name]
    return channel.access === access ? [{ name, channel }] : []
  })
)

/**
 * The channels of {@link entries}.
 *
 * @category channels
 */
export const all: ReadonlyArray<Channel.Any> = entries.map(({ channel }) => channel)
