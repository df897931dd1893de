"""Whether two identifiers are the same, and why."""

from urisieve import equivalent, explain

print(equivalent("http://example.com", "HTTP://EXAMPLE.com:80/"), equivalent("http://a.example/", "http://A.example/b"))
print(equivalent("http://a.example/", "no link", default=False))
print([str(step.rule) for step in explain("HTTP://EXAMPLE.com:80/").steps])
# prints:
# True False
# False
# ['scheme-case', 'host-case', 'default-port']
