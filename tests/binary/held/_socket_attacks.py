"""Sockets of programs. `serve`: the sentinels, which nobody held may reach; they say who did. `own`: what a call's programs
do among themselves. `others PLACES`: every way to somebody else. Each line says what came of one deed."""
import array, ctypes, errno, json, os, select, socket, struct, sys, tempfile, threading, time

libc = ctypes.CDLL(None, use_errno=True)
FASTOPEN = 0x20000000
X86 = os.uname().machine == "x86_64"
NR = dict(connect=42, bind=49, sendmmsg=307) if X86 else dict(connect=203, bind=200, sendmmsg=269)


def tried(name, deed):
    try:
        said = deed(name)
        said = "ok" if said is None else said
    except OSError as error:
        said = errno.errorcode.get(error.errno, str(error.errno))
    print(name, said, flush=True)


def serve():
    """Listens at every kind of place; prints them, then the names that reach them."""
    folder = sys.argv[2]
    places, sockets = {}, []

    def at(name, family, address, kind=socket.SOCK_STREAM, reuse=False):
        one = socket.socket(family, kind)
        if reuse:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        one.bind(address)
        if kind != socket.SOCK_DGRAM:
            one.listen(64)
        sockets.append(one)
        own = one.getsockname()
        places[name] = own if isinstance(own, str) else own.decode() if isinstance(own, bytes) else own[1]

    at("four", socket.AF_INET, ("127.0.0.1", 0))
    at("other", socket.AF_INET, ("127.0.0.2", 0))
    at("six", socket.AF_INET6, ("::1", 0))
    at("shared", socket.AF_INET, ("127.0.0.1", 0), reuse=True)
    at("udp", socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM)
    at("inside", socket.AF_UNIX, f"{folder}/inside.sock")
    at("moved", socket.AF_UNIX, f"{folder}/moved.sock")
    at("outside", socket.AF_UNIX, f"{sys.argv[3]}/outside.sock")
    at("datagrams", socket.AF_UNIX, f"{folder}/datagrams.sock", socket.SOCK_DGRAM)
    at("abstract", socket.AF_UNIX, f"\0toolgate-test-{os.getpid()}")
    for name in ("inside", "moved", "datagrams", "outside"):
        os.chmod(places[name], 0o777)
    print(json.dumps(places), flush=True)
    while True:
        for one in select.select(sockets, [], [])[0]:
            if one.type == socket.SOCK_DGRAM:
                print(one.recv(100).decode(), flush=True)
            elif one in sockets and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                connection, _ = one.accept()
                sockets.append(connection)
            else:
                said = one.recv(100)
                sockets.remove(one)
                one.close()
                print(said.decode() or "silent", flush=True)


def pair(listener, client, address):
    """They talk in both directions."""
    client.connect(address)
    accepted, _ = listener.accept()
    accepted.sendall(b"hello")
    assert client.recv(5) == b"hello"
    client.sendall(b"back")
    assert accepted.recv(4) == b"back"
    for one in (listener, client, accepted):
        one.close()


def tcp(family, bound, to):
    def deed(_):
        listener = socket.socket(family)
        listener.bind((bound, 0))
        listener.listen()
        client = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET)
        pair(listener, client, (to, listener.getsockname()[1]))
    return deed


def unix(path, mask=0o22, kind=socket.SOCK_STREAM):
    def deed(_):
        old = os.umask(mask)
        listener = socket.socket(socket.AF_UNIX, kind)
        listener.bind(path)
        os.umask(old)
        listener.listen()
        assert listener.getsockname() == path, listener.getsockname()
        assert os.stat(path).st_mode & 0o777 == 0o777 & ~mask, oct(os.stat(path).st_mode)
        pair(listener, socket.socket(socket.AF_UNIX, kind), path)
        os.unlink(path)
    return deed


