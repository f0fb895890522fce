/** Words from schemas and stack traces that must not appear in messages for people. */
export const unplain = /Expected |SchemaError|at \[|\n\s+at |undefined|\[object|FiberFailure|FileSystem\.|RegExp/u
