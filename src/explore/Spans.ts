/** The program's latest spans. A counterexample includes them to show what the program was doing. */
import * as Cause from "effect/Cause"
import type * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"

/**
 * A span of the program that has ended.
 *
 * @category models
 */
export interface Span {
  /** The span's name, such as `LimitOrders.create`. */
  readonly name: string
  /** The span's start, in Unix milliseconds on the program's clock. */
  readonly at: number
  /** The span's duration, in milliseconds. */
  readonly millis: number
  /** The error with which the span failed; absent if it succeeded. */
  readonly failure?: string
}

/** Records spans. */
export interface Recorder {
  readonly tracer: Tracer.Tracer
  /** The latest spans, in the order in which they ended. */
  readonly latest: () => ReadonlyArray<Span>
}

/** The maximum number of spans that are stored. */
const kept = 30

/** Creates a recorder that keeps only the latest spans. */
export const make = (): Recorder => {
  const ended: Array<Recorded> = []
  let next = 0

  class Recorded extends Tracer.NativeSpan {
    override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
      super.end(endTime, exit)
      ended[next++ % kept] = this
    }
  }

  const show = ({ name, status }: Recorded): Span => {
    const end = status._tag === "Ended" ? status.endTime : status.startTime
    const shown = {
      name,
      at: Number(status.startTime / 1_000_000n),
      millis: Number((end - status.startTime) / 1_000_000n)
    }
    return status._tag === "Ended" && status.exit._tag === "Failure"
      ? {
        ...shown,
        failure: Cause.hasInterruptsOnly(status.exit.cause)
          ? "interrupted"
          : Cause.prettyErrors(status.exit.cause).map(({ message, name }) => `${name}: ${message}`).join("; ")
      }
      : shown
  }

  return {
    tracer: Tracer.make({ span: (options) => new Recorded(options) }),
    latest: () => [...ended.slice(next % kept), ...ended.slice(0, next % kept)].slice(next < kept ? -next : 0).map(show)
  }
}
