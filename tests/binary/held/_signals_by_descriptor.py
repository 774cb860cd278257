"""Ways to a signal that is sent by no call that sends signals: to each process of `argv` by one of them, in their order."""
import ctypes, fcntl, os, signal, socket, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
# F_SETSIG, F_SETOWN, F_SETOWN_EX with F_OWNER_TID, F_NOTIFY with DN_MULTISHOT, DN_CREATE and DN_MODIFY (asm-generic/fcntl.h)
F_SETSIG, F_SETOWN, F_SETOWN_EX, F_OWNER_TID, F_NOTIFY, CHANGES = 10, 8, 15, 0, 1026, 0x80000006
# FIOSETOWN, SIOCSPGRP (asm-generic/sockios.h)
FIOSETOWN, SIOCSPGRP = 0x8901, 0x8902
# pidfd_open, pidfd_send_signal; PIDFD_THREAD, PIDFD_SIGNAL_THREAD, PIDFD_SIGNAL_THREAD_GROUP, PIDFD_SIGNAL_PROCESS_GROUP
OPEN, SEND, THREAD = 434, 424, os.O_EXCL
kept = []


def ready(read, write, own):
    """Who owns the end for reading is told by SIGKILL that there is something to read."""
    kept.extend((read, write))
    fcntl.fcntl(read, F_SETSIG, signal.SIGKILL)
    own(read)
    fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
    os.write(write, b"x")


def pair():
    return tuple(end.detach() for end in socket.socketpair())


def by_request(request):
    return lambda one: ready(*pair(), lambda end: fcntl.ioctl(end, request, struct.pack("i", one)))


def by_child(one):
    child = os.fork()
    if child == 0:
        os.setsid()
        ready(*pair(), lambda end: fcntl.fcntl(end, F_SETOWN, one))
        os._exit(0)
    os.wait()


def by_change(one):
    folder = os.open(".", os.O_RDONLY)
    fcntl.fcntl(folder, F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(folder, F_SETOWN, one)
    fcntl.fcntl(folder, F_NOTIFY, CHANGES)
    with open("changed", "w") as file:
        file.write("x")


def by_process(open_flags, send_flags):
    def send(one):
        process = libc.syscall(OPEN, one, open_flags)
        libc.syscall(SEND, process, int(signal.SIGKILL), None, send_flags)
    return send


WAYS = (
    lambda one: ready(*pair(), lambda end: fcntl.fcntl(end, F_SETOWN, one)),
    lambda one: ready(*pair(), lambda end: fcntl.fcntl(end, F_SETOWN, -one)),
    lambda one: ready(*pair(), lambda end: fcntl.fcntl(end, F_SETOWN_EX, struct.pack("ii", F_OWNER_TID, one))),
    lambda one: ready(*os.pipe(), lambda end: fcntl.fcntl(end, F_SETOWN, one)),
    by_request(FIOSETOWN), by_request(SIOCSPGRP), by_child, by_change,
    by_process(0, 0), by_process(THREAD, 0), by_process(0, 4),
)
for way, one in zip(WAYS, sys.argv[1:]):
    try:
        way(int(one))
    except OSError as error:
        print(error.errno)
print(len(WAYS), "tried")
