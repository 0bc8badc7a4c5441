package measure

// ThrottledTime reads other files than those of this machine.
var ThrottledTime = throttledTime
