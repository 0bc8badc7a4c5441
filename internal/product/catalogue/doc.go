// Package catalogue lists the products that the operator knows: a new one is a folder beside it and a line here.
//
// Nothing else tells products apart. It imports them, internal/product and the API.
package catalogue