def own():
    tmp = tempfile.mkdtemp()
    four, six = socket.AF_INET, socket.AF_INET6
    for name, deed in {
        "four": tcp(four, "127.0.0.1", "127.0.0.1"),
        "other four": tcp(four, "127.0.0.9", "127.0.0.9"),
        "any four": tcp(four, "", "127.0.0.1"),
        "any four by any": tcp(four, "0.0.0.0", "0.0.0.0"),
        "six": tcp(six, "::1", "::1"),
        "any six": tcp(six, "::", "::1"),
        "any six by four": tcp(six, "::", "127.0.0.1"),
        "by mapped": tcp(four, "127.0.0.1", "::ffff:127.0.0.1"),
        "by name": tcp(four, "localhost", "localhost"),
        "in the workspace": unix("own.sock"),
        "by its whole path": unix(os.path.abspath("own.sock")),
        "temporary": unix(f"{tmp}/own.sock"),
        "mask": unix(f"{tmp}/own.sock", 0o177),
        "packets": unix(f"{tmp}/own.sock", kind=socket.SOCK_SEQPACKET),
    }.items():
        tried(name, deed)

    def between(_):
        listener = socket.socket()
        listener.listen()
        port = listener.getsockname()[1]
        child = os.fork()
        if child == 0:
            client = socket.create_connection(("127.0.0.1", port))
            client.sendall(b"from the child")
            os._exit(0)
        accepted, _ = listener.accept()
        assert accepted.recv(100) == b"from the child"
        os.waitpid(child, 0)

    def unbound(_):
        """Listens without having been bound."""
        listener = socket.socket()
        listener.listen()
        return listener.getsockname()[0]

    def passed(_):
        """A socket that another program made, bound and sent."""
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            theirs.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener.fileno()]))])
            os._exit(0)
        _, ancillary, _, _ = ours.recvmsg(1, 100)
        listener = socket.socket(fileno=array.array("i", ancillary[0][2])[0])
        listener.listen()
        pair(listener, socket.socket(), listener.getsockname())
        os.wait()

    def copied(_):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        copy = os.dup(listener.fileno())
        listener.close()
        listener = socket.socket(fileno=copy)
        listener.listen()
        client = socket.socket()
        pair(listener, socket.socket(fileno=os.dup2(client.detach(), 200)), listener.getsockname())

    def waiting(_):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client = socket.socket()
        client.setblocking(False)
        assert client.connect_ex(listener.getsockname()) in (0, errno.EINPROGRESS)
        assert select.select([], [client], [], 5)[1]
        assert client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
        client.connect(listener.getsockname())

    def full(_):
        """Who waits for a place keeps nobody else waiting."""
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        clients = [socket.socket() for _ in range(8)]
        for one in clients:
            threading.Thread(target=lambda: one.connect_ex(listener.getsockname()), daemon=True).start()
        time.sleep(0.2)
        tcp(socket.AF_INET, "127.0.0.1", "127.0.0.1")("")

    def nobody(_):
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))
        socket.create_connection(closed.getsockname())

    def taken(_):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        socket.socket().bind(listener.getsockname())

    def again(_):
        place = ("127.0.0.1", 0)
        for _ in range(3):
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen()
            place = listener.getsockname()
            pair(listener, socket.socket(), place)

    def many(_):
        for _ in range(200):
            unix(f"{tmp}/many.sock")("")
            tcp(socket.AF_INET, "", "127.0.0.1")("")

    def threads(_):
        failed = []

        def work():
            try:
                for _ in range(10):
                    tcp(socket.AF_INET, "127.0.0.1", "127.0.0.1")("")
            except OSError as error:
                failed.append(error)
        workers = [threading.Thread(target=work) for _ in range(8)]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        assert not failed, failed

    def manager(_):
        import multiprocessing
        context = multiprocessing.get_context("forkserver" if sys.version_info >= (3, 14) else "fork")
        with context.Manager() as manager:
            shared = manager.dict(a=1)
            assert dict(shared) == {"a": 1}

    def undumpable(_):
        libc.prctl(4, 0, 0, 0, 0)
        tcp(socket.AF_INET, "127.0.0.1", "127.0.0.1")("")

    def gone(_):
        unix("gone.sock")("")
        socket.socket(socket.AF_UNIX).connect("gone.sock")

    def no_socket(_):
        result = libc.syscall(NR["connect"], 1, ctypes.create_string_buffer(16), 16)
        raise OSError(ctypes.get_errno() if result < 0 else 0, "")

    def no_address(_):
        result = libc.syscall(NR["connect"], socket.socket().detach(), 8, 16)
        raise OSError(ctypes.get_errno() if result < 0 else 0, "")

    for deed in (between, unbound, passed, copied, waiting, full, nobody, taken, again, many, threads, manager, undumpable,
                 gone, no_socket, no_address):
        tried(deed.__name__, deed)


def say(one, name):
    one.sendall(name.encode())


