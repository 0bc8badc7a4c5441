//go:build !linux

package alarm

// Precise is the most precise alarm that this system has.
func Precise() Alarm {
	return Timer{}
}
