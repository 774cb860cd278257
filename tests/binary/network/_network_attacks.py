"""Ways out of a program that rules open one host to: PLACES (JSON: `open`, `closed`, `six`, `udp`: ports of 127.0.0.1, ::1).
Each line says what came of one deed. `tell FILE`: also says where the proxy really listens, and waits for FILE to go."""
import errno, json, os, socket, struct, subprocess, sys, threading, time, urllib.request

PLACES = json.loads(sys.argv[1])
OPEN, CLOSED = PLACES["open"], PLACES["closed"]
ALLOWED, FORBIDDEN = f"127.0.0.1:{OPEN}", f"127.0.0.1:{CLOSED}"
PROXY = ("127.84.71.1", 3128)


def tried(name, deed):
    try:
        said = deed()
        said = "ok" if said is None else said
    except OSError as error:
        said = errno.errorcode.get(error.errno, type(error).__name__)
    print(f"{name}\t{said}", flush=True)


def talk(one, text):
    one.sendall(text if isinstance(text, bytes) else text.encode("latin1"))
    said = b""
    while True:
        piece = one.recv(65536)
        if not piece:
            break
        said += piece
        if said.startswith(b"HTTP/1.1 200 Connection"):
            break
    return said.split(b"\r\n")[0].decode("latin1").split(" ")[1] if said.startswith(b"HTTP") else repr(said)


def asks(text, family=socket.AF_INET, to=PROXY):
    def deed():
        with socket.socket(family) as one:
            one.settimeout(10)
            one.connect(to)
            return talk(one, text)
    return deed


def get(place):
    return f"GET http://{place}/x HTTP/1.1\r\nHost: {place}\r\n\r\n"


def direct(family, to, kind=socket.SOCK_STREAM, protocol=0):
    def deed():
        with socket.socket(family, kind, protocol) as one:
            one.settimeout(5)
            one.connect(to)
            one.sendall(b"GET /direct HTTP/1.1\r\nHost: a\r\n\r\n")
    return deed


def fast():
    with socket.socket() as one:
        one.sendto(b"GET /fast HTTP/1.1\r\n\r\n", 0x20000000, ("127.0.0.1", CLOSED))


def datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"datagram", ("127.0.0.1", PLACES["udp"]))


def nonblocking():
    with socket.socket() as one:
        one.setblocking(False)
        said = one.connect_ex(PROXY)
        if said not in (0, errno.EINPROGRESS):
            return errno.errorcode[said]
        one.settimeout(10)
        return talk(one, get(ALLOWED))


def bare_child():
    """A child without the variables has the proxy all the same, if it knows where."""
    code = "import socket; s=socket.create_connection(('127.0.0.1',%d))" % CLOSED
    child = subprocess.run([sys.executable, "-c", code], env={}, capture_output=True, text=True)
    return "refused" if "refused" in child.stderr else child.stderr or "ok"


def reconnected():
    """A socket that was the proxy's is pointed elsewhere."""
    with socket.socket() as one:
        one.connect(PROXY)
        raw = struct.pack("HH12x", socket.AF_UNSPEC, 0)
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        libc.connect(one.fileno(), raw, 16)
        one.connect(("127.0.0.1", CLOSED))


def found():
    """Where it really listens is no place to connect to."""
    with socket.socket() as one:
        one.connect(PROXY)
        real = one.getpeername()
        with socket.socket() as other:
            other.connect(real)
            return talk(other, get(ALLOWED))


def speaks_first():
    """One thread writes while another connects: nothing that is not allowed comes of it."""
    worst = "ok"
    for _ in range(20):
        one = socket.socket()
        one.setblocking(False)
        def shout():
            for _ in range(400):
                try:
                    one.send(get(FORBIDDEN).encode())
                    return
                except OSError:
                    pass
        shouting = threading.Thread(target=shout)
        shouting.start()
        try:
            one.connect_ex(PROXY)
            shouting.join()
            one.settimeout(5)
            one.sendall(get(FORBIDDEN).encode())
            said = one.recv(100)
            if said.startswith(b"HTTP/1.1 200"):
                worst = repr(said)
        except OSError:
            pass
        one.close()
    return worst


def passed():
    """Another program that has no rule is handed a connected socket: it is the connection that was judged."""
    with socket.socket() as one:
        one.connect(PROXY)
        return talk(one, get(FORBIDDEN))


def asked(name, to):
    """A name server, whichever it means: what it says of a name over TCP."""
    def deed():
        labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
        query = b"\x00\x07\x01\x00\x00\x01" + bytes(6) + labels + b"\x00\x00\x01\x00\x01"
        with socket.create_connection((to, 53), timeout=10) as one:
            one.sendall(struct.pack(">H", len(query)) + query)
            said = one.recv(1000)
            return ".".join(map(str, said[-4:])) if said[9] == 1 else f"code {said[5] & 15}"
    return deed


