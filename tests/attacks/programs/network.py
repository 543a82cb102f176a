"""Everything that might reach something outside, by address and by name."""

import fcntl
import os
import socket
import struct

from attempts import attempt

METADATA = "169.254.169.254"


def tcp(address, port, family=socket.AF_INET):
    def connect():
        with socket.socket(family, socket.SOCK_STREAM) as one:
            one.settimeout(2)
            one.connect((address, port))

    return connect


def udp(address, port, family=socket.AF_INET, data=b"x"):
    def send():
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.settimeout(2)
            return one.sendto(data, (address, port))

    return send


def raw(family, kind, protocol):
    def send():
        with socket.socket(family, kind, protocol) as one:
            one.settimeout(2)
            return one.sendto(struct.pack("!BBHHH", 8, 0, 0xF7FF, 0, 0), ("1.1.1.1", 0))

    return send


def packet():
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as one:
        one.bind(("lo", 0))


def interfaces():
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    if not others:
        raise OSError("only lo")
    return others


def routes():
    with open("/proc/net/route") as file:
        found = file.read().splitlines()[1:]
    if not found:
        raise OSError("no route")
    return found


def query():
    question = b"\x12\x34\x01\x00\x00\x01\0\0\0\0\0\0\x07example\x03com\0\0\x01\0\x01"
    for server in {"8.8.8.8", "127.0.0.11", *servers()}:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.settimeout(1)
            try:
                one.sendto(question, (server, 53))
                return one.recv(512)
            except OSError:
                continue
    raise OSError("no answer")


def tun():
    return fcntl.ioctl(os.open("/dev/net/tun", os.O_RDWR), 0x400454CA, struct.pack("16sH22x", b"tun0", 0x1001))


def servers():
    with open("/etc/resolv.conf") as file:
        return [line.split()[1] for line in file if line.startswith("nameserver")]


attempt("tcp", tcp("1.1.1.1", 443))
attempt("tcp6", tcp("2606:4700:4700::1111", 443, socket.AF_INET6))
attempt("udp", udp("8.8.8.8", 53))
attempt("udp6", udp("2001:4860:4860::8888", 53, socket.AF_INET6))
attempt("multicast", udp("224.0.0.251", 5353))
attempt("multicast6", udp("ff02::1%1", 5353, socket.AF_INET6))
attempt("broadcast", udp("255.255.255.255", 67))
attempt("metadata", tcp(METADATA, 80))
attempt("metadata6", tcp("fd00:ec2::254", 80, socket.AF_INET6))
attempt("metadata by udp", udp(METADATA, 80))
attempt("dns", lambda: socket.getaddrinfo("example.com", 443))
attempt("dns by hand", query)
attempt("icmp raw", raw(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt("icmp ping", raw(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP))
attempt("raw", raw(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW))
attempt("packet", packet)
attempt("interfaces", interfaces)
attempt("routes", routes)
attempt("tun", tun)
