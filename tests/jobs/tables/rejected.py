"""What looked like a link and is none, with the reason."""

from urisieve import Rejection, sieve

for found in sieve("see http://a.example:80x/ and http://[::g]/ or http://b.example/"):
    if isinstance(found, Rejection):
        print(found.raw, found.reason, found.offset)
# prints:
# http://a.example:80x/ bad-port 19
# http://[::g]/ bad-ip-literal 7
