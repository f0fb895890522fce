// The parts of undici that are needed, loaded alone: the whole of it takes twice as long to start as everything else here.
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici"
  export default Pool
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici"
  export default buildConnector
}
