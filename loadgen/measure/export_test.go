package measure

// These read other files than those of this machine.
var (
	ThrottledTime = throttledTime
	WaitedTime    = waitedTime
	PeakMemory    = peakMemory
	MachineOf     = machineOf
	StealTime     = stealTime
	PressureTime  = pressureTime
)
