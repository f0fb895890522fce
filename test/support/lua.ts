/**
 * A Redis server in memory that runs the project's scripts. It interprets the part of Lua that the scripts use, so that
 * an exploration runs the scripts themselves, not a copy.
 */
import { assert } from "@effect/vitest"

type Callable = (...args: ReadonlyArray<Value>) => Value

/** A Lua value. `undefined` is nil, and a table is a list whose first element has the index 1. */
export type Value = string | number | boolean | undefined | ReadonlyArray<Value> | Callable | Library

interface Library {
  readonly [name: string]: Callable
}

/** The variables of a block, and of the blocks around it. */
class Scope {
  private readonly own = new Map<string, Value>()
  private readonly outer: Scope | undefined

  constructor(outer: Scope | undefined, own: Readonly<Record<string, Value>> = {}) {
    this.outer = outer
    for (const [name, value] of Object.entries(own)) this.declare(name, value)
  }

  declare(name: string, value: Value): void {
    this.own.set(name, value)
  }

  get(name: string): Value {
    return this.own.has(name) ? this.own.get(name) : this.outer?.get(name)
  }

  set(name: string, value: Value): void {
    if (this.own.has(name) || this.outer === undefined) this.own.set(name, value)
    else this.outer.set(name, value)
  }
}

type Expression = (scope: Scope) => Value

/** Runs a statement. Returns the values of a `return`, or `undefined` if the block continues. */
type Statement = (scope: Scope) => { readonly value: Value } | undefined

const isTrue = (value: Value): boolean => value !== undefined && value !== false

const numberOf = (value: Value): number => {
  const number = typeof value === "string" ? Number(value) : value
  return typeof number === "number" ? number : assert.fail(`a ${typeof value} is not a number`)
}

const textOf = (value: Value): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : assert.fail(`a ${typeof value} is not text`)

const compare = (holds: (one: number | string, other: number | string) => boolean) => (one: Value, other: Value) =>
  typeof one === "number" && typeof other === "number" || typeof one === "string" && typeof other === "string"
    ? holds(one, other)
    : assert.fail("only values of the same type can be compared")

const arithmetic = (compute: (one: number, other: number) => number) => (one: Value, other: Value) =>
  compute(numberOf(one), numberOf(other))

/** The binary operators that evaluate both operands, from the lowest precedence to the highest. */
const operators: ReadonlyArray<Readonly<Record<string, (one: Value, other: Value) => Value>>> = [
  {
    "==": (one, other) => one === other,
    "~=": (one, other) => one !== other,
    "<=": compare((one, other) => one <= other),
    ">=": compare((one, other) => one >= other),
    "<": compare((one, other) => one < other),
    ">": compare((one, other) => one > other)
  },
  { "..": (one, other) => textOf(one) + textOf(other) },
  { "+": arithmetic((one, other) => one + other), "-": arithmetic((one, other) => one - other) },
  { "*": arithmetic((one, other) => one * other), "/": arithmetic((one, other) => one / other) }
]

const constants: Readonly<Record<string, Value>> = { nil: undefined, true: true, false: false }

class Parser {
  private readonly tokens: ReadonlyArray<string>
  private at = 0

  constructor(lua: string) {
    this.tokens = (lua.match(/--[^\n]*|"[^"]*"|\d+(?:\.\d+)?|\w+|\.\.|[=~<>]=|\S/gu) ?? []).filter((token) =>
      !token.startsWith("--")
    )
  }

  /** Parses statements up to one of these words, or up to the end. */
  block(...ends: ReadonlyArray<string>): Statement {
    const statements: Array<Statement> = []
    while (this.at < this.tokens.length && !ends.includes(this.peek())) statements.push(this.statement())
    return (scope) => {
      for (const statement of statements) {
        const returned = statement(scope)
        if (returned !== undefined) return returned
      }
      return undefined
    }
  }

  private peek(): string {
    return this.tokens[this.at] ?? ""
  }

  private accept(token: string): boolean {
    if (this.peek() !== token) return false
    this.at++
    return true
  }

  private expect(token: string): void {
    if (!this.accept(token))
      assert.fail(`${token} is missing before ${this.tokens.slice(this.at, this.at + 5).join(" ")}`)
  }

  private name(): string {
    return /^[a-z_]\w*$/iu.test(this.peek())
      ? this.tokens[this.at++] ?? ""
      : assert.fail(`${this.peek()} is not a name`)
  }

  private list<A>(item: () => A): ReadonlyArray<A> {
    const items = [item()]
    while (this.accept(",")) items.push(item())
    return items
  }

  private statement(): Statement {
    if (this.accept("local")) return this.local()
    if (this.accept("if")) return this.conditional()
    if (this.accept("for")) return this.loop()
    if (this.accept("return")) {
      const value = this.expression()
      return (scope) => ({ value: value(scope) })
    }
    const name = this.peek()
    const expression = this.expression()
    if (!this.accept("=")) return (scope) => void expression(scope)
    const value = this.expression()
    return (scope) => scope.set(name, value(scope)) as undefined
  }

  private local(): Statement {
    const names = this.list(() => this.name())
    const values = this.accept("=") ? this.list(() => this.expression()) : []
    return (scope) => {
      const computed = values.map((value) => value(scope))
      names.forEach((name, index) => scope.declare(name, computed[index]))
      return undefined
    }
  }

  private conditional(): Statement {
    const condition = this.expression()
    this.expect("then")
    const body = this.block("else", "end")
    const otherwise = this.accept("else") ? this.block("end") : () => undefined
    this.expect("end")
    return (scope) => (isTrue(condition(scope)) ? body : otherwise)(new Scope(scope))
  }

