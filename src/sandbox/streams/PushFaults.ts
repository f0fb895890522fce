/** Applies fault symptoms to the messages that a connection pushes. */
import type { SymptomsAt } from "../gateway/StreamSymptom.ts"
import type { Output } from "./Output.ts"

/** Sends one connection's messages. A fault's symptom can change or delay a message. */
export interface PushFaults {
  /** Sends a channel's message, and applies the symptom that hits the message, if any. */
  readonly send: (channel: string, text: string, symptom: SymptomsAt["message"] | undefined) => void
}

/** Creates a sender that has not held back any message yet. */
export const make = (output: Output): PushFaults => {
  /** For each channel, the message that is held back until the channel's next message. */
  const held = new Map<string, string>()

  const send = (channel: string, ...texts: ReadonlyArray<string>): void => {
    for (const text of texts) output.send(text)
    const late = held.get(channel)
    if (late === undefined) return
    held.delete(channel)
    output.send(late)
  }

  return {
    send: (channel, text, symptom) => {
      switch (symptom?._tag) {
        case undefined:
          return send(channel, text)
        case "Cut":
          return output.endAfter(symptom.close ? "closed" : "abrupt")
        case "Stall":
          return output.stall()
        case "Lose":
          return
        case "Duplicate":
          return send(channel, text, text)
        case "HoldBack":
          // The next message releases the held-back message, even if the fault also hits the next message.
          if (held.has(channel)) return send(channel, text)
          held.set(channel, text)
          return
        case "Garble":
          return send(channel, text.slice(0, Math.floor(text.length / 2)))
        case "Throttle":
          output.send(text, symptom.bytesPerSecond)
          return send(channel)
      }
    }
  }
}
