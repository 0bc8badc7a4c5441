package stream

// FNV is the hash that YCSB scatters records and makes their names by: FNV-1a over the eight bytes of x, the lowest
// first, read as a signed number, and of that the absolute value. It is below 2^63, but for the one hash whose absolute
// value does not fit, which is 2^63 here and negative in YCSB.
func FNV(x uint64) uint64 {
	hash := uint64(fnvOffset)
	for range 8 {
		hash = (hash ^ x&0xff) * fnvPrime
		x >>= 8
	}
	if int64(hash) < 0 {
		return -hash
	}
	return hash
}
