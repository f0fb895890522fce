/**
 * All rules, in the order of the document's subjects.
 *
 * @since 0.1.0
 */
import type { Rule } from "./Rule.ts"
import * as Authentication from "./rules/Authentication.ts"
import * as CancelAll from "./rules/CancelAll.ts"
import * as Codes from "./rules/Codes.ts"
import * as Errors from "./rules/Errors.ts"
import * as General from "./rules/General.ts"
import * as Interest from "./rules/Interest.ts"
import * as Life from "./rules/Life.ts"
import * as Limits from "./rules/Limits.ts"
import * as Models from "./rules/Models.ts"
import * as Oco from "./rules/Oco.ts"
import * as Pagination from "./rules/Pagination.ts"
import * as Reads from "./rules/Reads.ts"
import * as StopLimit from "./rules/StopLimit.ts"
import * as SubAccounts from "./rules/SubAccounts.ts"

/**
 * @category rules
 * @since 0.1.0
 */
export const rules: ReadonlyArray<Rule> = [
  ...General.rules,
  ...Authentication.rules,
  ...Errors.rules,
  ...Pagination.rules,
  ...Interest.rules,
  ...Oco.rules,
  ...StopLimit.rules,
  ...CancelAll.rules,
  ...Reads.rules,
  ...Codes.rules,
  ...SubAccounts.rules,
  ...Life.rules,
  ...Models.rules,
  ...Limits.rules
]
