/**
 * Applies pushed frames to a live book or to live orders. No peer has a socket: each one gets the text of a frame where
 * its socket would deliver it. Argument: the peer's name.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { serve } from "../harness/children.ts"
import type { Sample } from "../harness/operation.ts"
import * as Frames from "./frames.ts"

/** The receiver of a feed. */
export interface Receiver {
  /** Takes a frame, which the receiver may apply in a later turn of the event loop. */
  readonly receive: (frame: string) => void
  /** The number of book levels or open orders after all frames so far have been applied. */
  readonly size: () => Promise<number> | number
}

export type FeedName = "depth" | "orders"

/** The receivers of a peer, keyed by feed. */
export type Receivers = Readonly<Record<FeedName, (subscribers: number) => Promise<Receiver>>>

export interface Message {
  readonly feed: FeedName
  /** The number of subscribers on one connection. Default: one. */
  readonly subscribers?: number
  /** Measures for this many milliseconds, and returns the mean cost of a frame as a {@link Sample}. */
  readonly millis?: number
  /** Without `millis`, applies this many frames, and returns {@link Left}. */
  readonly frames?: number
}

/** The memory and the state after a number of frames. */
export interface Left {
  readonly size: number
  /** The heap size after a full garbage collection, in bytes. */
  readonly heapUsed: number
  readonly rss: number
}

/** Each peer loads only its own modules. */
const peers: Readonly<Record<string, () => Promise<Receivers>>> = {
  "JSON.parse and Maps": async () => (await import("./feedFloor.ts")).receivers,
  txc: async () => (await import("./feedTxc.ts")).receivers,
  ccxt: async () => (await import("./feedCcxt.ts")).receivers
}

const receivers = await peers[process.argv[2] ?? ""]?.()
if (receivers === undefined) throw new Error(`there is no peer ${process.argv[2]}`)

/** Frames are built in groups of this size, outside the measurement. */
const group = 256

/** The feeds that have started, keyed by name and number of subscribers. */
const begun = new Map<string, Promise<{ readonly receiver: Receiver; readonly next: Frames.Feed }>>()

const begin = async (feed: FeedName, subscribers: number) => {
  const receiver = await receivers[feed](subscribers)
  // The last acknowledgement has been sent. A few turns of the event loop let it arrive.
  await apply(receiver, [])
  if (feed === "orders") return { receiver, next: Frames.orders() }
  const { next, snapshot } = Frames.depth()
  await apply(receiver, [snapshot])
  return { receiver, next }
}

const feedOf = ({ feed, subscribers = 1 }: Message) => {
  const key = `${feed} ${subscribers}`
  const known = begun.get(key) ?? begin(feed, subscribers)
  begun.set(key, known)
  return known
}

const take = (next: Frames.Feed, count: number) => Array.from({ length: count }, next)

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/**
 * Gives a receiver each frame in a separate turn of the event loop, as a socket does when frames arrive one by one, and
 * waits until the last one is applied. The turns cost every peer the same.
 */
const apply = async ({ receive }: Receiver, frames: ReadonlyArray<string>): Promise<void> => {
  for (const frame of frames) {
    receive(frame)
    await turn()
  }
  for (let left = 0; left < 4; left++) await turn()
}

/** Applies groups of frames until the time has elapsed. */
const sample = async (message: Message, millis: number): Promise<Sample> => {
  const { next, receiver } = await feedOf(message)
  const size = (message.subscribers ?? 1) > 1 ? 16 : group
  const end = performance.now() + millis
  let [cpu, wall, count] = [0, 0, 0]
  do {
    const frames = take(next, size)
    const before = process.cpuUsage()
    const start = performance.now()
    await apply(receiver, frames)
    wall += (performance.now() - start) * 1000
    const { system, user } = process.cpuUsage(before)
    cpu += user + system
    count += size
  } while (performance.now() < end)
  return { cpu: cpu / count, wall: wall / count }
}

/** Collects all garbage. Node offers this function only with a flag. */
const collect = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

const left = async (message: Message, count: number): Promise<Left> => {
  const { next, receiver } = await feedOf(message)
  for (let done = 0; done < count; done += group) {
    await apply(receiver, take(next, Math.min(group, count - done)))
  }
  const size = await receiver.size()
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { size, heapUsed, rss }
}

serve(
  "ready",
  (message: Message) =>
    message.millis === undefined ? left(message, message.frames ?? 0) : sample(message, message.millis)
)
