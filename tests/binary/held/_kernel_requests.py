"""What programs ask of the kernel that no rule for files is asked about. Each line: what was tried, and what came of it."""
import array, ctypes, errno, fcntl, mmap, os, resource, signal, socket, sys, threading, time

libc = ctypes.CDLL(None, use_errno=True)
ADD_WATCH, VMSPLICE = (254, 278) if os.uname().machine == "x86_64" else (27, 75)
DONT_FOLLOW = 0x02000000
ALL_EVENTS = 0xfff
OUTSIDE = os.path.abspath("../outside")


def call(number, *words):
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def say(what, deed):
    try:
        deed()
        print(what, "ok", flush=True)
    except OSError as error:
        print(what, errno.errorcode.get(error.errno, error.errno), flush=True)


class Watcher:
    def __init__(self):
        self.descriptor = libc.inotify_init1(0)

    def add(self, path, mask=ALL_EVENTS):
        return call(ADD_WATCH, self.descriptor, ctypes.c_char_p(path.encode()), mask)


def watch_attacks():
    watcher = Watcher()
    os.symlink(OUTSIDE, "link")
    os.symlink("link", "link to link")
    os.symlink(".env", "plain name")
    places = {
        "folder": OUTSIDE, "file": OUTSIDE + "/sentinel.txt", "up": "../outside", "root": "/",
        "system": "/etc", "link": "link", "links": "link to link", "over": "link/sentinel.txt", "denied": ".env",
        "denied link": "plain name", "denied folder": "closed", "in it": "closed/file", "process": "/proc/1",
        "own process": "/proc/self/status", "shared": "/dev/shm",
    }
    for what, path in places.items():
        say("watch " + what, lambda: watcher.add(path))
    for what, path in (("place", OUTSIDE), ("denied place", ".env")):
        held = os.open(path, os.O_PATH)
        say("watch " + what, lambda: watcher.add(f"/proc/self/fd/{held}"))
    home = os.open(".", os.O_RDONLY)
    os.chdir(OUTSIDE)
    say("watch from outside", lambda: watcher.add("."))
    say("watch file from outside", lambda: watcher.add("sentinel.txt"))
    os.fchdir(home)


def watch_race(seconds):
    """How many folders are watched by a name that leads inside and outside in turns: each has a number of its own."""
    os.mkdir("inside")
    for name, target in (("to inside", "inside"), ("to outside", OUTSIDE)):
        os.symlink(target, name)
    os.symlink("inside", "flips")
    stopped = []

    def flip():
        while not stopped:
            for target in ("inside", OUTSIDE):
                os.symlink(target, "next")
                os.rename("next", "flips")

    thread = threading.Thread(target=flip)
    thread.start()
    watcher, numbers = Watcher(), set()
    until = time.monotonic() + seconds
    while (time.monotonic() < until or not numbers) and len(numbers) < 2:
        try:
            numbers.add(watcher.add("flips"))
        except OSError:
            pass
    stopped.append(True)
    thread.join()
    print("watched", len(numbers))


def watch_honestly():
    watcher = Watcher()
    os.mkdir("sub")
    os.symlink("sub", "to sub")
    temporary = os.environ["TMPDIR"]
    for what, path, mask in (
        ("folder", "sub", ALL_EVENTS), ("file", "a.txt", ALL_EVENTS), ("workspace", ".", ALL_EVENTS),
        ("by a link", "to sub", ALL_EVENTS), ("the link itself", "to sub", ALL_EVENTS | DONT_FOLLOW),
        ("temporary", temporary, ALL_EVENTS), ("a slash", "sub/", ALL_EVENTS), ("only a folder", "sub", 0x01000000 | 2),
        ("what is not there", "nothing", ALL_EVENTS), ("no folder", "a.txt", 0x01000000 | 2), ("no events", "sub", 0),
        ("no name", "", ALL_EVENTS),
    ):
        say("watch " + what, lambda: watcher.add(path, mask))
    say("no watcher", lambda: call(ADD_WATCH, 0, ctypes.c_char_p(b"sub"), ALL_EVENTS))
    say("closed", lambda: call(ADD_WATCH, 999, ctypes.c_char_p(b"sub"), ALL_EVENTS))
    say("no memory", lambda: call(ADD_WATCH, watcher.descriptor, 8, ALL_EVENTS))
    events = Watcher()
    events.add("sub")
    with open("sub/made", "w") as file:
        file.write("x")
    print("seen", b"made" in os.read(events.descriptor, 4096))


