"""Rows of redirectors: links that hold another link, to which they lead whoever follows them.

Services that filter mail put their own link in place of each one in a message; search engines and social networks count
what is followed; web archives hold copies. Where the target stands in the link itself, it can be read without asking
anybody. Not so for shorteners (`bit.ly`, `t.co`, `lnkd.in`) and for services that write a token alone (Proofpoint's
`urldefense.com/v4`): those have no row. Those of Mimecast may name the host beside the token.
"""

from __future__ import annotations

from urisieve.lean import Final
from urisieve.rules.links.mail_filters import MAIL_FILTERS
from urisieve.rules.links.redirector import LABEL, Decoding, Redirector

# The domains of Google's search: two to six letters, or two labels of a country.
_GOOGLE: Final = r"(?:www\.)?google\.(?:[a-z]{2,6}|com?\.[a-z]{2})"
_CLEAR_URLS: Final = "the rules of ClearURLs, `redirections`"
# A link of the web in a segment of a path, percent-encoded.
_WEB: Final = "(?=[Hh][Tt][Tt][Pp][Ss]?(?::|%(?:25)?3[Aa])%(?:25)?2[Ff]%(?:25)?2[Ff])"
_MODIFIER: Final = "(?:id|if|im|js|cs|oe|fr|fw|mp|cm[0-9]*|wkp)_"

