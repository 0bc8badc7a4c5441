// Package price reckons what a target costs, from a price list that somebody wrote and from what the members of the
// target ran on. It reads the list strictly and within bounds, because it may be anybody's text, and invents nothing:
// of what the list does not price there is no figure, and it says what the list lacks.
//
// All of it is exact: amounts are billionths of the currency in whole numbers, worked with in fractions of any size and
// rounded once, at the end. What a member pays for its node:
//
//	its node's type is on the list, and it has the node alone    the price of the node
//	the type is on the list, and others are on the node          the share of the node that it asks for: of CPU or of
//	                                                             memory, whichever is more
//	the type is not on the list, prices per CPU and GiB are      what it asks for at these prices
//	anything else                                                nothing is known, and so nothing is told of the target
//
// It reads no object and no clock. It imports api/report and the pure packages capacity and strictjson.
package price