def holding():
    """What holds others up, or shows them: leases, and what a pidfd tells."""
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    descriptor = os.open("a.txt", os.O_RDWR)
    for what, kind in (("read", fcntl.F_RDLCK), ("write", fcntl.F_WRLCK)):
        reading = os.open("b.txt", os.O_RDONLY)
        say(f"lease to {what}", lambda: fcntl.fcntl(reading if what == "read" else descriptor, fcntl.F_SETLEASE, kind))
    pidfd = os.pidfd_open(os.getppid())
    # PIDFD_GET_INFO, since Linux 6.13
    say("look by pidfd", lambda: fcntl.ioctl(pidfd, 0xc040ff0b, (1 << 64 - 1).to_bytes(8, "little") + bytes(56)))
    # Of memory that no process has: struct iovec of one byte.
    byte = ctypes.create_string_buffer(1)
    vector = (ctypes.c_uint64 * 2)(ctypes.addressof(byte), 1)
    say("memory in a pipe", lambda: call(VMSPLICE, os.pipe()[1], vector, 1, 0))
    # What programs do ask.
    say("duplicate", lambda: os.close(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 50)))
    say("flags", lambda: fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND))
    say("lock", lambda: fcntl.lockf(descriptor, fcntl.LOCK_EX))
    left = ctypes.c_int()
    say("left to read", lambda: fcntl.ioctl(os.pipe()[0], 0x541b, left))
    print("end", flush=True)


# Calls by their numbers, and how many words come before the process that they ask for.
LOOKS = {
    "getpgid": ((121, 155), 0), "getsid": ((124, 156), 0), "getpriority": ((140, 141), 1), "ioprio_get": ((252, 31), 1),
    "sched_getaffinity": ((204, 123), 0), "sched_getattr": ((315, 275), 0), "sched_getparam": ((143, 121), 0),
    "sched_getscheduler": ((145, 120), 0), "sched_rr_get_interval": ((148, 127), 0),
}


def look_at(process, which):
    """What is told of a process, by every call that tells of it: the names of those that do."""
    buffer, told = ctypes.create_string_buffer(256), []
    # Of groups and users two calls tell.
    asked = {name: how for name, how in LOOKS.items() if which == 0 or how[1] == 1}
    for name, (numbers, before) in asked.items():
        number = numbers[0 if os.uname().machine == "x86_64" else 1]
        behind = {"sched_getaffinity": [128, buffer], "sched_getattr": [buffer, 48, 0]}.get(name, [buffer])
        first = [which + (name == "ioprio_get")] if before else []
        try:
            call(number, *first, process, *behind)
            told.append(name)
        except OSError:
            pass
    return f"{len(told)} of {len(asked)}"


def looks(others):
    """Of others by their numbers; then of the program itself, its thread, its child, its child's group, and one that has ended."""
    for what, process in (("parent", os.getppid()), ("first", 1), *((f"other {at}", int(one)) for at, one in enumerate(others))):
        print(what, look_at(process, 0), flush=True)
    print("other's group", look_at(os.getppid(), 1))
    print("all of the user", look_at(os.geteuid(), 2))
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        time.sleep(60)
        os._exit(0)
    while os.getpgid(child) != child:
        time.sleep(0.01)
    thread = threading.Thread(target=lambda: print("thread", look_at(threading.get_native_id(), 0)))
    thread.start()
    thread.join()
    print("itself", look_at(0, 0), look_at(os.getpid(), 0))
    print("child", look_at(child, 0), look_at(child, 1))
    os.killpg(os.getpgid(child), signal.SIGKILL)
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT) is None:
        pass
    print("ended", os.getpgid(child) == child)
    os.wait()


