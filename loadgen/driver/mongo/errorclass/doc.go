// Package errorclass names the class that a report counts an error of MongoDB under, and says after which errors the
// same command may succeed when it is sent again.
//
// It decides nothing itself: sessions and actions ask it. It imports the driver, for its error types, and package
// measure, to take credentials out of an error's text.
package errorclass