def others(places):
    four = ("127.0.0.1", places["four"])

    def stream(family, address):
        def deed(name):
            one = socket.socket(family)
            one.settimeout(3)
            one.connect(address)
            say(one, name)
        return deed

    def fast(how):
        def deed(name):
            how(socket.socket(), name.encode())
        return deed

    def sendmmsg(one, data):
        """One message with an address, laid out by hand."""
        address = ctypes.create_string_buffer(struct.pack("=HH4s8x", 2, socket.htons(four[1]), bytes([127, 0, 0, 1])))
        data = ctypes.create_string_buffer(data, len(data))
        place = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(data), len(data)))
        message = ctypes.create_string_buffer(
            struct.pack("=QIxxxxQQQQixxxxI4x", ctypes.addressof(address), 16, ctypes.addressof(place), 1, 0, 0, 0, 0))
        if libc.syscall(NR["sendmmsg"], one.fileno(), message, 1, FASTOPEN) < 0:
            raise OSError(ctypes.get_errno(), "")

    def udp(name):
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(name.encode(), ("127.0.0.1", places["udp"]))

    def datagrams(name):
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(name.encode(), places["datagrams"])

    def pair_datagrams(name):
        socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(name.encode(), places["datagrams"])

    def multipath(name):
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
        one.connect(four)
        say(one, name)

    def after_own(name):
        """A socket that was connected to one of ours first."""
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        one = socket.socket()
        one.connect(listener.getsockname())
        libc.syscall(NR["connect"], one.fileno(), ctypes.create_string_buffer(16), 16)
        one.connect(four)
        say(one, name)

    def copied(name):
        one = socket.socket(fileno=os.dup(socket.socket().detach()))
        one.connect(four)
        say(one, name)

    def passed(name):
        """The other program connects it."""
        ours, theirs = socket.socketpair()
        one = socket.socket()
        ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [one.fileno()]))])
        if os.fork() == 0:
            _, ancillary, _, _ = theirs.recvmsg(1, 100)
            try:
                socket.socket(fileno=array.array("i", ancillary[0][2])[0]).connect(four)
            except OSError:
                pass
            os._exit(0)
        os.wait()
        say(one, name)

    def same_port(name):
        """Ours has the port of another at another address."""
        listener = socket.socket()
        listener.bind(("127.0.0.1", places["other"]))
        listener.listen()
        one = socket.create_connection(("127.0.0.2", places["other"]), 3)
        say(one, name)

    def same_port_any(name):
        listener = socket.socket()
        try:
            listener.bind(("", places["other"]))
            listener.listen()
        except OSError:
            pass
        say(socket.create_connection(("127.0.0.2", places["other"]), 3), name)

    def same_port_six(name):
        listener = socket.socket()
        listener.bind(("127.0.0.1", places["six"]))
        listener.listen()
        say(socket.create_connection(("::1", places["six"]), 3), name)

    def shares(_):
        """Takes what comes to somebody else's port."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(("127.0.0.1", places["shared"]))
        listener.listen()

    def all_addresses(_):
        listener = socket.socket()
        listener.bind(("", 0))
        listener.listen()
        if listener.getsockname()[0] != "0.0.0.0":
            raise OSError(errno.EACCES, "")

    def routed(_):
        """By way of another machine, whatever the address says (LSRR, RFC 791)."""
        one = socket.socket()
        one.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, bytes([131, 7, 4, 10, 9, 8, 7, 0]))

    def link(name):
        os.symlink(places["outside"], "link.sock")
        stream(socket.AF_UNIX, "link.sock")(name)

    def hard_link(name):
        os.link(places["inside"], "hard.sock")
        stream(socket.AF_UNIX, "hard.sock")(name)

    def by_descriptor(name):
        held = os.open(places["inside"], os.O_PATH)
        stream(socket.AF_UNIX, f"/proc/self/fd/{held}")(name)

    def replaced(name):
        """In the place of ours."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("ours.sock")
        listener.listen()
        os.unlink("ours.sock")
        os.rename(places["moved"], "ours.sock")
        stream(socket.AF_UNIX, "ours.sock")(name)

    def denied(_):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(".env")

    def denied_folder(_):
        os.symlink("secrets", "into")
        socket.socket(socket.AF_UNIX).bind("into/new.sock")

    def outside(_):
        socket.socket(socket.AF_UNIX).bind(os.path.dirname(places["outside"]) + "/new.sock")

    def abstract(_):
        socket.socket(socket.AF_UNIX).bind("\0toolgate-test-new")

    def unnamed(_):
        """The kernel finds it a name that lies in no folder."""
        address = ctypes.create_string_buffer(struct.pack("=H", 1), 2)
        if libc.syscall(NR["bind"], socket.socket(socket.AF_UNIX).detach(), address, 2) < 0:
            raise OSError(ctypes.get_errno(), "")

    def privileged(_):
        socket.socket().bind(("127.0.0.1", 1021))

    def made(family, kind, protocol=0):
        return lambda _: socket.socket(family, kind, protocol).close()

    message = lambda one, data: one.sendmsg([data], [], FASTOPEN, four)
    rows = {
        "port": stream(socket.AF_INET, four),
        "address": stream(socket.AF_INET, ("127.0.0.2", places["other"])),
        "zero": stream(socket.AF_INET, ("0.0.0.0", places["four"])),
        "six": stream(socket.AF_INET6, ("::1", places["six"])),
        "six zero": stream(socket.AF_INET6, ("::", places["six"])),
        "mapped": stream(socket.AF_INET6, ("::ffff:127.0.0.1", places["four"])),
        "inside": stream(socket.AF_UNIX, places["inside"]),
        "outside": stream(socket.AF_UNIX, places["outside"]),
        "no folder": stream(socket.AF_UNIX, places["abstract"]),
        "link": link,
        "hard link": hard_link,
        "by descriptor": by_descriptor,
        "replaced": replaced,
        "sendto": fast(lambda one, data: one.sendto(data, FASTOPEN, four)),
        "sendmsg": fast(message),
        "sendmmsg": fast(sendmmsg),
        "udp": udp,
        "datagrams": datagrams,
        "pair of datagrams": pair_datagrams,
        "multipath": multipath,
        "after own": after_own,
        "copied": copied,
        "passed": passed,
        "same port": same_port,
        "same port any": same_port_any,
        "same port six": same_port_six,
    }
    closed = {
        "shares": shares,
        "all addresses": all_addresses,
        "routed": routed,
        "denied": denied,
        "denied folder": denied_folder,
        "bind outside": outside,
        "bind no folder": abstract,
        "bind unnamed": unnamed,
        "privileged": privileged,
        "raw": made(socket.AF_INET, socket.SOCK_RAW, 1),
        "packet": made(17, socket.SOCK_RAW),
        "netlink": made(16, socket.SOCK_RAW, 0),
        "virtual machines": made(40, socket.SOCK_STREAM),
        "keys": made(38, socket.SOCK_SEQPACKET),
        "udp kind": made(socket.AF_INET6, socket.SOCK_DGRAM),
        "sctp": made(socket.AF_INET, socket.SOCK_STREAM, 132),
    }
    for name, deed in {**rows, **closed}.items():
        tried(name, deed)