  private loop(): Statement {
    const name = this.name()
    this.expect("=")
    const [from, to] = this.list(() => this.expression())
    this.expect("do")
    const body = this.block("end")
    this.expect("end")
    return (scope) => {
      const last = numberOf(to?.(scope))
      for (let value = numberOf(from?.(scope)); value <= last; value++) {
        const returned = body(new Scope(scope, { [name]: value }))
        if (returned !== undefined) return returned
      }
      return undefined
    }
  }

  private expression(): Expression {
    let left = this.conjunction()
    while (this.accept("or")) {
      const [one, other] = [left, this.conjunction()]
      left = (scope) => {
        const value = one(scope)
        return isTrue(value) ? value : other(scope)
      }
    }
    return left
  }

  private conjunction(): Expression {
    let left = this.binary(0)
    while (this.accept("and")) {
      const [one, other] = [left, this.binary(0)]
      left = (scope) => {
        const value = one(scope)
        return isTrue(value) ? other(scope) : value
      }
    }
    return left
  }

  private binary(level: number): Expression {
    const known = operators[level]
    if (known === undefined) return this.suffixed()
    let left = this.binary(level + 1)
    for (let operator = known[this.peek()]; operator !== undefined; operator = known[this.peek()]) {
      this.at++
      const [apply, one, other] = [operator, left, this.binary(level + 1)]
      left = (scope) => apply(one(scope), other(scope))
    }
    return left
  }

  private suffixed(): Expression {
    let value = this.primary()
    for (;;) {
      const target = value
      if (this.accept(".")) {
        const name = this.name()
        value = (scope) => (target(scope) as Library)[name]
      } else if (this.accept("[")) {
        const index = this.expression()
        this.expect("]")
        value = (scope) => (target(scope) as ReadonlyArray<Value>)[numberOf(index(scope)) - 1]
      } else if (this.accept("(")) {
        const args = this.accept(")") ? [] : this.list(() => this.expression())
        if (args.length > 0) this.expect(")")
        value = (scope) => (target(scope) as Callable)(...args.map((arg) => arg(scope)))
      } else return value
    }
  }

  private primary(): Expression {
    if (this.accept("(")) {
      const inner = this.expression()
      this.expect(")")
      return inner
    }
    if (this.accept("{")) {
      const items = this.list(() => this.expression())
      this.expect("}")
      return (scope) => items.map((item) => item(scope))
    }
    if (this.accept("function")) return this.closure()
    const token = this.peek()
    if (/^[\d"]/u.test(token)) {
      this.at++
      const value = token.startsWith("\"") ? token.slice(1, -1) : Number(token)
      return () => value
    }
    const name = this.name()
    return name in constants ? () => constants[name] : (scope) => scope.get(name)
  }

  private closure(): Expression {
    this.expect("(")
    const names = this.accept(")") ? [] : this.list(() => this.name())
    if (names.length > 0) this.expect(")")
    const body = this.block("end")
    this.expect("end")
    return (scope) => (...args: ReadonlyArray<Value>) => {
      const inner = new Scope(scope)
      names.forEach((name, index) => inner.declare(name, args[index]))
      return body(inner)?.value
    }
  }
}

const library: Readonly<Record<string, Value>> = {
  tonumber: (value) => {
    if (typeof value !== "number" && typeof value !== "string") return undefined
    const number = String(value).trim() === "" ? Number.NaN : Number(value)
    return Number.isNaN(number) ? undefined : number
  },
  tostring: textOf,
  math: {
    floor: (value) => Math.floor(numberOf(value)),
    max: (...values) => Math.max(...values.map(numberOf)),
    min: (...values) => Math.min(...values.map(numberOf))
  },
  string: {
    format: (format, value) =>
      format === "%.0f" ? numberOf(value).toFixed(0) : assert.fail(`the format ${textOf(format)}`),
    match: (text, pattern) => new RegExp(textOf(pattern).replaceAll("%w", "[A-Za-z0-9]"), "u").exec(textOf(text))?.[1]
  }
}

const parsed = new Map<string, Statement>()

/** Runs a script. `call` carries out its Redis commands. */
export const run = (
  lua: string,
  keys: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  call: (...command: ReadonlyArray<string>) => Value
): Value => {
  const program = parsed.get(lua) ?? new Parser(lua).block()
  parsed.set(lua, program)
  const redis: Library = { call: (...command) => call(...command.map(textOf)) ?? false }
  return program(new Scope(undefined, { ...library, KEYS: keys, ARGV: args, redis }))?.value
}

/** The hashes of a Redis server, by key. */
export type Hashes = Record<string, Record<string, string>>

/** Carries out the commands that the scripts use. `now` is the server's clock, in Unix microseconds. */
export const commandsOn =
  (hashes: Hashes, runId: string, now: () => number) =>
  (name: string, key = "", ...rest: ReadonlyArray<string>): Value => {
    switch (name) {
      case "TIME":
        return [String(Math.floor(now() / 1e6)), String(now() % 1e6)]
      case "INFO":
        return `# Server\r\nrun_id:${runId}\r\n`
      case "DEL":
        return Number(key in hashes && Reflect.deleteProperty(hashes, key))
      case "HGET":
        return hashes[key]?.[rest[0] ?? ""]
      case "HDEL": {
        const hash = hashes[key] ?? {}
        const present = rest.filter((field) => field in hash)
        for (const field of present) Reflect.deleteProperty(hash, field)
        return present.length
      }
      case "HSET": {
        const hash = hashes[key] ??= {}
        for (let index = 0; index < rest.length; index += 2) hash[rest[index] ?? ""] = rest[index + 1] ?? ""
        return rest.length / 2
      }
      default:
        return assert.fail(`the Redis command ${name}`)
    }
  }
