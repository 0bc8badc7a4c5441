// Package lookup asks MongoDB servers, and reads single values out of their replies. A value that is missing, or that
// is of another type, is the zero value: what a server does not tell stays empty in a report.
//
// It interprets no reply. It imports only the driver.
package lookup
