// Package live shows runs and suites on a page that the user's own machine serves, while they go on.
//
//	API server ══watch══▶ Store ──▶ Server ──server-sent events──▶ browser
//	                                   └── page of a report, when it is asked for
//
// The API server is spoken to with the rights of the user alone, and so whoever reaches the page sees what the user may
// see. It is for the user only: Server answers under its own addresses and nothing else, to who has the token that its
// address was printed with, and not to pages of others. It answers GET, and changes nothing.
//
// What a report looks like is its caller's business, and so is the socket. It imports api, a client of
// controller-runtime that watches, and packages cluster and show beside it.
package live
