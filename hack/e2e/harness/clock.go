package harness

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A machine's clock cannot be set for one pod alone: all of its pods, its API server and these tests have the same. But
// a program asks for the time in code that the kernel puts into its memory, once for each process (vdso(7)), and what
// is written over that code in one process stays in that process. So a load pod, made of nothing but the product's own
// image, sees its wall clock set while nobody else does.

// askedTime is what takes the place of the kernel's function: it asks the kernel for the same clock, and takes whole
// seconds, which are its last byte but three's, from the answer when that is the wall clock.
//
//	mov eax, 228    the number of clock_gettime; the clock is in edi, and rsi is where the answer goes
//	syscall
//	test edi, edi   CLOCK_REALTIME is 0
//	jne done
//	sub qword [rsi], SECONDS
//	done: ret
var askedTime = []byte{0xb8, 228, 0, 0, 0, 0x0f, 0x05, 0x85, 0xff, 0x75, 0x04, 0x48, 0x83, 0x2e, 0, 0xc3}

const (
	// secondsByte is where in it the seconds are.
	secondsByte = 14
	// timeFunction is the kernel's own name of what it replaces.
	timeFunction = "__vdso_clock_gettime"
	// stopTime is how long a process may take to stand still, between two calls of the function.
	stopTime = time.Minute
)

// ErrNoClocks is the answer where the clock of one process cannot be set.
var ErrNoClocks = errors.New("the clock of one process can be set on linux/amd64 alone")

// SetClocksBack sets the wall clock of each process of a pod's that has a name: seconds behind the machine's, from 0 to
// 127. It returns how many there are; none when the pod's node is not this machine.
func SetClocksBack(pod *corev1.Pod, name string, seconds int8) (int, error) {
	var found int
	for process, uid := range podProcesses(processes) {
		number, its, _ := strings.Cut(process, " ")
		if uid != string(pod.UID) || its != name {
			continue
		}
		if err := setClockBack(filepath.Join(processes, number), seconds); err != nil {
			return found, fmt.Errorf("setting the clock of process %s: %w", process, err)
		}
		found++
	}
	return found, nil
}

// setClockBack sets the wall clock of the process whose folder in /proc is given.
func setClockBack(folder string, seconds int8) error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return ErrNoClocks
	}
	pid, err := strconv.Atoi(filepath.Base(folder))
	if err != nil {
		return err
	}
	memory, err := os.OpenFile(filepath.Join(folder, "mem"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = memory.Close() }()
	at, err := findFunction(folder, memory)
	if err != nil {
		return err
	}
	code := slices.Clone(askedTime)
	code[secondsByte] = byte(seconds)
	for deadline := time.Now().Add(stopTime); ; time.Sleep(time.Millisecond) {
		done, err := writeCode(pid, folder, memory, code, at)
		if done || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("it did not stand still within %s", stopTime)
		}
	}
}

// findFunction finds where in a process the kernel's function is.
func findFunction(folder string, memory *os.File) (int64, error) {
	maps, err := os.ReadFile(filepath.Join(folder, "maps"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(line, "[vdso]\n") {
			continue
		}
		var from, to int64
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
			return 0, fmt.Errorf("reading %q: %w", line, err)
		}
		image := make([]byte, to-from)
		if _, err := memory.ReadAt(image, from); err != nil {
			return 0, err
		}
		offset, err := symbol(image)
		return from + offset, err
	}
	return 0, errors.New("the kernel has put no code into it")
}

// symbol is where in the kernel's code its function is.
func symbol(image []byte) (int64, error) {
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return 0, err
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return 0, err
	}
	for _, one := range symbols {
		if one.Name == timeFunction && one.Size >= uint64(len(askedTime)) {
			return int64(one.Value), nil
		}
	}
	return 0, fmt.Errorf("the kernel's code has no %s", timeFunction)
}

// writeCode writes code into a process that stands still meanwhile. It does nothing when a thread is in that code.
func writeCode(pid int, folder string, memory *os.File, code []byte, at int64) (done bool, err error) {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, syscall.Kill(pid, syscall.SIGCONT)) }()
	if still, err := standsOutside(folder, at, at+int64(len(code))); !still || err != nil {
		return false, err
	}
	_, err = memory.WriteAt(code, at)
	return true, err
}

// standsOutside says whether all threads of a process have stopped, and none of them between two addresses.
func standsOutside(folder string, from, to int64) (bool, error) {
	threads, err := filepath.Glob(filepath.Join(folder, "task", "[0-9]*"))
	if err != nil {
		return false, err
	}
	for _, thread := range threads {
		status, err := os.ReadFile(filepath.Join(thread, "stat"))
		if err != nil {
			return false, err
		}
		// The name before it may hold anything.
		if state := status[bytes.LastIndexByte(status, ')')+1:]; !bytes.HasPrefix(state, []byte(" T")) {
			return false, nil
		}
		call, err := os.ReadFile(filepath.Join(thread, "syscall"))
		if err != nil {
			return false, err
		}
		// Of a thread that runs all the same there is a word in place of the address, which is no number.
		fields := strings.Fields(string(call))
		var counter int64
		if _, err := fmt.Sscan(fields[len(fields)-1], &counter); err != nil {
			counter = from
		}
		if counter >= from && counter < to {
			return false, nil
		}
	}
	return len(threads) > 0, nil
}
