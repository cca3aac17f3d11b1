package measure

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"time"
)

// MostBusy is how many cores other programs may use when a race begins.
const MostBusy = 0.1

// Busy returns how many cores other programs have used for a second, in which this one waits; not
// ok: the system does not tell.
func Busy(ctx context.Context) (cores float64, ok bool) {
	before, ok := processorTicks()
	if !ok {
		return 0, false
	}
	begun := time.Now()
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
	after, ok := processorTicks()
	const perSecond = 100 // USER_HZ of Linux
	return float64(after-before) / perSecond / time.Since(begun).Seconds(), ok
}

// processorTicks are those in which some core worked: user, nice, system, interrupts, and what
// other machines on the same processor had.
func processorTicks() (ticks int64, ok bool) {
	file, err := os.Open("/proc/stat")
	if err != nil {
		return 0, false
	}
	defer file.Close()
	line, err := bufio.NewReader(file).ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) < 9 || fields[0] != "cpu" {
		return 0, false
	}
	for k, field := range fields[1:9] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, false
		}
		if k != 3 && k != 4 { // idle, and waiting for disks
			ticks += n
		}
	}
	return ticks, true
}
