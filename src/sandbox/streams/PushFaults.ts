/** Applies the symptoms of faults to the messages that a connection pushes. */
import type { SymptomsAt } from "../gateway/StreamSymptom.ts"
import type { Output } from "./Output.ts"

/** Sends the messages of one connection. A fault's symptom may change or delay a message. */
export interface PushFaults {
  /** Sends a message of a channel, with the symptom that hits it, if any. */
  readonly send: (channel: string, text: string, symptom: SymptomsAt["message"] | undefined) => void
}

/** Creates a sender that holds back no message yet. */
export const make = (output: Output): PushFaults => {
  /** The message of each channel that is held back until the next one. */
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
          // The next message releases the held one, even if the fault hits it too.
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