REDIRECTORS: Final = (
    *MAIL_FILTERS,
    Redirector(
        name="google",
        title="Google, links of search results and of mail",
        reference=f"{_CLEAR_URLS}, google",
        host=_GOOGLE,
        path="/url",
        parameters=("q", "url", "adurl"),
        examples=(
            ("https://www.google.com/url?q=https://e.example/a%26b&sa=D&ust=1", "https://e.example/a&b"),
            ("https://www.google.co.uk/url?sa=t&url=https%3A%2F%2Fe.example%2F&usg=x", "https://e.example/"),
        ),
    ),
    Redirector(
        name="google-amp",
        title="Google, AMP viewer",
        reference="the extension Redirector, AMP redirect",
        host=_GOOGLE,
        path="/amp/s/",
        decoding=Decoding.PLAIN,
        assumed="https://",
        examples=(("https://www.google.com/amp/s/e.example/a?b=1", "https://e.example/a?b=1"),),
    ),
    Redirector(
        name="amp-cache",
        title="AMP cache of Google",
        reference="AMP, Using the Google AMP Cache, AMP Cache URL Format",
        host=rf"{LABEL}\.cdn\.ampproject\.org",
        path="/(?:[vcir]|ii/w[0-9]+|a|wp)/s/",
        decoding=Decoding.PLAIN,
        assumed="https://",
        examples=(("https://e-example.cdn.ampproject.org/c/s/e.example/a.html", "https://e.example/a.html"),),
    ),
    Redirector(
        name="youtube",
        title="YouTube, links of descriptions",
        reference=f"{_CLEAR_URLS}, youtube",
        host=r"(?:www\.|m\.)?youtube\.com",
        path="/redirect",
        parameters=("q",),
        examples=(("https://www.youtube.com/redirect?event=d&q=https%3A%2F%2Fe.example%2F&v=x", "https://e.example/"),),
    ),
    Redirector(
        name="facebook",
        title="Facebook, Messenger and Instagram, link shim",
        reference="Meta Engineering, Link Shim",
        host=r"(?:l|lm)\.(?:facebook|messenger|instagram)\.com",
        path="/(?:l\\.php)?",
        parameters=("u",),
        examples=(
            (
                "https://l.facebook.com/l.php?u=https%3A%2F%2Fe.example%2F%3Ffbclid%3Dx&h=AT0",
                "https://e.example/?fbclid=x",
            ),
            ("https://l.instagram.com/?u=https%3A%2F%2Fe.example%2F&e=AT0", "https://e.example/"),
        ),
    ),
    Redirector(
        name="bing",
        title="Bing, links of search results",
        reference="the search client ddgs, `unwrap_bing_url`",
        host=r"(?:www\.)?bing\.com",
        path="/ck/a",
        parameters=("u",),
        decoding=Decoding.BING,
        examples=(
            (
                "https://www.bing.com/ck/a?!&&p=1&ptn=3&u=a1aHR0cHM6Ly9lLmV4YW1wbGUvYT9iPTE&ntb=1",
                "https://e.example/a?b=1",
            ),
        ),
    ),
    Redirector(
        name="duckduckgo",
        title="DuckDuckGo, links of search results",
        reference="DuckDuckGo Help Pages, r.duckduckgo.com",
        host=r"(?:www\.|html\.|lite\.)?duckduckgo\.com",
        path="/l/",
        parameters=("uddg",),
        examples=(("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fe.example%2Fa&rut=1", "https://e.example/a"),),
    ),
    Redirector(
        name="slack",
        title="Slack, links of messages",
        reference="Slack Help Center, Manage referrer information",
        host=r"(?:www\.)?slack-redir\.net",
        path="/link",
        parameters=("url",),
        examples=(("https://slack-redir.net/link?url=https%3A%2F%2Fe.example%2F&v=3", "https://e.example/"),),
    ),
    Redirector(
        name="yahoo",
        title="Yahoo, links of search results",
        reference="the search client ddgs, `extract_url`",
        host=r"r\.search\.yahoo\.com",
        path=rf"(?:/[^/?#]*)*?/RU={_WEB}",
        decoding=Decoding.SEGMENT,
        examples=(
            (
                "https://r.search.yahoo.com/_ylt=Awr9;_ylu=Y29s/RV=2/RO=10/RU=https%3a%2f%2fe.example%2fa%3fb%3dc/RK=2/RS=TVz-",
                "https://e.example/a?b=c",
            ),
        ),
    ),
    Redirector(
        name="linkedin",
        title="LinkedIn, links of posts, profiles and messages",
        reference="the extension Intercept Redirect, issue 45; ClearURLs, issue 194",
        host=rf"(?:{LABEL}\.)?linkedin\.com",
        path="/(?:redir/[a-z\\-]+|safety/go)/?",
        parameters=("url",),
        assumed="http://",
        examples=(
            ("https://www.linkedin.com/safety/go?url=https%3A%2F%2Fe.example%2F&trk=flagship", "https://e.example/"),
            ("https://www.linkedin.com/safety/go/?url=https%3A%2F%2Fe%2Eexample%2Fp&urlhash=x", "https://e.example/p"),
            ("https://www.linkedin.com/redir/redirect?url=e%2Eexample%2Fcert&urlhash=D0OT", "http://e.example/cert"),
            (
                "https://www.linkedin.com/redir/general-malware-page?url=https%3A%2F%2Fe%2eexample%2F",
                "https://e.example/",
            ),
        ),
    ),
    Redirector(
        name="reddit",
        title="Reddit, links of posts",
        reference=f"{_CLEAR_URLS}, reddit",
        host=r"out\.reddit\.com",
        path="/.*",
        parameters=("url",),
        examples=(
            (
                "https://out.reddit.com/t3_5jn5ao?url=http%3A%2F%2Fe.example%2Fa.jpg&token=AQAAq-Zd&app_name=reddit.com",
                "http://e.example/a.jpg",
            ),
        ),
    ),
    Redirector(
        name="disqus",
        title="Disqus, links of comments",
        reference="the extensions Intercept Redirect, disq.us, and Skip Redirect, issue 18",
        host=r"(?:www\.)?disq\.us|redirect\.disqus\.com",
        path="/(?:url)?",
        parameters=("url",),
        decoding=Decoding.SIGNED,
        examples=(
            (
                "https://disq.us/url?url=https%3A%2F%2Fe.example%2Fa%3AzjHJ9CS7YTS6D6-FWtZRTF8swk4&cuid=3226216",
                "https://e.example/a",
            ),
            ("http://disq.us/?url=http%3A%2F%2Fe.example&key=S8VoVYehsrNqwgFikU4G6A", "http://e.example"),
        ),
    ),
    Redirector(
        name="tumblr",
        title="Tumblr, links of posts",
        reference="links in public repositories",
        host=r"t\.umblr\.com",
        path="/redirect",
        parameters=("z",),  # `p` is the post
        examples=(
            (
                "https://t.umblr.com/redirect?z=https%3A%2F%2Fe.example%2F&t=NTRjMmE4&p=https%3A%2F%2Fa.tumblr.com%2F",
                "https://e.example/",
            ),
        ),
    ),
    Redirector(
        name="zhihu",
        title="Zhihu, links of answers",
        reference="links in public repositories",
        host=r"link\.zhihu\.com",
        path="/",
        parameters=("target",),
        examples=(("https://link.zhihu.com/?target=https%3A//e.example/a%3Fb", "https://e.example/a?b"),),
    ),
    Redirector(
        name="amazon-ses",
        title="Amazon SES, click tracking",
        reference="Amazon SES, TrackingOptions; the program gwis, awstrack.me",
        host=rf"(?:{LABEL}\.r\.{LABEL}\.)?awstrack\.me",
        path=f"/L0/{_WEB}",
        decoding=Decoding.SEGMENT,
        examples=(
            (
                "https://kwnsfk27.r.eu-west-1.awstrack.me/L0/https:%2F%2Fe.example%2Fa(24)-X%3Fb=1/1/01020191-000000/xkC80=388",
                "https://e.example/a(24)-X?b=1",
            ),
        ),
    ),
    Redirector(
        name="steam",
        title="Steam Community, link filter",
        reference=f"{_CLEAR_URLS}, steamcommunity",
        host=r"(?:www\.)?steamcommunity\.com",
        path="/linkfilter/?",
        parameters=("url", "u"),
        examples=(("https://steamcommunity.com/linkfilter/?url=https://e.example/a", "https://e.example/a"),),
    ),
    Redirector(
        name="vk",
        title="VK, links of messages",
        reference=f"{_CLEAR_URLS}, vk",
        host=r"(?:www\.|m\.)?vk\.(?:com|ru)",
        path="/away\\.php",
        parameters=("to",),
        examples=(("https://vk.com/away.php?to=https%3A%2F%2Fe.example%2F&cc_key=", "https://e.example/"),),
    ),
    Redirector(
        name="wayback",
        title="Internet Archive, Wayback Machine",
        reference="Internet Archive, Wayback Machine URLs; pywb, URL Rewriter, modifiers",
        host=r"(?:web|wayback|www)\.archive\.org|archive\.org|web-beta\.archive\.org",
        # Behind the date stands a link, or a host with a dot: not the list of a year or of a site (`*/e.example/*`).
        path=rf"/web/(?:(?:[0-9]{{1,14}}(?:{_MODIFIER})?(?:\*(?!.*\*\Z))?|\*(?!.*\*\Z))/)?(?=[A-Za-z][A-Za-z0-9+.\-]*:/|[^/?#*]+\.[^/?#])",
        decoding=Decoding.PLAIN,
        assumed="http://",
        examples=(
            ("https://web.archive.org/web/20200101000000/http://e.example/a?b#c", "http://e.example/a?b#c"),
            ("http://web.archive.org/web/20200101000000id_/https://e.example/", "https://e.example/"),
            ("https://web.archive.org/web/2020*/http://e.example/", "http://e.example/"),
            ("https://web.archive.org/web/*/http://e.example/", "http://e.example/"),
            ("https://web.archive.org/web/20200101if_/e.example/a", "http://e.example/a"),
        ),
    ),
    Redirector(
        name="archive-today",
        title="archive.today, long links",
        reference="Wikipedia, Help:Using archive.today, long form",
        host=r"archive\.(?:today|is|ph|md|li|vn|fo)",
        path=r"/(?:[0-9]{4,14}|[0-9]{4}\.[0-9]{2}\.[0-9]{2}-[0-9]{6}|newest|oldest|o/[A-Za-z0-9]{5})/(?=https?:/)",
        decoding=Decoding.PLAIN,
        examples=(("https://archive.ph/20200101000000/https://e.example/a", "https://e.example/a"),),
    ),
    Redirector(
        name="webcite",
        title="WebCite, long links",
        reference="Wikipedia, Help:Using WebCite, Long-form URLs",
        host=r"(?:www\.)?webcitation\.org",
        path="/(?:query|[A-Za-z0-9]{8,9})",
        parameters=("url",),
        examples=(("https://www.webcitation.org/5eWaHRbn4?url=http://e.example/", "http://e.example/"),),
    ),
)
