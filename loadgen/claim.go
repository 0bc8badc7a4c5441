package loadgen

import "context"

// Claim is whose a database is for the time being, as the database holds it beside the mark of its dataset. A run has
// it from before it drops anything until its last load pod has ended, so that no other run loads or measures there.
type Claim struct {
	// Holder identifies the run: for all its load pods the same, and for every other run another. HeldByAll stands for
	// all runs that share the database.
	Holder string
	// Name is what people know the run by; whoever wrote it may have written anything.
	Name string
	// Shares says that the holder lets others that share, too, in as soon as it has loaded.
	Shares bool
	// Beat is another one each time that the claim is renewed.
	Beat int64
}

// HeldByAll is the holder of a database that any number of runs measure in at once. Each of them renews the claim.
const HeldByAll = "shared"

// ClaimID is the _id of the document, in the collection of the mark, that a Claim is kept in.
const ClaimID = "claim"

// Claimer keeps the claim of a database. It needs no clock: who waits sees by its own whether the claim is renewed.
type Claimer interface {
	// Claim returns the claim of a database; nil when it has none.
	Claim(ctx context.Context, database string) (*Claim, error)
	// SetClaim puts next in the place of held, of which either may be nil, for none; at least one is not. It is false, and
	// nothing has changed, when the database does not hold held, by its holder and beat. Of several that replace the same
	// one only one succeeds. It is acknowledged by a majority.
	SetClaim(ctx context.Context, database string, held, next *Claim) (bool, error)
}

// Remover is a Target that can take away what a run has made.
type Remover interface {
	// Remove drops collections of a database, and then the one of the mark and the claim.
	Remove(ctx context.Context, database string, collections ...string) error
}
