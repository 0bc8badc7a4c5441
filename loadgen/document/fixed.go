package document

// fixedMaker is a maker whose values all have the same type and length.
type fixedMaker interface {
	maker
	// put overwrites a value that the same maker has made for another place.
	put(value []byte, at place)
}

// fixed says whether all values of a maker have the same type and length, and gives the maker that overwrites them.
func fixed(m maker) (fixedMaker, bool) {
	switch m := m.(type) {
	case *textMaker:
		return m, m.filling.lengths.fixed()
	case *binaryMaker:
		return m, m.filling.lengths.fixed()
	case *documentMaker:
		return m, m.sample != nil
	case *referenceMaker:
		return m, m.fixed != nil
	}
	f, ok := m.(fixedMaker)
	return f, ok
}

// run is a part of a document: fields whose values always have the same length, and after them at most one whose values
// have not. To make it is to copy it and to overwrite the values.
type run struct {
	bytes   []byte
	patches []patch
	// last is the field that the run ends with; its header, which begins at lastHeader, is the end of the bytes.
	last       *field
	lastHeader int
}

// patch is a value within a run.
type patch struct {
	offset int
	maker  fixedMaker
	field  *field
}

// split divides the fields into runs.
func (m *documentMaker) split() {
	current := run{}
	for i := range m.fields {
		f := &m.fields[i]
		header := len(current.bytes)
		current.bytes = append(current.bytes, f.header...)
		made, ok := fixed(f.maker)
		if !ok {
			current.last, current.lastHeader = f, header
			m.runs = append(m.runs, current)
			current = run{}
			continue
		}
		current.patches = append(current.patches, patch{offset: len(current.bytes), maker: made, field: f})
		bsonType, bytes := made.make(current.bytes, place{})
		bytes[header] = bsonType
		current.bytes = bytes
	}
	if len(current.bytes) > 0 || len(m.runs) == 0 {
		m.runs = append(m.runs, current)
	}
	if len(m.runs) == 1 && m.runs[0].last == nil {
		m.sample = closeDocument(append(make([]byte, lengthBytes), m.runs[0].bytes...), 0)
	}
}

// append appends the run.
func (r *run) append(dst []byte, at place) []byte {
	start := len(dst)
	dst = append(dst, r.bytes...)
	r.put(dst[start:], at)
	if r.last == nil {
		return dst
	}
	bsonType, dst := r.last.maker.make(dst, r.last.place(at))
	if bsonType == absent {
		return dst[:start+r.lastHeader]
	}
	dst[start+r.lastHeader] = bsonType
	return dst
}

// put overwrites the values whose length is always the same.
func (r *run) put(bytes []byte, at place) {
	for i := range r.patches {
		p := &r.patches[i]
		p.maker.put(bytes[p.offset:], p.field.place(at))
	}
}
