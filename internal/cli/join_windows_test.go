package cli_test

import (
	"errors"
	"os"
)

func makePipe(string) error { return errors.ErrUnsupported }

func pause(*os.Process) error { return errors.ErrUnsupported }

func resume(*os.Process) error { return errors.ErrUnsupported }
