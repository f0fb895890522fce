import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type * as Item from "../../src/client/session/Item.ts"
import { settled } from "../client/session/streams.ts"

/** A channel stream whose items the test pushes. Each subscription gets the items that are pushed after it begins. */
export const pushed = <Event, State, E = never>() => {
  const queues: Array<Queue.Queue<Item.Item<Event, State>, E>> = []
  return {
    stream: Stream.unwrap(Effect.map(Queue.unbounded<Item.Item<Event, State>, E>(), (queue) => {
      queues.push(queue)
      return Stream.fromQueue(queue)
    })),
    /** Pushes an item, and waits until it has been handled. */
    push: (item: Item.Item<Event, State>) =>
      Effect.andThen(Effect.forEach(queues, (queue) => Queue.offer(queue, item)), settled),
    /** Ends all subscriptions with an error. */
    fail: (error: E) => Effect.andThen(Effect.forEach(queues, (queue) => Queue.fail(queue, error)), settled),
    /** Ends the latest subscription with an error. */
    failLatest: (error: E) =>
      Effect.andThen(Effect.forEach(queues.slice(-1), (queue) => Queue.fail(queue, error)), settled),
    /** The number of subscriptions so far. */
    subscriptions: () => queues.length
  }
}
