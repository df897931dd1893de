"""Rows of services whose only rule is that the host is a name of the DNS or an IP address."""

from __future__ import annotations

from urisieve.lean import Final
from urisieve.rules.forms import service

ROWS: Final = (
    *(
        service(name, title, reference)
        for name, title, reference in (
            ("aaa", "Diameter", "RFC 6733 4.3.1"),
            ("aaas", "Diameter over TLS", "RFC 6733 4.3.1"),
            ("git", "Git repository", "the git registration"),
            ("git+ssh", "Git repository over Secure Shell", "RFC 3986 3.2.2"),
            ("svn", "Subversion repository", "the svn registration"),
            ("svn+ssh", "Subversion repository over Secure Shell", "RFC 3986 3.2.2"),
            ("ssh", "Secure Shell", "the ssh registration"),
            ("mms", "Multimedia streaming", "the mms registration"),
            ("rtmp", "Real-Time Messaging Protocol", "the rtmp registration"),
            ("vnc", "Remote Framebuffer Protocol", "RFC 7869 2.1"),
        )
    ),
    *(
        service(name, title, reference, root=True)
        for name, title, reference in (
            ("acap", "Application Configuration Access Protocol", "RFC 2244 3.2"),
            ("dict", "Dictionary Server Protocol", "RFC 2229 5"),
            ("icap", "Internet Content Adaptation Protocol", "RFC 3507 4.2"),
            ("rtsp", "Real-Time Streaming Protocol", "RFC 7826 4.2"),
            ("rtsps", "Real-Time Streaming Protocol over TLS", "RFC 7826 4.2"),
            ("rtspu", "Real-Time Streaming Protocol over UDP", "RFC 2326 3.2"),
            ("snmp", "Simple Network Management Protocol", "RFC 4088 3"),
            ("wais", "Wide Area Information Servers", "RFC 4156 2"),
        )
    ),
    # RFC 4248 2: "The final "/" character may be omitted"; a path holds nothing else.
    *(
        service(name, title, reference, root=True)._replace(expected="//[^/?]*/?")
        for name, title, reference in (
            ("telnet", "Telnet", "RFC 4248 2"),
            ("tn3270", "Telnet for 3270 terminals", "RFC 6270 2.1"),
        )
    ),
)
