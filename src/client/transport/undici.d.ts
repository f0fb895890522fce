// These parts of undici are imported separately, because loading all of undici takes twice as long as loading
// everything else.
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici"
  export default Pool
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici"
  export default buildConnector
}
