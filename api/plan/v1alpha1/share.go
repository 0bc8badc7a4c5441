package v1alpha1

// Share splits the numbers from 0 to total-1 into parts that follow one another, as equal as they can be, and tells
// which of them part index has: count numbers from first on. The parts cover everything exactly once.
//
//	Share(10, 4, …)    0 1 2 | 3 4 5 | 6 7 | 8 9
//
// A part that does not exist (parts below 1, or an index outside of them) has nothing.
func Share(total int64, parts, index int) (first, count int64) {
	if total <= 0 || parts < 1 || index < 0 || index >= parts {
		return 0, 0
	}
	// Not total*index/parts: the product can exceed 64 bits.
	each, rest := total/int64(parts), total%int64(parts)
	first = int64(index)*each + min(int64(index), rest)
	if int64(index) < rest {
		return first, each + 1
	}
	return first, each
}
