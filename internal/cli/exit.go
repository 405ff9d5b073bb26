package cli

// The exit codes of memoir. The reference shows their comments.
const (
	exitAnswered = 0 // answered, also when nothing was found
	// failed: an error stands in place of the answer; of memoir doctor also: a part is broken
	exitFailed = 1
	// wrong usage, which no retry mends: an unknown command or flag, a missing
	// argument, a value out of range, a line that a note does not have
	exitUsage  = 2
	exitSignal = 128 // and the number of the signal that stopped the command: 130 interrupted, 143 terminated
)
