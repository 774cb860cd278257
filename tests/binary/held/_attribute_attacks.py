"""Modes, owners, times and attributes by every call that there is. Each line: what was done to what, and what came of it."""
import ctypes, errno, os, subprocess, sys, threading, time

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
NR = (dict(chmod=90, fchmod=91, fchmodat=268, fchmodat2=452, chown=92, lchown=94, fchown=93, fchownat=260, utime=132,
           utimes=235, futimesat=261, utimensat=280, setxattr=188, lsetxattr=189, fsetxattr=190, removexattr=197,
           lremovexattr=198, fremovexattr=199, setxattrat=463, removexattrat=466)
      if X86 else
      dict(fchmod=52, fchmodat=53, fchmodat2=452, fchown=55, fchownat=54, utimensat=88, setxattr=5, lsetxattr=6,
           fsetxattr=7, removexattr=14, lremovexattr=15, fremovexattr=16, setxattrat=463, removexattrat=466))
CWD, NO_FOLLOW, EMPTY = -100, 0x100, 0x1000
ME = os.getuid()


def call(name, *words):
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    if libc.syscall(ctypes.c_long(NR[name]), *words) < 0:
        raise OSError(ctypes.get_errno(), "")


def said(deed):
    try:
        deed()
        return "ok"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))


def moments(kind, *parts):
    return (ctypes.c_int64 * len(parts))(*parts)


SECONDS = moments("utimbuf", 1000, 2000)
MICRO = moments("timeval", 1000, 1, 2000, 2)
NANO = moments("timespec", 1000, 1, 2000, 2)
VALUE = ctypes.create_string_buffer(b"value", 5)


def by_name(path, at):
    """All calls that take a name: of one file, once from its root and once from a folder that is open."""
    name = os.path.basename(path)
    yield "chmod", lambda: call("chmod", path, 0o640)
    yield "fchmodat", lambda: call("fchmodat", at, name, 0o640)
    yield "fchmodat2", lambda: call("fchmodat2", CWD, path, 0o640, NO_FOLLOW)
    yield "chown", lambda: call("chown", path, ME, -1)
    yield "lchown", lambda: call("lchown", path, ME, -1)
    yield "fchownat", lambda: call("fchownat", at, name, ME, -1, NO_FOLLOW)
    yield "utime", lambda: call("utime", path, SECONDS)
    yield "utimes", lambda: call("utimes", path, MICRO)
    yield "futimesat", lambda: call("futimesat", at, name, MICRO)
    yield "utimensat", lambda: call("utimensat", CWD, path, NANO, 0)
    yield "utimensat now", lambda: call("utimensat", at, name, None, 0)
    yield "setxattr", lambda: call("setxattr", path, b"user.a", VALUE, 5, 0)
    yield "removexattr", lambda: call("removexattr", path, b"user.a")
    yield "lsetxattr", lambda: call("lsetxattr", path, b"user.a", VALUE, 5, 0)
    yield "lremovexattr", lambda: call("lremovexattr", path, b"user.a")


def by_descriptor(held):
    path = b"/proc/self/fd/%d" % held
    yield "fchmod", lambda: call("fchmod", held, 0o640)
    yield "chmod by proc", lambda: call("fchmodat", CWD, path, 0o640)
    yield "fchmodat2 empty", lambda: call("fchmodat2", held, b"", 0o640, EMPTY)
    yield "fchown", lambda: call("fchown", held, ME, -1)
    yield "fchownat empty", lambda: call("fchownat", held, b"", ME, -1, EMPTY)
    yield "futimens", lambda: call("utimensat", held, None, NANO, 0)
    yield "futimens now", lambda: call("utimensat", held, None, None, 0)
    yield "utimensat by proc", lambda: call("utimensat", CWD, path, NANO, 0)
    yield "utimensat empty", lambda: call("utimensat", held, b"", NANO, EMPTY)
    yield "fsetxattr", lambda: call("fsetxattr", held, b"user.a", VALUE, 5, 0)
    yield "fremovexattr", lambda: call("fremovexattr", held, b"user.a")
    yield "setxattr by proc", lambda: call("setxattr", path, b"user.a", VALUE, 5, 0)
    yield "removexattr by proc", lambda: call("removexattr", path, b"user.a")


def tell(what, deeds):
    for name, deed in deeds:
        try:
            print(what + ":", name, said(deed), flush=True)
        except KeyError:
            pass


