/**
 * Node only: sending over undici. Needs `undici`, an optional peer dependency.
 *
 * @since 0.1.0
 */
export * as UndiciTransport from "./client/transport/UndiciTransport.ts"
