/** A strictly typed client of the exchange's private HTTP API V4, as Effect services. */

// One layer with all endpoint services
export * as Exchange from "./Exchange.ts"

// One layer with all channel services
export * as Streams from "./Streams.ts"

// Live views: order books, orders, balances and positions that are kept up to date
export * as LiveBalances from "./LiveBalances.ts"
export * as LiveBook from "./LiveBook.ts"
export * as LiveOrders from "./LiveOrders.ts"
export * as LivePositions from "./LivePositions.ts"
export * as LiveView from "./LiveView.ts"

// Reconciliation of orders whose responses were lost
export * as Reconciliation from "./Reconciliation.ts"

// Nonces that follow the exchange's clock
export * as ServerClock from "./ServerClock.ts"

// The protocol as an OpenAPI and an AsyncAPI document
export * as AsyncApi from "./AsyncApi.ts"
export * as OpenApi from "./OpenApi.ts"

// The endpoint services
export * from "./endpoints/contract.ts"

// The channels of the exchange's WebSocket
export * from "./channels/contract.ts"

// Making calls
export * as Account from "./client/Account.ts"
export * as Call from "./client/call/Call.ts"
export * as ClientOrderIdEcho from "./client/ClientOrderIdEcho.ts"
export * as ClientOrderIds from "./client/ClientOrderIds.ts"
export * as Credentials from "./client/Credentials.ts"
export * as FetchTransport from "./client/transport/FetchTransport.ts"
export * as Intents from "./client/Intents.ts"
export * as MarketRules from "./client/MarketRules.ts"
export * as Metrics from "./client/Metrics.ts"
export * as Nonce from "./client/Nonce.ts"
export * as Pages from "./client/Pages.ts"
export * as RateLimits from "./client/RateLimits.ts"
export * as Region from "./client/Region.ts"
export * as Settings from "./client/Settings.ts"
export * as Signer from "./client/Signer.ts"
export * as Transport from "./client/transport/Transport.ts"

// Stream connections
export * as Dialer from "./client/session/Dialer.ts"
export * as Item from "./client/session/Item.ts"
export * as Session from "./client/session/Session.ts"
export * as StreamErrors from "./client/session/StreamErrors.ts"

// The wire format
export * as Channel from "./protocol/Channel.ts"
export * as Dialect from "./protocol/Dialect.ts"
export * as Endpoint from "./protocol/Endpoint.ts"
export * as Errors from "./protocol/Errors.ts"
export * as OrderAnswer from "./protocol/OrderAnswer.ts"

// Values
export * as Code from "./domain/Code.ts"
export * as Decimal from "./domain/Decimal.ts"
export * as Identifiers from "./domain/Identifiers.ts"
export * as Margin from "./domain/Margin.ts"
export * as Market from "./domain/Market.ts"
export * as Order from "./domain/Order.ts"
export * as Paging from "./domain/Paging.ts"
export * as SubAccount from "./domain/SubAccount.ts"
export * as Time from "./domain/Time.ts"
export * as Unrecognised from "./domain/Unrecognised.ts"
