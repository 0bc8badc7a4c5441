// Package draw chooses records as YCSB does, beforehand, so that choosing them is in no figure. It imports nothing of
// the project.
package draw
