/** WebSocket faults. They change what a client sends and receives on each connection. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Socket from "effect/socket/Socket"
import type * as Target from "../../../src/oracle/Target.ts"

/** A message, as JSON. */
export interface Frame {
  readonly id?: number | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** The changes to one connection's messages. */
export interface Changes {
  /** Returns the messages that the exchange gets instead of the client's message. */
  readonly sent?: (frame: Frame) => ReadonlyArray<Frame>
  /** Returns the messages that the client gets instead of the exchange's message. */
  readonly received?: (frame: Frame) => ReadonlyArray<Frame>
  /** Writes a message for the client: by default, as JSON. */
  readonly write?: (frame: Frame) => string
  /** Handles text that is not JSON, in place of the exchange. */
  readonly text?: () => void
}

/** The connection that a mutant changes. */
export interface Line {
  /** Sends the client a message after this time in milliseconds, or immediately by default. */
  readonly deliver: (frame: Frame, after?: number) => void
  /** Closes the connection. */
  readonly end: () => void
  /** Sends a message to the exchange. */
  readonly send: (frame: Frame) => void
  /** The target's other connections. */
  readonly others: () => ReadonlyArray<Line>
}

/** Creates the changes to each connection, and any state that they need. */
export type Fault = () => (line: Line) => Changes

const parse = (text: string): Frame | undefined => {
  try {
    return JSON.parse(text) as Frame
  } catch {
    return undefined
  }
}

const decoder = new TextDecoder()

const ended = new Socket.SocketError({ reason: new Socket.SocketCloseError({ code: 1006 }) })

/** Returns the target with a faulty WebSocket. */
export const faulty = (target: Target.Target, fault: Fault): Target.Target => {
  const { dial } = target
  if (dial === undefined) return target
  const change = fault()
  const lines = new Set<Line>()
  const wrapped = Effect.map(dial, (socket) => {
    let changes: Changes = {}
    const reader: Socket.Socket["reader"] = Effect.gen(function*() {
      const { pull, upgrade } = yield* socket.reader
      const { write } = yield* socket.writer
      const run = Effect.runForkWith(yield* Effect.context())
      const queue = yield* Queue.unbounded<string, Socket.SocketError>()
      const line: Line = {
        deliver: (frame, after = 0) => {
          const { write = JSON.stringify } = changes
          const offer = () => void Queue.offerUnsafe(queue, write(frame))
          if (after === 0) offer()
          else run(Effect.delay(Effect.sync(offer), after))
        },
        end: () => void Queue.failCauseUnsafe(queue, Cause.fail(ended)),
        send: (frame) => void run(Effect.ignore(write(JSON.stringify(frame)))),
        others: () => [...lines].filter((other) => other !== line)
      }
      changes = change(line)
      lines.add(line)
      yield* Effect.addFinalizer(() => Effect.sync(() => lines.delete(line)))
      const { received = (frame) => [frame] } = changes
      const reading = Effect.forever(Effect.map(pull, (texts) => {
        for (const chunk of texts) {
          const text = typeof chunk === "string" ? chunk : decoder.decode(chunk)
          const frame = parse(text)
          for (const changed of frame === undefined ? [] : received(frame)) line.deliver(changed)
        }
      }))
      yield* Effect.forkScoped(
        Effect.catch(reading, (error) => Effect.sync(() => Queue.failCauseUnsafe(queue, Cause.fail(error))))
      )
      return { pull: Queue.takeAll(queue), upgrade }
    })
    const writer: Socket.Socket["writer"] = Effect.map(socket.writer, ({ write }) => {
      const changed: typeof write = (chunk) => {
        const frame = typeof chunk === "string" ? parse(chunk) : undefined
        const { sent, text } = changes
        if (frame === undefined && text !== undefined) return Effect.sync(text)
        return frame === undefined || sent === undefined
          ? write(chunk)
          : Effect.forEach(sent(frame), (one) => write(JSON.stringify(one)), { discard: true })
      }
      return { write: changed, writeAll: (chunks) => Effect.forEach(chunks, changed, { discard: true }) }
    })
    return Socket.make({ reader, writer })
  })
  return { ...target, dial: wrapped }
}

// -----------------------------------------------------------------------------
// Faults
// -----------------------------------------------------------------------------

/** Changes received messages. The closure's state belongs to one connection. */
export const receiving =
  (make: () => (frame: Frame) => Frame | ReadonlyArray<Frame> | undefined): Fault => () => () => {
    const change = make()
    return {
      received: (frame) => {
        const changed = change(frame)
        return changed === undefined
          ? []
          : Array.isArray(changed)
          ? changed as ReadonlyArray<Frame>
          : [changed as Frame]
      }
    }
  }

/** Changes the messages that the client sends. */
export const sending = (change: (frame: Frame) => Frame | ReadonlyArray<Frame> | undefined): Fault => () => () => ({
  sent: (frame) => {
    const changed = change(frame)
    return changed === undefined ? [] : Array.isArray(changed) ? changed as ReadonlyArray<Frame> : [changed as Frame]
  }
})

/** Changes the `params` of a channel's messages. A message is dropped if the result is `undefined`. */
export const pushing = (channel: string, change: (params: ReadonlyArray<unknown>) => unknown): Fault =>
  receiving(() => (frame) => {
    if (frame.method !== `${channel}_update`) return frame
    const params = change(frame.params as ReadonlyArray<unknown>)
    return params === undefined ? undefined : { ...frame, params }
  })

/** Changes the responses to requests with a method. `change` gets the response and its request. */
export const answering = (
  method: string | ((method: string) => boolean),
  change: (answer: Frame, request: Frame) => Frame | ReadonlyArray<Frame> | undefined
): Fault =>
() =>
() => {
  const asked = new Map<unknown, Frame>()
  return {
    sent: (frame) => {
      asked.set(frame.id, frame)
      return [frame]
    },
    received: (frame) => {
      const request = frame.method === undefined ? asked.get(frame.id) : undefined
      const isIt = request !== undefined &&
        (typeof method === "string" ? request.method === method : method(request.method ?? ""))
      if (!isIt) return [frame]
      const changed = change(frame, request)
      return changed === undefined ? [] : Array.isArray(changed) ? changed as ReadonlyArray<Frame> : [changed as Frame]
    }
  }
}

/** Changes the results of successful requests with a method. */
export const resulting = (method: string, change: (result: unknown, request: Frame) => unknown): Fault =>
  answering(
    method,
    (answer, request) =>
      (answer.error ?? null) === null ? { ...answer, result: change(answer.result, request) } : answer
  )