def page_tables(megabytes, seconds):
    """Looks at one page in each 2 MiB: that takes as many pages of page tables, and no other memory."""
    step, count = 1 << 21, megabytes * 256
    flags = mmap.MAP_PRIVATE | 0x4000  # MAP_NORESERVE
    room = mmap.mmap(-1, step * count, flags=flags | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
    for at in range(count):
        room[at * step]
    print("taken", flush=True)
    time.sleep(seconds)
    print("kept")


def in_pipes(how, megabytes, seconds):
    """Writes into pipes that nobody reads: `how` they are kept."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    pages, kept, flying, written = bytes(1 << 16), [], [], 0
    carrier, carried = socket.socketpair()
    while written < megabytes << 20:
        read, write = os.pipe2(os.O_NONBLOCK)
        if how == "wide":
            try:
                fcntl.fcntl(write, 1031, 1 << 20)  # F_SETPIPE_SZ
            except OSError:
                pass
        try:
            while True:
                written += os.write(write, pages)
        except BlockingIOError:
            pass
        os.close(write)
        if how == "in flight":
            flying.append(read)
            if len(flying) == 100:
                carrier.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", flying))])
                while flying:
                    os.close(flying.pop())
        else:
            kept.append(read)
    print("taken", flush=True)
    time.sleep(seconds)
    print("kept", bool(kept or flying or carried))


def opened(count, seconds):
    """Has so many things open, each of which takes the kernel some memory; a process for each 10,000 of them."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    children = []
    for at in range(0, count, 10_000):
        done, said = os.pipe()
        child = os.fork()
        if child == 0:
            kept = [os.eventfd(0) for _ in range(min(count - at, 10_000))]
            os.write(said, b"x")
            time.sleep(seconds)
            os._exit(0 if kept else 1)
        os.read(done, 1)
        children.append(child)
    print("taken", flush=True)
    print("kept", all(os.waitpid(child, 0)[1] == 0 for child in children))


def end_first_thread():
    """What other threads do goes on; the kernel shows the process as a zombie from then on."""
    exit_of_thread = 60 if os.uname().machine == "x86_64" else 93
    ctypes.CDLL(None).syscall(exit_of_thread, 0)


def headless(megabytes, seconds):
    """Takes memory when its first thread has ended."""
    def take():
        while open(f"/proc/self/task/{os.getpid()}/stat").read().rsplit(")", 1)[1].split()[0] != "Z":
            time.sleep(0.01)
        kept = b"x" * (megabytes << 20)
        print("taken", flush=True)
        time.sleep(seconds)
        print("kept", bool(kept), flush=True)
        os._exit(0)
    threading.Thread(target=take).start()
    end_first_thread()


def hide_open_files():
    """A thread with descriptors of its own: those of a process are shown by its first thread."""
    libc = ctypes.CDLL(None, use_errno=True)
    ways = {"unshare": lambda: libc.unshare(0x400), "close_range": lambda: libc.syscall(436, 1000, 1001, 2)}
    for name, way in ways.items():
        def hide():
            done = way() == 0
            opened = str(os.eventfd(0))
            print(name, done, "shown" if opened in os.listdir(f"/proc/{os.getpid()}/fd") else "hidden", flush=True)
        thread = threading.Thread(target=hide)
        thread.start()
        thread.join()


def leave_headless():
    """Leaves a process in a session of its own whose first thread has ended, and says its number."""
    done, said = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() > 0:
            os._exit(0)
        os.write(said, str(os.getpid()).encode())
        for descriptor in range(said + 1):
            os.close(descriptor)
        threading.Thread(target=time.sleep, args=(600,)).start()
        end_first_thread()
    print(os.read(done, 32).decode(), flush=True)


def kept_by_kernel():
    """What is nobody's memory: tables of futexes, sets of rules; and what only tells of a file by its name."""
    # PR_FUTEX_HASH with PR_FUTEX_HASH_SET_SLOTS
    say("table of futexes", lambda: call(157 if os.uname().machine == "x86_64" else 167, 78, 1, 1 << 16, 0, 0))
    rights = (ctypes.c_uint64 * 3)(1, 0, 0)
    say("rules", lambda: call(444, rights, 8, 0))
    told = ctypes.create_string_buffer(24)
    say("look by name", lambda: call(468, -100, ctypes.c_char_p((OUTSIDE + "/sentinel.txt").encode()), told, 24, 0))
    # PR_SET_NAME, PR_GET_NAME
    say("name", lambda: call(157 if os.uname().machine == "x86_64" else 167, 15, ctypes.c_char_p(b"name"), 0, 0, 0))


def leave_ended(count, seconds):
    """Starts what ends at once, and waits for none."""
    started = 0
    try:
        while started < count:
            if os.fork() == 0:
                os._exit(0)
            started += 1
    except BlockingIOError:
        pass
    print("started", started, flush=True)
    time.sleep(seconds)
    print("kept", flush=True)


def fill(one):
    """What it sends until nobody takes more."""
    one.setblocking(False)
    sent = 0
    try:
        while True:
            sent += one.send(bytes(1 << 16))
    except BlockingIOError:
        return sent


def in_sockets(how, megabytes, seconds):
    """Sends without anybody who reads; `how` what is sent is kept."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    kept, flying, sent = [], [], 0
    carrier, carried = socket.socketpair()
    server = socket.socket() if how == "internet" else None
    if server is not None:
        server.bind(("127.0.0.1", 0))
        server.listen(1000)
    while sent < megabytes << 20:
        if server is not None:
            one = socket.create_connection(server.getsockname())
            other = server.accept()[0]
        else:
            one, other = socket.socketpair()
        # What waits for one that is closed is gone with it.
        sent += fill(one) + (0 if how == "left" else fill(other))
        if how == "left":
            one.close()
            kept.append(other)
        elif how == "in flight":
            flying += [one, other]
            if len(flying) == 200:
                numbers = array.array("i", [end.fileno() for end in flying])
                carrier.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])
                while flying:
                    flying.pop().close()
        else:
            kept += [one, other]
    print("taken", flush=True)
    time.sleep(seconds)
    print("kept", bool(kept or flying or carried))


{
    "sockets": lambda: in_sockets(sys.argv[2], int(sys.argv[3]), float(sys.argv[4])),
    "watch": watch_attacks, "race": lambda: watch_race(float(sys.argv[2])), "honest": watch_honestly, "hold": holding,
    "pipes": lambda: in_pipes(sys.argv[2], int(sys.argv[3]), float(sys.argv[4])),
    "opened": lambda: opened(int(sys.argv[2]), float(sys.argv[3])),
    "looks": lambda: looks(sys.argv[2:]),
    "headless": lambda: headless(int(sys.argv[2]), float(sys.argv[3])), "leave headless": leave_headless,
    "hide": hide_open_files, "kernel": kept_by_kernel,
    "ended": lambda: leave_ended(int(sys.argv[2]), float(sys.argv[3])),
    "tables": lambda: page_tables(int(sys.argv[2]), float(sys.argv[3])),
}[sys.argv[1]]()
