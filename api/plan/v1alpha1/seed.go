package v1alpha1

// DrawSeed is the seed of what is drawn while measuring.
func (p Plan) DrawSeed() int64 {
	if p.OperationSeed != 0 {
		return p.OperationSeed
	}
	return p.Seed
}
