/**
 * What is for Node alone: sending over undici. Needs `undici`, which is an optional peer dependency.
 *
 * @since 0.1.0
 */
export * as UndiciTransport from "./client/transport/UndiciTransport.ts"
