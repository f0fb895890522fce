/** The period from which a request returns records, and the constraint on its start and end. */
import * as Schema from "effect/Schema"
import { UnixSeconds } from "../domain/Time.ts"
import type * as Wire from "./Wire.ts"

/** The period from which a request returns records. It includes its start and its end. */
export interface Period {
  /** Only records at or after this time, in Unix seconds. */
  readonly startDate?: UnixSeconds
  /**
   * Only records at or before this time, in Unix seconds. Must not be before `startDate`, nor more than a second in the
   * future.
   */
  readonly endDate?: UnixSeconds
}

/** The schemas of a {@link Period}. The exchange checks that `endDate` is not before `startDate`. */
export const fields = {
  startDate: Schema.optionalKey(UnixSeconds),
  endDate: Schema.optionalKey(UnixSeconds)
} as const

/** Creates the constraint that a time is after another time, if both are present. */
export const isAfter = <Field extends string, Than extends string>(
  field: Field,
  than: Than
): Wire.Between<{ readonly [K in Field | Than]?: number }> => ({
  field,
  constraint: { kind: "after", than },
  holds: ({ [field]: later, [than]: earlier }) => earlier === undefined || later === undefined || later > earlier
})
