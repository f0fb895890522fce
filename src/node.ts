/** Node only: sending over undici. Needs `undici`, an optional peer dependency. */
export * as UndiciTransport from "./client/transport/UndiciTransport.ts"