def reading():
    """Attributes by every call that reads them by a name: of others' files, and of those that may be read."""
    value, names = ctypes.create_string_buffer(100), ctypes.create_string_buffer(1000)
    os.symlink("../outside/sentinel.txt", "way")
    os.symlink(".env", "way in")
    outside = os.open("../outside/sentinel.txt", os.O_PATH)
    denied = os.open(".env", os.O_PATH)
    for what, path in {
        "outside": b"../outside/sentinel.txt", "link out": b"way", "denied": b".env", "denied link": b"way in",
        "cwd": b"/proc/self/cwd/.env", "place": b"/proc/self/fd/%d" % outside, "denied place": b"/proc/self/fd/%d" % denied,
        "own": b"a.txt", "own folder": b"sub", "temporary": os.fsencode(os.environ["TMPDIR"]),
    }.items():
        said_of = []
        for name in ("getxattr", "lgetxattr", "getxattr size", "listxattr", "llistxattr", "listxattr size"):
            asked, _, size = name.partition(" ")
            words = [path, b"user.told"] if "get" in asked else [path]
            buffer = value if "get" in asked else names
            try:
                length = read(asked, *words, buffer, 0 if size else len(buffer))
                said_of.append(str(length) if size else repr(buffer.raw[:length]))
            except OSError as error:
                said_of.append(errno.errorcode.get(error.errno, str(error.errno)))
        print(what + ":", *said_of)
    # Errors as the kernel says them.
    for what, words in {
        "short": ("getxattr", b"a.txt", b"user.told", value, 1), "short list": ("listxattr", b"a.txt", names, 1),
        "no such": ("getxattr", b"a.txt", b"user.other", value, 100), "nothing there": ("listxattr", b"nothing", names, 100),
        "no memory": ("getxattr", b"a.txt", b"user.told", ctypes.c_void_p(8), 100),
    }.items():
        print(what + ":", said(lambda: read(*words)))
    print("copied:", subprocess.run(["cp", "-a", "a.txt", "copy"]).returncode, os.getxattr("copy", "user.told"))
    print("listed:", subprocess.run(["ls", "-l", "."], stdout=subprocess.DEVNULL).returncode)


def read(name, *words):
    number = dict(getxattr=(191, 8), lgetxattr=(192, 9), listxattr=(194, 11), llistxattr=(195, 12))[name][not X86]
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    length = libc.syscall(ctypes.c_long(number), *words)
    if length < 0:
        raise OSError(ctypes.get_errno(), "")
    return length


def touched(path):
    """What is seen of what was done, in whole seconds."""
    found = os.stat(path)
    return oct(found.st_mode), int(found.st_mtime)


def target(what, path):
    folder = os.open(os.path.dirname(path) or ".", os.O_PATH | os.O_DIRECTORY)
    tell(what, by_name(os.fsencode(path), folder))
    held = os.open(path, os.O_PATH)
    # Those that take no place are tried with what can be read, where it can.
    tell(what + " place", ((name, deed) for name, deed in by_descriptor(held)))
    try:
        held = os.open(path, os.O_RDONLY)
    except OSError:
        return
    tell(what + " open", by_descriptor(held))


def attacks():
    for what, path in {
        "outside": "../outside/sentinel.txt",
        "outside folder": "../outside",
        "denied": ".env",
        "protected": "pinned/file",
        "protected folder": "pinned",
        "git": ".git/config",
    }.items():
        target(what, path)
    os.symlink("../outside/sentinel.txt", "way out")
    os.symlink(".env", "way in")
    os.symlink("..", "up")
    tell("link out", by_link(b"way out"))
    tell("link in", by_link(b"way in"))
    tell("link up", by_link(b"up/outside/sentinel.txt"))
    tell("dots", by_link(b"sub/../../outside/sentinel.txt"))
    tell("cwd", by_link(b"/proc/self/cwd/.env"))
    tell("root", by_link(b"/proc/self/root" + os.fsencode(os.path.abspath("../outside/sentinel.txt"))))
    tell("system", by_link(b"/usr/bin/env") if "held" in sys.argv else ())


def by_link(path):
    yield "chmod", lambda: call("fchmodat", CWD, path, 0o640)
    yield "chown", lambda: call("fchownat", CWD, path, ME, -1, 0)
    yield "utimensat", lambda: call("utimensat", CWD, path, NANO, 0)
    yield "setxattr", lambda: call("setxattr", path, b"user.a", VALUE, 5, 0)


