package httpapi_test

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir/internal/httpapi"
)

// pair returns the two ends of a connection over loopback.
func pair(t *testing.T, network, address string) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skip(err) // there is no IPv6 here
	}
	defer l.Close()
	if client, err = net.Dial(network, l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return client, server
}

func ends(server net.Conn) (remote, local netip.AddrPort) {
	return server.RemoteAddr().(*net.TCPAddr).AddrPort(), server.LocalAddr().(*net.TCPAddr).AddrPort()
}

// asMine makes the test's program say what Mine says of a connection of its own.
const asMine = "MEMOIR_TEST_MINE"

// TestMine: an open connection of this user is this user's. One that its program has closed
// while words are on their way is nobody's, also where this user is root, whose number the
// kernel gives such sockets.
func TestMine(t *testing.T) {
	for network, address := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"} {
		t.Run(network, func(t *testing.T) {
			client, server := pair(t, network, address)
			remote, local := ends(server)
			if got, want := httpapi.Mine(remote, local), os.Getuid() != 65534; got != want {
				t.Fatalf("an open connection is mine: %v", got)
			}
			if os.Getenv(asMine) != "" {
				return
			}
			if httpapi.Mine(local, netip.AddrPortFrom(remote.Addr(), remote.Port()+1)) {
				t.Error("a connection that is not there is mine")
			}
			if err := client.(*net.TCPConn).SetWriteBuffer(1 << 20); err != nil {
				t.Fatal(err)
			}
			raw, err := client.(*net.TCPConn).SyscallConn()
			if err != nil {
				t.Fatal(err)
			}
			// More than the other end takes, so that the end of it waits.
			if err := raw.Write(func(fd uintptr) bool {
				for {
					if _, err := syscall.Write(int(fd), make([]byte, 1<<16)); err != nil {
						return true
					}
				}
			}); err != nil {
				t.Fatal(err)
			}
			if err := client.Close(); err != nil {
				t.Fatal(err)
			}
			if httpapi.Mine(remote, local) {
				t.Error("a connection that its program has closed is mine")
			}
		})
	}
}

// TestMineUnmapped: for a user whose number stands for all users without one, nothing is mine.
func TestMineUnmapped(t *testing.T) {
	if os.Getuid() != 0 {
		return // only root can be another user
	}
	for _, uid := range []uint32{65534, 65533} { // TestMine knows what each expects
		cmd := exec.Command("/proc/self/exe", "-test.run", "^TestMine$")
		cmd.Env, cmd.Dir = append(os.Environ(), asMine+"=1"), "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("as %d: %v\n%s", uid, err, out)
		}
	}
}

// TestMineOther: a connection of another user is not mine.
func TestMineOther(t *testing.T) {
	if to := os.Getenv(asMine); to != "" {
		conn, err := net.Dial("tcp4", to)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Read(make([]byte, 1)) // until the other end has looked
		return
	}
	if os.Getuid() != 0 {
		return
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd := exec.Command("/proc/self/exe", "-test.run", "^TestMineOther$")
	cmd.Env, cmd.Dir = append(os.Environ(), asMine+"="+l.Addr().String()), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65533, Gid: 65533}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if httpapi.Mine(ends(conn)) {
		t.Error("another user's connection is mine")
	}
	conn.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
