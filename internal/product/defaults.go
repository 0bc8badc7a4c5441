package product

// Default fills in a field that is unset.
func Default[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// Section is a group of settings, which is made where it is unset.
func Section[T any](group **T) *T {
	if *group == nil {
		*group = new(T)
	}
	return *group
}
