"""What a socket brings: each link as soon as it is decided."""

import socket
from codecs import getincrementaldecoder

from urisieve import Scanner

one, two = socket.socketpair()
one.sendall("héllo http://a.example/ü\nand http://b.exam".encode())
one.shutdown(socket.SHUT_WR)
scanner, decoder = Scanner(), getincrementaldecoder("utf-8")("replace")
while data := two.recv(7):
    for found in scanner.feed(decoder.decode(data)):
        print(found.raw)
print([found.raw for found in scanner.close()])
# prints:
# http://a.example/ü
# ['http://b.exam']
