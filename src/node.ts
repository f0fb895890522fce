/** The transport that uses undici, for Node only. Needs the optional peer dependency `undici`. */
export * as UndiciTransport from "./client/transport/UndiciTransport.ts"
