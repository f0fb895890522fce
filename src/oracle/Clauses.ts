/** The document's headings, in the oracle's wording. */

/**
 * The headings under which the document specifies calls. A test expects at least one rule for each heading.
 *
 * @category rules
 */
export const clauses: ReadonlyArray<string> = [
  "General rules",
  "Interest payment (fixed lending)",
  "Collateral OCO order (response)",
  "Stop-limit order (response)",
  "Fee entry (one per currency)",
  "Main balance entry",
  "Code application result",
  "Sub-account",
  "Sub-account API key",
  "Order status",
  "Stop order activation",
  "Sub-account status",
  "Endpoints §1",
  "Endpoints §2",
  "Endpoints §3",
  "Endpoints §4",
  "Endpoints §5",
  "Endpoints §6",
  "Endpoints §7",
  "Endpoints §8",
  "Endpoints §9",
  "Endpoints §10",
  "Endpoints §11",
  "Authentication",
  "Errors",
  "Limits",
  "Versioning",
  "not in the document"
]
