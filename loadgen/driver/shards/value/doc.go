// Package value looks at encoded BSON without decoding it: it finds a field, puts values into MongoDB's order, hashes
// them as MongoDB's hashed indexes do, and makes keys by which equal values are the same.
//
// It is not the place for deciding where a document belongs, or for making documents. It imports the BSON library
// alone. But for numbers of type Decimal128, and hashes of documents, nothing in it allocates.
package value
