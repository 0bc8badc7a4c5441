package alarm

import (
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// kernelTimer is a timer of the kernel as a file.
type kernelTimer struct {
	file *os.File
	raw  syscall.RawConn
	// arm is the method of the same name as a value, made once since every use of it would allocate another.
	arm func(fd uintptr) bool
	at  time.Time
	// armed says that the timer runs for the instant above.
	armed bool
	// ctx is the one whose end ends the wait, and release forgets it.
	ctx     context.Context
	release func() bool
}

// Precise is the most precise alarm that this system has. A process that may have no more files gets a Timer.
func Precise() Alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return Timer{}
	}
	file := os.NewFile(uintptr(fd), "timer")
	raw, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return Timer{}
	}
	timer := &kernelTimer{file: file, raw: raw}
	timer.arm = timer.start
	return timer
}

// Until waits for the kernel's timer.
func (k *kernelTimer) Until(ctx context.Context, at time.Time) error {
	k.watch(ctx)
	k.at = at
	for time.Now().Before(at) {
		k.armed = false
		// The file is never read: the runtime is told each time that the timer goes off, and restarting it resets it.
		if err := k.raw.Read(k.arm); err == nil {
			continue
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		// It was the end of an earlier context that ended this wait.
		if err := k.file.SetReadDeadline(time.Time{}); err != nil {
			return Timer{}.Until(ctx, at)
		}
	}
	return context.Cause(ctx)
}

// start is called once before the wait, and starts the timer then, so that it cannot go off before the wait; and
// once after it.
func (k *kernelTimer) start(fd uintptr) bool {
	if k.armed {
		return true
	}
	k.armed = true
	left := time.Until(k.at)
	if left <= 0 {
		return true
	}
	value := unix.ItimerSpec{Value: unix.NsecToTimespec(left.Nanoseconds())}
	// What cannot be started is not waited for; Until looks at the time.
	return unix.TimerfdSettime(int(fd), 0, &value, nil) != nil
}

// watch lets the end of a context end every wait. It is done once for a context, not for each alarm.
func (k *kernelTimer) watch(ctx context.Context) {
	if k.ctx == ctx {
		return
	}
	if k.release != nil {
		k.release()
	}
	k.ctx = ctx
	k.release = context.AfterFunc(ctx, func() { _ = k.file.SetReadDeadline(time.Unix(1, 0)) })
}

// Close closes the file.
func (k *kernelTimer) Close() {
	if k.release != nil {
		k.release()
	}
	_ = k.file.Close()
}
