"""Records as a table, by the module csv."""

import csv
import sys

from urisieve import extract

out = csv.DictWriter(sys.stdout, ["uri", "host", "line"], extrasaction="ignore", lineterminator="\n")
out.writeheader()
out.writerows(dict(record) for record in extract("see HTTP://A.example/x,y\nand http://b.example"))
# prints:
# uri,host,line
# "http://a.example/x,y",a.example,1
# http://b.example/,b.example,2