def resolved(name):
    def deed():
        try:
            return socket.getaddrinfo(name, 80, type=socket.SOCK_STREAM)[0][4][0]
        except socket.gaierror as error:
            return error.errno
    return deed


def taken():
    """What a connection of its own is at really: nobody there knows another of its connections."""
    with socket.create_connection(("127.0.0.1", OPEN)) as one:
        with socket.socket() as other:
            other.connect(one.getpeername())
            return talk(other, get(FORBIDDEN))


def url(address):
    def deed():
        try:
            return urllib.request.urlopen(address, timeout=10).status
        except urllib.error.HTTPError as error:
            return error.code
    return deed


def socks(host, port):
    def deed():
        with socket.create_connection(PROXY) as one:
            one.sendall(b"\x05\x01\x00")
            assert one.recv(2) == b"\x05\x00"
            name = host.encode()
            one.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + struct.pack(">H", port))
            return one.recv(10)[1]
    return deed


DEEDS = {
    "urllib": url(f"http://{ALLOWED}/x"),
    "get": asks(get(ALLOWED)),
    "connect": asks(f"CONNECT {ALLOWED} HTTP/1.1\r\n\r\n"),
    "hexadecimal": asks(get(f"0x7f.1:{OPEN}")),
    "dot": asks(get(f"127.0.0.1.:{OPEN}")),
    "mapped socket": asks(get(ALLOWED), socket.AF_INET6, (f"::ffff:{PROXY[0]}", PROXY[1])),
    "nonblocking": nonblocking,
    "socks": socks("127.0.0.1", OPEN),
    "urllib closed": url(f"http://{FORBIDDEN}/x"),
    "closed": asks(get(FORBIDDEN)),
    "connect closed": asks(f"CONNECT {FORBIDDEN} HTTP/1.1\r\n\r\n"),
    "localhost": asks(get(f"localhost:{OPEN}")),
    "six": asks(get(f"[::1]:{PLACES['six']}")),
    "mapped": asks(get(f"[::ffff:127.0.0.1]:{OPEN}")),
    "metadata": asks(get("169.254.169.254")),
    "private": asks(get("10.0.0.1")),
    "any": asks(get(f"0.0.0.0:{OPEN}")),
    "socks closed": socks("127.0.0.1", CLOSED),
    "two hosts": asks(f"GET http://{ALLOWED}/ HTTP/1.1\r\nHost: {ALLOWED}\r\nHost: {FORBIDDEN}\r\n\r\n"),
    "other host": asks(f"GET http://{ALLOWED}/ HTTP/1.1\r\nHost: {FORBIDDEN}\r\n\r\n"),
    "two requests": asks(get(ALLOWED) + get(FORBIDDEN)),
    "direct open": direct(socket.AF_INET, ("127.0.0.1", OPEN)),
    "direct open mapped": direct(socket.AF_INET6, ("::ffff:127.0.0.1", OPEN)),
    "direct": direct(socket.AF_INET, ("127.0.0.1", CLOSED)),
    "direct any": direct(socket.AF_INET, ("0.0.0.0", CLOSED)),
    "direct other loopback": direct(socket.AF_INET, ("127.0.0.2", OPEN)),
    "direct private": direct(socket.AF_INET, ("10.0.0.1", OPEN)),
    "direct metadata": direct(socket.AF_INET, ("169.254.169.254", 80)),
    "direct beyond six": direct(socket.AF_INET6, ("2606:2800:220:1::1", 80)),
    "no stand-in": direct(socket.AF_INET, ("127.84.72.0", OPEN)),
    "resolved": resolved("example.org"),
    "asked": asked("leaks-a-secret.example.org", "127.0.0.1"),
    "asked elsewhere": asked("leaks-a-secret.example.org", "93.184.216.34"),
    "asked of six": asked("leaks-a-secret.example.org", "2606:2800:220:1::1"),
    "taken": taken,
    "direct six": direct(socket.AF_INET6, ("::1", PLACES["six"])),
    "direct mapped": direct(socket.AF_INET6, ("::ffff:127.0.0.1", CLOSED)),
    "direct beyond": direct(socket.AF_INET, ("93.184.216.34", 80)),
    "other port of the proxy": direct(socket.AF_INET, (PROXY[0], 80)),
    "mptcp": direct(socket.AF_INET, ("127.0.0.1", CLOSED), socket.SOCK_STREAM, 262),
    "udp": datagram,
    "raw": direct(socket.AF_INET, ("127.0.0.1", CLOSED), socket.SOCK_RAW, 1),
    "fast open": fast,
    "bare child": bare_child,
    "reconnected": reconnected,
    "found": found,
    "speaks first": speaks_first,
    "passed": passed,
}
for name, deed in DEEDS.items():
    tried(name, deed)

if len(sys.argv) > 2:
    one = socket.create_connection(PROXY)
    with open(sys.argv[2] + ".new", "w") as file:
        file.write(str(one.getpeername()[1]))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    while os.path.exists(sys.argv[2]):
        time.sleep(0.02)