def honest():
    """What an honest day takes; the last word of each line is `ok` where it came to what it says."""
    def same(path, mode, modified):
        if touched(path) != (oct(0o100000 | mode), modified):
            raise OSError(errno.EIO, "")

    target("own", "a.txt")
    same("a.txt", 0o640, 2000)
    held = os.open("sub/b.txt", os.O_WRONLY)
    tell("own written", by_descriptor(held))
    same("sub/b.txt", 0o640, 2000)
    temporary = os.path.join(os.environ["TMPDIR"], "mine")
    open(temporary, "w").close()
    target("temporary", temporary)
    same(temporary, 0o640, 2000)
    os.unlink("a.txt")
    os.mkdir("folder")
    os.symlink("sub/b.txt", "sign")
    os.setxattr("sub/b.txt", "user.long", b"x" * 4000)
    for name, deed in {
        "folder": lambda: (os.chmod("folder", 0o700), os.utime("folder", (1, 2))),
        "here": lambda: (os.utime(".", (1, 2)), os.chmod(".", 0o755)),
        "slash": lambda: os.chmod("folder/", 0o755),
        "by link": lambda: (os.chmod("sign", 0o600), same("sub/b.txt", 0o600, 2000)),
        "of link": lambda: (os.utime("sign", (3, 4), follow_symlinks=False), same("sub/b.txt", 0o600, 2000)),
        "owner of link": lambda: os.lchown("sign", ME, -1),
        "unnamed": lambda: unnamed(),
        "long value": lambda: os.getxattr("sub/b.txt", "user.long") == b"x" * 4000 or os.abort(),
        "times": lambda: times(same),
        "tools": lambda: subprocess.run(["/bin/sh", "-ec", TOOLS], check=True),
    }.items():
        print(name, said(deed), flush=True)
    for name, deed in {
        "nothing there": lambda: os.chmod("nothing", 0o600),
        "nothing there, slash": lambda: os.chmod("sub/b.txt/", 0o600),
        "no address": lambda: call("fchmodat", CWD, ctypes.c_void_p(8), 0o600),
        "no times": lambda: call("utimensat", CWD, b"sub/b.txt", ctypes.c_void_p(8), 0),
        "odd times": lambda: call("utimensat", CWD, b"sub/b.txt", moments("", 1, 10**10, 1, 1), 0),
        "empty": lambda: call("fchmodat", CWD, b"", 0o600),
        "no descriptor": lambda: call("fchmod", 999, 0o600),
        "odd flags": lambda: call("fchownat", CWD, b"sub/b.txt", ME, -1, 1),
        "mode of link": lambda: call("fchmodat2", CWD, b"sign", 0o600, NO_FOLLOW),
        "long name": lambda: call("setxattr", b"sub/b.txt", b"user." + b"n" * 255, VALUE, 5, 0),
        "odd name": lambda: call("setxattr", b"sub/b.txt", b"nothing", VALUE, 5, 0),
        "no attribute": lambda: call("removexattr", b"sub/b.txt", b"user.none"),
    }.items():
        print("error " + name, said(deed), flush=True)


TOOLS = """
printf '#!/bin/sh\\necho ran\\n' > script; chmod +x script; [ -x script ]
touch -d @5000 script; [ "$(stat -c %Y script)" = 5000 ]
mkdir -p tree/deep; chmod 750 tree; cp script tree/deep; touch -d @7000 tree
tar -cf all.tar tree; mkdir out; tar -xpf all.tar -C out
[ "$(stat -c %a.%Y out/tree)" = 750.7000 ]
cp -a tree copy; [ "$(stat -c %a.%Y copy)" = 750.7000 ]
install -m 711 script installed; [ "$(stat -c %a installed)" = 711 ]
gzip -k script; [ "$(stat -c %Y script.gz)" = 5000 ]
chmod -R u+w tree out copy; rm -r tree out copy all.tar script script.gz installed
"""


def times(same):
    if X86:
        call("utime", b"sub/b.txt", moments("", 1, 77))
        same("sub/b.txt", 0o600, 77)
    before = os.stat("sub/b.txt")
    # UTIME_OMIT, and now.
    call("utimensat", CWD, b"sub/b.txt", moments("", 0, (1 << 30) - 2, 88, 0), 0)
    if os.stat("sub/b.txt").st_atime_ns != before.st_atime_ns:
        raise OSError(errno.EIO, "")
    same("sub/b.txt", 0o600, 88)


def unnamed():
    """What lost its name is still what it was."""
    held = os.open("gone", os.O_RDWR | os.O_CREAT)
    os.unlink("gone")
    os.fchmod(held, 0o640)
    os.utime(held, (1, 2))
    os.close(held)


def race():
    """A name and a descriptor that are another when they are looked at again."""
    going = True
    word = ctypes.create_string_buffer(b"sub/x.env", 16)
    places = [os.open(name, os.O_PATH) for name in ("plain/.fine", "plain/.env")]
    held = os.dup(places[0])

    def flip():
        while going:
            for name in (b"plain/.fine\0", b"plain/.env\0\0"):
                ctypes.memmove(word, name, 12)
            for place in places:
                os.dup2(place, held)

    def swap():
        while going:
            for name in (".fine", ".env"):
                os.symlink(name, "plain/new")
                os.replace("plain/new", "plain/sign")

    os.symlink(".fine", "plain/sign")
    several = [threading.Thread(target=one) for one in (flip, swap)]
    for one in several:
        one.start()
    went = taken = 0
    until = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < until and not ("once" in sys.argv and went and taken):
        for deed in (
            lambda: call("fchmodat", CWD, word, 0o606),
            lambda: call("fchmodat", CWD, b"plain/sign", 0o606),
            lambda: call("fchownat", held, b"", ME, -1, EMPTY),
            lambda: call("utimensat", held, b"", NANO, EMPTY),
        ):
            went += said(deed) == "ok"
        taken += touched("plain/.env") != (oct(0o100644), 1)
    going = False
    for one in several:
        one.join()
    print("went", went > 0, "taken", taken > 0)


def hammer():
    while not os.path.exists("stop"):
        os.chmod("a.txt", 0o600)
    print("hammered")


{"attacks": attacks, "honest": honest, "race": race, "hammer": hammer, "reading": reading}[sys.argv[1]]()
