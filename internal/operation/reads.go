package operation

// Snapshots says whether operations of the kind read from a snapshot where their step has one: those whose commands
// servers let read from one outside of transactions.
func (r *Row) Snapshots() bool {
	return r.Repeatable && (r.Effect == Reads || r.Effect == ByPipeline) && r != EstimatedDocumentCount.Row()
}

// Follows says whether operations of the kind keep a reader open from one to the next, which waits for news.
func (r *Row) Follows() bool {
	return r == ChangeStream.Row() || r == Tail.Row() || r == InsertThenWatch.Row()
}
