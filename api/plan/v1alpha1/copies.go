package v1alpha1

import "strconv"

// Number of collections that a declared one stands for.
func (c Collection) Number() int64 { return max(1, c.Copies) }

// NameOf is the name, in the database, of the copy with an index from 0 on.
func (c Collection) NameOf(index int64) string {
	if c.Copies < 2 {
		return c.Name
	}
	return c.Name + "_" + strconv.FormatInt(index, 10)
}

// Copy is one of the collections that a declared one stands for.
func (c Collection) Copy(index int64) Collection {
	c.Name, c.Copies = c.NameOf(index), 0
	return c
}

// CopyOf is the index of the copy that a loaded record lies in. The records are dealt to the copies in equal shares
// that follow one another, as Share does.
func (c Collection) CopyOf(record int64) int64 {
	copies := c.Number()
	each, rest := c.DocumentCount/copies, c.DocumentCount%copies
	if large := rest * (each + 1); record < large {
		return record / (each + 1)
	} else if each > 0 {
		return min(rest+(record-large)/each, copies-1)
	}
	return copies - 1
}
