/** Creates the rules of a section, which share some fields of their `Rule.Heading`. */
import * as Rule from "../Rule.ts"

/** The fields of `Rule.Heading` that the rules of a section share. Each rule may override them. */
type Shared =
  & Pick<Rule.Heading, "clause">
  & Partial<Pick<Rule.Heading, "level" | "profile" | "document" | "live">>

type Own<R extends Rule.Heading> = Omit<R, "id" | "clause"> & Partial<Pick<Rule.Heading, "clause">>

/** The constructors for a section's rules. */
export interface Section {
  readonly always: (id: string, rule: Own<Rule.Always>) => Rule.Rule
  readonly forEach: <A>(id: string, rule: Own<Rule.ForEach<A>>) => Rule.Rule
  readonly forAll: <A>(id: string, rule: Own<Rule.ForAll<A>>) => Rule.Rule
}

/** Creates a section whose shared fields depend on the rule's statement. */
export const byStatement = (shared: (statement: string) => Shared): Section => ({
  always: (id, rule) => Rule.always({ id, ...shared(rule.statement), ...rule }),
  forEach: (id, rule) => Rule.forEach({ id, ...shared(rule.statement), ...rule }),
  forAll: (id, rule) => Rule.forAll({ id, ...shared(rule.statement), ...rule })
})

/** Creates a section whose rules all share these fields. */
export const of = (shared: Shared): Section => byStatement(() => shared)
