/** Words that belong to a schema or to a stack trace, and must not reach people. */
export const unplain = /Expected |SchemaError|at \[|\n\s+at |undefined|\[object|FiberFailure|FileSystem\.|RegExp/u