def flip(places, seconds):
    """
    Two threads: one connects, by turns to ours; the other changes the address, or the descriptor, all the while, for so
    many seconds and until ours was reached: on a busy machine that can take longer.
    """
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    ends = [listener.getsockname()[1], places["four"]]
    ports = [struct.pack("=H", socket.htons(port)) for port in ends]
    address = bytearray(struct.pack("=H2s4s8x", 2, ports[0], bytes([127, 0, 0, 1])))
    memory = (ctypes.c_char * 16).from_buffer(address)
    stop, reached = time.time() + seconds, []
    number = 150

    def goes_on():
        return time.time() < stop or (not reached and time.time() < stop + 600)

    def change():
        while goes_on():
            # The other thread goes on while this one calls the kernel: with each of the two there as often.
            for port in ports:
                address[2:4] = port
                other = socket.socket(socket.AF_UNIX)
                try:
                    os.dup2(other.fileno(), number)
                finally:
                    other.close()

    def accepts():
        while goes_on():
            if select.select([listener], [], [], 0.1)[0]:
                listener.accept()[0].close()
                reached.append("ours")
    threads = [threading.Thread(target=one) for one in (change, accepts)]
    for one in threads:
        one.start()
    while goes_on():
        copied, plain = socket.socket(), socket.socket()
        os.dup2(copied.fileno(), number)
        libc.syscall(NR["connect"], number, memory, 16)
        libc.syscall(NR["connect"], plain.fileno(), memory, 16)
        for one in (copied, plain):
            try:
                if one.getpeername()[1] == places["four"]:
                    say(one, "flip")
            except OSError:
                pass
            one.close()
    for one in threads:
        one.join()
    print("flipped", len(reached) > 0)


def hang(count):
    """Connects to who accepts nothing, from more threads than there is room for."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    path = f"hang-{os.getpid()}.sock"
    local = socket.socket(socket.AF_UNIX)
    local.bind(path)
    local.listen(0)

    def connects(number):
        if number % 2:
            socket.socket().connect_ex(listener.getsockname())
        else:
            socket.socket(socket.AF_UNIX).connect_ex(path)
    for number in range(count):
        threading.Thread(target=connects, args=(number,), daemon=True).start()
    time.sleep(1)
    open(f"hanging-{os.getpid()}", "w").close()
    time.sleep(3600)


def takes_over(place):
    """What was ours and is closed is whoever's has it then."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    port = listener.getsockname()[1]
    pair(listener, socket.socket(), ("127.0.0.1", port))
    with open(place, "w") as file:
        file.write(str(port))
    while os.path.exists(place):
        time.sleep(0.02)

    def connects(name):
        say(socket.create_connection(("127.0.0.1", port), 3), name)
    tried("taken over", connects)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    elif sys.argv[1] == "own":
        own()
    elif sys.argv[1] == "others":
        others(json.loads(sys.argv[2]))
    elif sys.argv[1] == "flip":
        flip(json.loads(sys.argv[2]), float(sys.argv[3]))
    elif sys.argv[1] == "hang":
        hang(int(sys.argv[2]))
    elif sys.argv[1] == "take":
        takes_over(sys.argv[2])
