package v1alpha1

import "slices"

// Referred is the plan in which each Reference has the value that it is of, and the number of documents that have one.
// A Reference to what the plan has not stays without: validation refuses it.
func (p Plan) Referred() Plan {
	return p.eachValue(func(v *Value) {
		if v.Reference == nil {
			return
		}
		at := slices.IndexFunc(p.Collections, func(c Collection) bool { return c.Name == v.Reference.Collection })
		if at < 0 {
			return
		}
		fields := p.Collections[at].Fields
		field := slices.IndexFunc(fields, func(f Field) bool { return f.Name == v.Reference.Field })
		if field < 0 {
			return
		}
		v.Reference.Of, v.Reference.Documents = fields[field].Value, p.Collections[at].DocumentCount
	})
}
