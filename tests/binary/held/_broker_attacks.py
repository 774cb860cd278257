"""What programs do with names that they are denied. Each line says what came of one deed: its name and `ok` or the error."""
import ctypes, errno, os, signal, socket, subprocess, sys, tempfile, threading, time

libc = ctypes.CDLL(None, use_errno=True)
NR = {"x86_64": dict(openat=257, openat2=437, renameat2=316, linkat=265, mkdirat=258),
      "aarch64": dict(openat=56, openat2=437, renameat2=276, linkat=37, mkdirat=34)}[os.uname().machine]
CWD = -100


def call(name, *words):
    result = libc.syscall(NR[name], *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def tried(name, deed):
    try:
        deed()
        said = "ok"
    except OSError as error:
        said = errno.errorcode.get(error.errno, str(error.errno))
    print(name, said, flush=True)


def write(path):
    with open(path, "w") as file:
        file.write("changed\n")


def read(path):
    with open(path) as file:
        return file.read()


def at(path, name):
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return os.open(name, os.O_RDONLY, dir_fd=folder)
    finally:
        os.close(folder)


def makes_folder_of(name):
    os.mkdir("moving")
    os.mkdir("moving/inner")
    write("moving/inner/plain")
    os.rename("moving", name)


def kept_open():
    """What was opened before stays what it was when it has another name."""
    write("kept")
    held = os.open("kept", os.O_RDWR)
    os.rename("kept", "kept2")
    os.write(held, b"more")
    os.ftruncate(held, 2)
    os.close(held)
    os.unlink("kept2")


def in_other_folder():
    os.mkdir("into")
    here = os.open(".", os.O_RDONLY)
    os.chdir("into")
    try:
        write("../sub/up")
        write("./here")
        os.rename("here", "../sub/../there")
    finally:
        os.fchdir(here)
        os.close(here)
    os.unlink("there")
    os.unlink("sub/up")
    os.rmdir("into")


def page_end():
    """A name that ends where the memory does."""
    import mmap
    area = mmap.mmap(-1, 8192)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    libc.mprotect(ctypes.c_void_p(start + 4096), 4096, 0)
    name = b"edge\0"
    ctypes.memmove(start + 4096 - len(name), name, len(name))
    os.close(call("openat", CWD, ctypes.c_void_p(start + 4096 - len(name)), os.O_WRONLY | os.O_CREAT, 0o600))
    os.unlink("edge")


def masked():
    os.umask(0o077)
    write("private")
    os.mkdir("privately")
    os.umask(0)
    write("public")
    os.mkdir("publicly")
    modes = [os.stat(name).st_mode & 0o777 for name in ("private", "privately", "public", "publicly")]
    os.umask(0o022)
    for name in ("private", "public"):
        os.unlink(name)
    for name in ("privately", "publicly"):
        os.rmdir(name)
    if modes != [0o600, 0o700, 0o666, 0o777]:
        raise OSError(errno.EIO, str(modes))


ODD = [b"caf\xe9", b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xed\xb3\xbf", b"\xc0\xae", b"\xf4\x90\x80\x80", b"g\xc3\xbcn\xe9\n\"'"]


def odd_names():
    """Names that are no UTF-8: each is what it is to all that can be done with it, and none is another."""
    for name in ODD:
        with open(name, "xb") as file:
            file.write(name)
    for name in ODD:
        with open(name, "rb") as file:
            assert file.read() == name
    assert set(ODD) <= set(os.listdir(b"."))
    for name in ODD:
        os.chmod(name, 0o600)
        os.utime(name, (1, 1))
        os.truncate(name, 1)
        os.link(name, name + b"-link")
        os.symlink(name + b"-link", name + b"-sign")
        with open(name + b"-sign", "ab") as file:
            file.write(b"more")
        os.rename(name, name + b"-new")
        assert os.stat(name + b"-new")[8:9] != (1,) and os.path.getsize(name + b"-new") == 5
        os.mkdir(name)
        with open(name + b"/" + name, "xb"):
            pass
        here = os.open(b".", os.O_RDONLY)
        os.chdir(name)
        try:
            assert os.getcwdb().endswith(b"/" + name)
            os.rename(name, b"plain")
            os.unlink(b"../" + name + b"/plain")
        finally:
            os.fchdir(here)
            os.close(here)
        os.rename(name, name + b"-folder")
        os.rmdir(name + b"-folder")
        for end in (b"-new", b"-link", b"-sign"):
            os.unlink(name + end)
    assert not set(ODD) & set(os.listdir(b"."))


def odd_socket(path):
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as other:
        one.bind(path)
        one.listen()
        other.connect(path)
    os.unlink(path)


def names():
    for name, deed in {
        # What an honest day takes.
        "odd names": odd_names,
        "odd socket": lambda: odd_socket(b"s\xe9"),
        "make": lambda: write("new"),
        "append": lambda: os.close(os.open("new", os.O_WRONLY | os.O_APPEND)),
        "read": lambda: read("new"),
        "rename": lambda: os.rename("new", "newer"),
        "replace": lambda: (write("new"), os.replace("new", "newer")),
        "link": lambda: os.link("newer", "second"),
        "symlink": lambda: os.symlink("newer", "sign"),
        "follow": lambda: write("sign"),
        "truncate": lambda: os.truncate("sign", 1),
        "remove": lambda: [os.unlink(one) for one in ("newer", "second", "sign")],
        "folder": lambda: os.makedirs("deep/er"),
        "list": lambda: os.listdir("deep"),
        "in folder": lambda: write("deep/er/file"),
        "read in folder": lambda: read("deep/er/file"),
        "move folder": lambda: os.rename("deep", "deeper"),
        "read moved": lambda: read("deeper/er/file"),
        "remove folder": lambda: (os.unlink("deeper/er/file"), os.rmdir("deeper/er"), os.rmdir("deeper")),
        "fifo": lambda: (os.mkfifo("fifo"), os.unlink("fifo")),
        "kept open": kept_open,
        "other folder": in_other_folder,
        "page end": page_end,
        "masks": masked,
        "nothing there": lambda: os.unlink("nothing"),
        "there already": lambda: os.mkdir("sub"),
        "exclusive": lambda: os.open("a.txt", os.O_WRONLY | os.O_CREAT | os.O_EXCL),
        "is a folder": lambda: write("sub"),
        "not empty": lambda: os.rmdir("sub"),
        "no folder": lambda: write("a.txt/x"),
        "circle": lambda: (os.symlink("circle", "circle"), read("circle")),
        "circle written": lambda: write("circle"),
        # What nobody may.
        "read denied": lambda: read(".env"),
        "write denied": lambda: write(".env"),
        "make denied": lambda: write("sub/.env"),
        "make denied elsewhere": lambda: write("plain/.env"),
        "remove denied": lambda: os.unlink(".env"),
        "truncate denied": lambda: os.truncate(".env", 0),
        "move denied": lambda: os.rename(".env", "taken"),
        "move onto denied": lambda: (write("mine"), os.rename("mine", ".env")),
        "exchange denied": lambda: call("renameat2", CWD, b"mine", CWD, b".env", 2),
        "link denied": lambda: os.link(".env", "taken"),
        "link as denied": lambda: os.link("mine", "plain/.env"),
        "symlink as denied": lambda: os.symlink("mine", "plain/.env"),
        "folder as denied": lambda: os.mkdir("plain/.env"),
        "fifo as denied": lambda: os.mkfifo("plain/.env"),
        "read by link": lambda: (os.symlink(".env", "sign"), read("sign")),
        "write by link": lambda: write("sign"),
        "link by link": lambda: call("linkat", CWD, b"sign", CWD, b"taken", 0x400),
        "read by folder link": lambda: (os.symlink(".", "around"), read("around/.env")),
        "make by folder link": lambda: write("around/plain/.env"),
        "dangling": lambda: (os.symlink(".env", "plain/dangling"), write("plain/dangling")),
        "read by descriptor": lambda: at(".", ".env"),
        "read by dots": lambda: read("sub/../.env"),
        "read by proc": lambda: read("/proc/self/cwd/.env"),
        "write by proc": lambda: write("/proc/self/cwd/.env"),
        "make by root": lambda: write("/proc/self/root" + os.getcwd() + "/plain/.env"),
        "reopen": lambda: os.open("/proc/self/fd/%d" % os.open(".env", os.O_PATH), os.O_RDONLY),
        "openat2": lambda: call("openat2", CWD, b".env", (ctypes.c_uint64 * 3)(0, 0, 0), 24),
        "nameless": lambda: os.open("plain", os.O_WRONLY | os.O_TMPFILE, 0o600),
        "in denied folder": lambda: write("secrets/new"),
        "read denied folder": lambda: read("secrets/key"),
        "list denied folder": lambda: os.listdir("secrets"),
        "move denied folder": lambda: os.rename("secrets", "open"),
        "move into denied": lambda: os.rename("mine", "secrets/mine"),
        "move around denied": lambda: os.rename("holds", "held"),
        "move as denied": lambda: makes_folder_of(".env"),
        "make an ending": lambda: write("plain/a.exe"),
        "move to an ending": lambda: os.rename("mine", "a.exe"),
        "write protected": lambda: write("pinned/file"),
        "link protected": lambda: os.link("pinned/file", "taken"),
        "outside": lambda: write("../outside/sentinel.txt"),
        "make outside": lambda: write("../outside/new"),
        "move outside": lambda: os.rename("mine", "../outside/new"),
        "link outside": lambda: os.link("../outside/sentinel.txt", "taken"),
        "move in": lambda: (write(tempfile.gettempdir() + "/mine"), os.rename(tempfile.gettempdir() + "/mine", "in")),
        "move out": lambda: os.rename("mine", tempfile.gettempdir() + "/mine"),
        "link denied out": lambda: os.link(".env", tempfile.gettempdir() + "/mine"),
        "link as denied in": lambda: os.link(tempfile.gettempdir() + "/mine", "plain/.env"),
        "make odd": lambda: write(b"plain/\xff.key"),
        "make odd by its bytes": lambda: write(b"plain/k\xe9y"),
        "make cut short": lambda: write(b"plain/\xe2\x82.key"),
        "make two of": lambda: write(b"plain/\xe2\x82.two"),
        "make half a pair": lambda: write(b"plain/\xed\xa0\x80.key"),
        "make an odd ending": lambda: write(b"plain/\xff.exe"),
        "read odd": lambda: read(b"odd/\xff.key"),
        "write odd": lambda: write(b"odd/\xff.key"),
        "truncate odd": lambda: os.truncate(b"odd/\xff.key", 0),
        "mode of odd": lambda: os.chmod(b"odd/\xff.key", 0o777),
        "move onto odd": lambda: (write("mine"), os.rename(b"mine", b"plain/\xe9.key")),
        "exchange odd": lambda: [call("renameat2", CWD, b"mine", CWD, b"odd/\xff.key", 2) for _ in range(2)],
        "link odd": lambda: os.link(b"odd/\xff.key", "taken"),
        "link as odd": lambda: os.link(b"a.txt", b"plain/\xfe.key"),
        "symlink as odd": lambda: os.symlink(b"mine", b"plain/\xfd.key"),
        "folder as odd": lambda: os.mkdir(b"plain/\xfc.key"),
        "fifo as odd": lambda: os.mkfifo(b"plain/\xfb.key"),
        "socket as odd": lambda: socket.socket(socket.AF_UNIX).bind(b"plain/\xfa.key"),
        "read by odd link": lambda: (os.symlink(b"odd/\xff.key", b"\xfe"), read(b"\xfe")),
        "denied in odd folder": lambda: (os.mkdir(b"\xfc"), write(b"\xfc/.env")),
        "denied by odd folder": lambda: read(b"\xfc/../.env"),
        "move odd": lambda: (os.rename(b"odd/\xff.key", "taken"), os.rename("taken", b"odd/\xff.key")),
        "move around odd": lambda: (os.rename("odd", b"\xf6dd"), os.rename(b"\xf6dd", "odd")),
        "remove odd": lambda: os.unlink(b"odd/\xff.key"),
        "long name": lambda: write("n" * 300),
        "long path": lambda: write("sub/" + "../sub/" * 700 + "x"),
        "no address": lambda: call("openat", CWD, ctypes.c_void_p(8), os.O_WRONLY | os.O_CREAT, 0o600),
        "no directory": lambda: call("openat", 999, b"x", os.O_WRONLY | os.O_CREAT, 0o600),
        "empty": lambda: call("openat", CWD, b"", os.O_WRONLY | os.O_CREAT, 0o600),
    }.items():
        tried(name, deed)


def rounds(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield


def race():
    """Names and descriptors that are another when they are looked at again, by a thread of the same program."""
    word = ctypes.create_string_buffer(b"plain/open", 16)
    going = True

    def flip():
        while going:
            ctypes.memmove(word, b"plain/.env", 10)
            ctypes.memmove(word, b"plain/open", 10)

    where = os.open("plain", os.O_RDONLY)
    folders = [os.open(name, os.O_RDONLY) for name in ("plain", "holds")]

    def change():
        while going:
            for folder in folders:
                os.dup2(folder, where)

    threads = [threading.Thread(target=one) for one in (flip, change)]
    for one in threads:
        one.start()
    went = taken = 0
    until = time.monotonic() + float(sys.argv[2])
    # On a busy machine nothing may have come of it by then.
    while time.monotonic() < until or not went:
        for deed in (
            lambda: os.close(call("openat", CWD, word, os.O_WRONLY | os.O_CREAT, 0o600)),
            lambda: call("renameat2", CWD, b"plain/other", CWD, word, 0),
            lambda: call("linkat", CWD, b"a.txt", CWD, word, 0),
            lambda: call("mkdirat", CWD, word, 0o700),
        ):
            try:
                deed()
                went += 1
            except OSError:
                pass
            for name in ("plain/open", "plain/other"):
                try:
                    os.unlink(name)
                except IsADirectoryError:
                    os.rmdir(name)
                except OSError:
                    pass
            write("plain/other")
        # The same for what is read: by a name that changes, from a folder that does.
        for deed in (
            lambda: call("openat", CWD, word, os.O_RDONLY, 0),
            lambda: call("openat", where, b".env", os.O_RDONLY, 0),
        ):
            try:
                held = deed()
                taken += b"secret" in os.read(held, 100)
                os.close(held)
            except OSError:
                pass
        taken += os.path.lexists("plain/.env")
        # Where nobody holds it, it need not go on once it has succeeded.
        if "once" in sys.argv and went and taken:
            break
    going = False
    for one in threads:
        one.join()
    print("went", went > 0, "taken", taken)


def restless():
    """Many at once, that fork, are stopped, and are killed in the middle of what they ask."""
    children = []

    def work(number):
        count = 0
        while True:
            count += 1
            name = "sub/r%d" % number
            write(name)
            os.rename(name, name + "x")
            os.unlink(name + "x")
            if count % 20 == 0 and os.fork() == 0:
                write(name + "f")
                os.unlink(name + "f")
                os._exit(0)

    for _ in rounds(float(sys.argv[2])):
        number = len(children)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            work(number)
        children.append(child)
        time.sleep(0.002)
        os.kill(child, signal.SIGSTOP)
        # A child that shares its parent's memory until it has begun, which a name of ours is made for meanwhile.
        subprocess.run(["/bin/sh", "-c", ": > sub/shell"], check=True)
        os.kill(child, signal.SIGKILL if number % 2 else signal.SIGCONT)
        if number > 3:
            os.kill(children[number - 3], signal.SIGKILL)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print("restless", len(children) > 0)


def frozen():
    """Ends while those that it started are stopped, each wherever it was in asking."""
    children = []
    for number in range(12):
        child = os.fork()
        if child == 0:
            name = "sub/frozen%d" % number
            while True:
                write(name)
                os.mkdir(name + "d")
                os.rmdir(name + "d")
        children.append(child)
    while not all(os.path.exists("sub/frozen%d" % number) for number in range(12)):
        pass
    for child in children:
        os.kill(child, signal.SIGSTOP)
    print("frozen", len(children))


def flood():
    """Asks as fast as it can until it is told to end."""
    for _ in range(3):
        if os.fork() == 0:
            break
    while not os.path.exists("stop"):
        try:
            os.close(os.open("sub/flood", os.O_WRONLY | os.O_CREAT))
        except OSError:
            pass
    print("flooded")


def processes():
    """What it sees of itself, of what it started, and of others; and memory that it shares with what it started."""
    child = subprocess.Popen(["sleep", "60"])
    shared = "/dev/shm/" + os.path.basename(os.path.dirname(os.getcwd()))
    parent = os.getppid()
    try:
        for name, deed in {
            "own stat": lambda: read("/proc/self/stat").index(str(os.getpid())),
            "own maps": lambda: read("/proc/self/maps").index("python"),
            "own status": lambda: read("/proc/%d/status" % os.getpid()),
            "own thread": lambda: read("/proc/thread-self/comm"),
            "own files": lambda: os.listdir("/proc/self/fd"),
            "child": lambda: read("/proc/%d/stat" % child.pid).index(str(child.pid)),
            "shared": shares,
            "shared name": lambda: (write(shared), read(shared)),
            "first": lambda: read("/proc/1/cmdline"),
            "parent": lambda: read("/proc/%d/cmdline" % parent),
            "parent's files": lambda: os.listdir("/proc/%d/fd" % parent),
            "parent by thread": lambda: read("/proc/%d/task/%d/stat" % (parent, parent)),
            "parent by dots": lambda: read("/proc/self/../%d/cmdline" % parent),
            "all": lambda: os.listdir("/proc"),
            "memory": lambda: os.open("/proc/self/mem", os.O_RDONLY),
            "child's memory": lambda: os.open("/proc/%d/mem" % child.pid, os.O_RDONLY),
            "sockets": lambda: read("/proc/self/net/tcp"),
            "written": lambda: write("/proc/self/comm"),
            "by a folder": lambda: at("/proc/self", "net/tcp"),
            "shared outside": lambda: write("/dev/shm/../shm/" + os.path.basename(shared)),
            "shared by link": lambda: (os.symlink(os.getcwd() + "/.env", shared + "-sign"), read(shared + "-sign")),
        }.items():
            tried(name, deed)
    finally:
        child.kill()
        child.wait()


def shares():
    import multiprocessing
    lock = multiprocessing.Lock()
    value = multiprocessing.Value("i", 0)

    def add():
        with lock:
            value.value += 1

    several = [multiprocessing.Process(target=add) for _ in range(2)]
    for one in several:
        one.start()
    for one in several:
        one.join()
    if value.value != 2:
        raise OSError(errno.EIO, str(value.value))


DEEDS = [names, processes, race, restless, frozen, flood]
{deed.__name__: deed for deed in DEEDS}[sys.argv[1]]()
