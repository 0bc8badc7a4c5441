package v1alpha1

import (
	"slices"
	"time"
)

// DatedFromLoad says whether the plan has dates that count from the instant at which the load begins.
func (p Plan) DatedFromLoad() bool {
	found := false
	p.eachValue(func(v *Value) { found = found || v.FromLoad })
	return found
}

// Dated is the plan with the dates that count from the instant at which the load begins written out, for a load that
// began then. The plan itself keeps the offsets, so that its hashes are the same for every load.
func (p Plan) Dated(begin time.Time) Plan {
	return p.eachValue(func(v *Value) {
		if v.FromLoad {
			v.Min, v.Max, v.FromLoad = v.Min+begin.UnixMilli(), v.Max+begin.UnixMilli(), false
		}
	})
}

// eachValue is a copy of the plan in which something was done to every value.
func (p Plan) eachValue(do func(*Value)) Plan {
	p.Collections = slices.Clone(p.Collections)
	for i := range p.Collections {
		p.Collections[i].Fields = eachField(p.Collections[i].Fields, do)
	}
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		operations := slices.Clone(p.Steps[i].Operations)
		for j := range operations {
			parameters := slices.Clone(operations[j].Parameters)
			for k := range parameters {
				parameters[k].Value = parameters[k].each(do)
			}
			operations[j].Parameters = parameters
		}
		p.Steps[i].Operations = operations
	}
	return p
}

func eachField(fields []Field, do func(*Value)) []Field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Value = fields[i].each(do)
	}
	return fields
}

// each is a copy of the value, and of those within it, to which something was done.
func (v Value) each(do func(*Value)) Value {
	v.Fields = eachField(v.Fields, do)
	if v.Element != nil {
		element := v.Element.each(do)
		v.Element = &element
	}
	if v.Reference != nil {
		reference := *v.Reference
		reference.Of = reference.Of.each(do)
		v.Reference = &reference
	}
	do(&v)
	return v
}
